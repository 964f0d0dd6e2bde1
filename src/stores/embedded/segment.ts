/**
 * A segment holds what is searched of a run of chunks: vectors, postings, lengths, metadata columns. It is written
 * once and never changed; chunks that are replaced stay in it as dead rows until it is merged.
 */
import { FIELD_COUNT } from '../bm25.ts';
import { allStrings, asFloat32, asUint32, bytesOf, encodeStrings, stringTable } from './binary.ts';
import { decodeColumn, encodeColumn, mergeColumns } from './columns.ts';
import type { Column } from './columns.ts';
import { LARGE_PIECE, SMALL_PIECE } from './parts.ts';
import type { Part } from './parts.ts';
import { DROPPED, mergePostings } from './postings.ts';
import type { Postings } from './postings.ts';
import { mergeSparse } from './sparse-postings.ts';
import type { SparsePostings } from './sparse-postings.ts';

export interface SegmentContents {
  /** The chunks' numbers in the index, ascending. */
  readonly ordinals: Uint32Array;
  readonly ids: readonly string[];
  /** Terms in each field, four a row. */
  readonly lengths: Uint32Array;
  readonly postings: Postings;
  readonly spaces: ReadonlyMap<string, SpaceVectors>;
  /** Learned sparse vectors by space. */
  readonly sparse: ReadonlyMap<string, SparsePostings>;
  readonly columns: ReadonlyMap<string, Column>;
}

/** The vectors of one space. Neighbouring chunks with the same vector (of a common heading) share one. */
export interface SpaceVectors {
  /** int8, `width` a vector. */
  readonly codes: Int8Array;
  readonly scales: Float32Array;
  readonly width: number;
  /** The rows that share a vector: so many, from this one on. The exact vector is stored under the first's ordinal. */
  readonly firstRow: Uint32Array;
  readonly rowCount: Uint32Array;
}

/** Names of the parts in the file; spaces and fields have parts of their own. */
export const PART = {
  ordinals: 'ordinals',
  ids: 'ids',
  idEnds: 'ids.ends',
  lengths: 'lengths',
  terms: 'terms',
  termEnds: 'terms.ends',
  starts: 'terms.starts',
  sizes: 'terms.sizes',
  postings: 'postings',
  space: (space: string, what: 'codes' | 'scales' | 'first' | 'count'): string => `space.${what}.${space}`,
  sparse: (space: string, what: 'entries' | 'ends' | 'postings'): string => `sparse.${what}.${space}`,
  column: (field: string): string => `column.${field}`,
} as const;

const COLUMN_PREFIX = PART.column('');
const CODES_PREFIX = PART.space('', 'codes');
const ENTRIES_PREFIX = PART.sparse('', 'entries');

export function encodeSegment(contents: SegmentContents): Map<string, Part> {
  const { ordinals, ids, lengths, postings, spaces, sparse, columns } = contents;
  const parts = new Map<string, Part>();
  const add = (name: string, array: ArrayBufferView, piece = LARGE_PIECE): void =>
    void parts.set(name, { data: bytesOf(array), piece });

  const [idTable, termTable] = [encodeStrings(ids), encodeStrings(postings.terms)];
  add(PART.ordinals, ordinals);
  add(PART.ids, idTable.bytes);
  add(PART.idEnds, idTable.ends);
  add(PART.lengths, lengths);
  add(PART.terms, termTable.bytes);
  add(PART.termEnds, termTable.ends);
  add(PART.starts, postings.starts);
  add(PART.sizes, postings.sizes);
  add(PART.postings, postings.data, SMALL_PIECE);
  for (const [space, vectors] of spaces) {
    add(PART.space(space, 'codes'), vectors.codes);
    add(PART.space(space, 'scales'), vectors.scales);
    add(PART.space(space, 'first'), vectors.firstRow);
    add(PART.space(space, 'count'), vectors.rowCount);
  }
  for (const [space, lists] of sparse) {
    add(PART.sparse(space, 'entries'), lists.entries);
    add(PART.sparse(space, 'ends'), lists.ends);
    add(PART.sparse(space, 'postings'), lists.data, SMALL_PIECE);
  }
  for (const [field, column] of columns) add(PART.column(field), encodeColumn(column));
  return parts;
}

/** Reads a whole segment, for merging. `read` gives the bytes of a part, empty when there is none. */
export function decodeSegment(
  names: readonly string[],
  read: (part: string) => Uint8Array,
  widthOf: (space: string) => number,
): SegmentContents {
  const strings = (bytes: string, ends: string): string[] =>
    allStrings(stringTable({ bytes: read(bytes), ends: asUint32(read(ends)) }));
  const after = (prefix: string): string[] =>
    names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  return {
    ordinals: asUint32(read(PART.ordinals)),
    ids: strings(PART.ids, PART.idEnds),
    lengths: asUint32(read(PART.lengths)),
    postings: {
      terms: strings(PART.terms, PART.termEnds),
      starts: asUint32(read(PART.starts)),
      sizes: asUint32(read(PART.sizes)),
      data: read(PART.postings),
    },
    spaces: new Map(after(CODES_PREFIX).map((space) => [space, decodeSpace(space, read, widthOf(space))])),
    sparse: new Map(after(ENTRIES_PREFIX).map((space) => [space, decodeSparse(space, read)])),
    columns: new Map(after(COLUMN_PREFIX).map((field) => [field, decodeColumn(read(PART.column(field)))])),
  };
}

function decodeSpace(space: string, read: (part: string) => Uint8Array, width: number): SpaceVectors {
  const codes = read(PART.space(space, 'codes'));
  return {
    codes: new Int8Array(codes.buffer, codes.byteOffset, codes.byteLength),
    scales: asFloat32(read(PART.space(space, 'scales'))),
    width,
    firstRow: asUint32(read(PART.space(space, 'first'))),
    rowCount: asUint32(read(PART.space(space, 'count'))),
  };
}

const decodeSparse = (space: string, read: (part: string) => Uint8Array): SparsePostings => ({
  entries: asUint32(read(PART.sparse(space, 'entries'))),
  ends: asUint32(read(PART.sparse(space, 'ends'))),
  data: read(PART.sparse(space, 'postings')),
});

/** One segment of several neighbouring ones, without the rows for which `keep` says no. */
export function mergeSegments(
  inputs: readonly { readonly contents: SegmentContents; readonly keep: (ordinal: number) => boolean }[],
): SegmentContents {
  let rows = 0;
  const plans = inputs.map(({ contents, keep }) => {
    const kept: number[] = [];
    const newRow = Uint32Array.from(contents.ordinals, (ordinal, row) => {
      if (!keep(ordinal)) return DROPPED;
      kept.push(row);
      return rows++;
    });
    return { contents, newRow, kept: Uint32Array.from(kept) };
  });

  const ordinals = new Uint32Array(rows);
  const lengths = new Uint32Array(rows * FIELD_COUNT);
  const ids: string[] = [];
  for (const { contents, kept } of plans) {
    for (const row of kept) {
      ordinals[ids.length] = contents.ordinals[row] as number;
      lengths.set(contents.lengths.subarray(row * FIELD_COUNT, (row + 1) * FIELD_COUNT), ids.length * FIELD_COUNT);
      ids.push(contents.ids[row] as string);
    }
  }

  const spaces = new Set(plans.flatMap(({ contents }) => [...contents.spaces.keys()]));
  const sparse = new Set(plans.flatMap(({ contents }) => [...contents.sparse.keys()]));
  return {
    ordinals,
    ids,
    lengths,
    postings: mergePostings(plans.map(({ contents, newRow }) => ({ postings: contents.postings, newRow }))),
    spaces: new Map(
      [...spaces].map((space) => [
        space,
        mergeVectors(plans.flatMap(({ contents, newRow }) => vectorsOf(contents, space, newRow))),
      ]),
    ),
    sparse: new Map([...sparse].map((space) => [space, mergeSparse(plans.flatMap((plan) => listsOf(plan, space)))])),
    columns: mergeColumns(plans.map(({ contents, kept }) => ({ columns: contents.columns, kept }))),
  };
}

function listsOf(
  { contents, newRow }: { readonly contents: SegmentContents; readonly newRow: Uint32Array },
  space: string,
): { readonly postings: SparsePostings; readonly newRow: Uint32Array }[] {
  const postings = contents.sparse.get(space);
  return postings === undefined ? [] : [{ postings, newRow }];
}

interface MovedVectors {
  readonly vectors: SpaceVectors;
  readonly newRow: Uint32Array;
}

function vectorsOf(contents: SegmentContents, space: string, newRow: Uint32Array): MovedVectors[] {
  const vectors = contents.spaces.get(space);
  return vectors === undefined ? [] : [{ vectors, newRow }];
}

function mergeVectors(inputs: readonly MovedVectors[]): SpaceVectors {
  const width = inputs[0]?.vectors.width ?? 0;
  const most = inputs.reduce((sum, { vectors }) => sum + vectors.scales.length, 0);
  const [codes, scales] = [new Int8Array(most * width), new Float32Array(most)];
  const [firstRow, rowCount] = [new Uint32Array(most), new Uint32Array(most)];
  let count = 0;
  for (const { vectors, newRow } of inputs) {
    for (const [i, first] of vectors.firstRow.entries()) {
      // Chunks of a document live and die together, so the rows of one vector are all kept or all dropped.
      const row = newRow[first] as number;
      if (row === DROPPED) continue;
      codes.set(vectors.codes.subarray(i * width, (i + 1) * width), count * width);
      scales[count] = vectors.scales[i] as number;
      firstRow[count] = row;
      rowCount[count] = vectors.rowCount[i] as number;
      count++;
    }
  }
  return {
    codes: codes.subarray(0, count * width),
    scales: scales.subarray(0, count),
    width,
    firstRow: firstRow.subarray(0, count),
    rowCount: rowCount.subarray(0, count),
  };
}
