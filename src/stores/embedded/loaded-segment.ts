/** A segment as a reader has it: what is asked for is read once and kept; vectors go straight into wasm memory. */
import type { Database } from '../sqlite.ts';
import { FIELD_COUNT } from '../bm25.ts';
import { asUint32, findString, lowerBound, stringTable } from './binary.ts';
import type { StringTable } from './binary.ts';
import { decodeColumn } from './columns.ts';
import type { Column } from './columns.ts';
import type { Kernel } from './kernel.ts';
import { eachPiece, readPart, readRange } from './parts.ts';
import type { PartDirectory } from './parts.ts';
import type { PostingCache } from './posting-cache.ts';
import { decodeList, listBytes } from './postings.ts';
import type { PostingList } from './postings.ts';
import { PART } from './segment.ts';
import { decodeWeights, listRange } from './sparse-postings.ts';
import type { SparsePostings, WeightList } from './sparse-postings.ts';

/** Of all segments together. */
export interface ListCaches {
  readonly postings: PostingCache<PostingList>;
  readonly weights: PostingCache<WeightList>;
}

export interface SegmentRow {
  readonly id: number;
  readonly rows: number;
  readonly first_ordinal: number;
  readonly last_ordinal: number;
}

export interface LoadedSegment {
  readonly id: number;
  readonly rows: number;
  readonly firstOrdinal: number;
  readonly lastOrdinal: number;
  /** Rows that are not dead. */
  readonly live: number;
  /** By row, 1 or 0; undefined while all rows are alive. */
  readonly alive: Uint8Array | undefined;
  /** Scores of one query, a number a row; belongs to whoever searches. */
  readonly scores: () => Float64Array;
  readonly ordinals: () => Uint32Array;
  readonly ids: () => StringTable;
  /** Terms in each field, four a row. */
  readonly lengths: () => Uint32Array;
  /** Sums of `lengths` over the living rows, by field. */
  readonly totals: () => readonly number[];
  list(term: string): PostingList | undefined;
  /** What a sparse space says of an entry of its vocabulary. */
  weights(space: string, entry: number): WeightList | undefined;
  space(name: string): LoadedSpace | undefined;
  column(field: string): Column | undefined;
  /** Marks the chunks of a document as dead. */
  bury(firstOrdinal: number, count: number): void;
  /** Gives wasm memory back. */
  release(): void;
}

/** Of one sparse space: which entries have a list, and where. */
type SparseEntries = Pick<SparsePostings, 'entries' | 'ends'>;

export interface LoadedSpace {
  /** Addresses in the kernel's memory. */
  readonly codes: number;
  readonly scales: number;
  readonly count: number;
  readonly largestScale: number;
  readonly firstRow: Uint32Array;
  readonly rowCount: Uint32Array;
}

export function loadSegment(
  db: Database,
  { id, rows, first_ordinal: firstOrdinal, last_ordinal: lastOrdinal }: SegmentRow,
  kernel: () => Kernel,
  caches: ListCaches,
): LoadedSegment {
  const directory = once(() => readDirectory(db, id));
  const part = (name: string): Uint8Array => {
    const size = directory()[name];
    return size === undefined ? new Uint8Array(0) : readPart(db, id, name, size);
  };
  const numbers = (name: string): (() => Uint32Array) => once(() => asUint32(part(name)));
  const strings = (bytes: string, ends: string): (() => StringTable) =>
    once(() => stringTable({ bytes: part(bytes), ends: asUint32(part(ends)) }));

  const ordinals = numbers(PART.ordinals);
  const lengths = numbers(PART.lengths);
  const terms = strings(PART.terms, PART.termEnds);
  const starts = numbers(PART.starts);
  const sizes = numbers(PART.sizes);
  const spaces = new Map<string, LoadedSpace | undefined>();
  const sparse = new Map<string, SparseEntries>();
  const columns = new Map<string, Column | undefined>();
  let alive: Uint8Array | undefined;
  let live = rows;
  let totals: readonly number[] | undefined;

  const readList = (index: number): PostingList => {
    const postings = directory()[PART.postings];
    const size = sizes()[index] as number;
    const start = (starts()[index] as number) * 4;
    if (postings === undefined) throw new RangeError(`postings of segment ${id}`);
    return decodeList(readRange(db, id, PART.postings, postings, start, start + listBytes(size)), size);
  };

  const sparseEntries = (space: string): SparseEntries => {
    let known = sparse.get(space);
    if (known === undefined) {
      known = {
        entries: asUint32(part(PART.sparse(space, 'entries'))),
        ends: asUint32(part(PART.sparse(space, 'ends'))),
      };
      sparse.set(space, known);
    }
    return known;
  };
  const readWeights = (space: string, { start, end }: { readonly start: number; readonly end: number }): WeightList => {
    const name = PART.sparse(space, 'postings');
    const size = directory()[name];
    if (size === undefined) throw new RangeError(`${name} of segment ${id}`);
    return decodeWeights(readRange(db, id, name, size, start, end));
  };

  return {
    id,
    rows,
    firstOrdinal,
    lastOrdinal,
    get live() {
      return live;
    },
    get alive() {
      return alive;
    },
    scores: once(() => new Float64Array(rows)),
    ordinals,
    ids: strings(PART.ids, PART.idEnds),
    lengths,
    totals: () => (totals ??= sumLengths(lengths(), alive)),
    list(term) {
      const index = findString(terms(), term);
      return index === -1 ? undefined : caches.postings(`${id} ${index}`, () => readList(index));
    },
    weights(space, entry) {
      const range = listRange(sparseEntries(space), entry);
      return range && caches.weights(`${id} ${entry} ${space}`, () => readWeights(space, range));
    },
    space(name) {
      if (!spaces.has(name)) spaces.set(name, loadSpace(db, id, directory(), name, kernel()));
      return spaces.get(name);
    },
    column(field) {
      if (!columns.has(field)) {
        const bytes = part(PART.column(field));
        columns.set(field, bytes.length === 0 ? undefined : decodeColumn(bytes));
      }
      return columns.get(field);
    },
    bury(first, count) {
      alive ??= new Uint8Array(rows).fill(1);
      totals = undefined;
      const all = ordinals();
      for (let row = lowerBound(all, first); row < rows && (all[row] as number) < first + count; row++) {
        live -= alive[row] as number;
        alive[row] = 0;
      }
    },
    release() {
      for (const space of spaces.values()) {
        if (space === undefined) continue;
        kernel().release(space.codes);
        kernel().release(space.scales);
      }
      spaces.clear();
    },
  };
}

function readDirectory(db: Database, id: number): PartDirectory {
  const row = db.prepare<{ parts: string }>('SELECT parts FROM segments WHERE id = ?').get(id);
  return JSON.parse(row?.parts ?? '') as PartDirectory;
}

function loadSpace(
  db: Database,
  segment: number,
  directory: PartDirectory,
  space: string,
  kernel: Kernel,
): LoadedSpace | undefined {
  const intoKernel = (what: 'codes' | 'scales'): number => {
    const name = PART.space(space, what);
    const size = directory[name];
    if (size === undefined) throw new RangeError(`${name} in segment ${segment}`);
    const address = kernel.allocate(size.bytes);
    let at = address;
    eachPiece(db, segment, name, size, (piece) => {
      new Uint8Array(kernel.memory(), at).set(piece);
      at += piece.byteLength;
    });
    return address;
  };
  const rowNumbers = (what: 'first' | 'count'): Uint32Array => {
    const name = PART.space(space, what);
    const size = directory[name];
    return size === undefined ? new Uint32Array(0) : asUint32(readPart(db, segment, name, size));
  };
  const firstRow = rowNumbers('first');
  if (firstRow.length === 0) return undefined;
  const scales = intoKernel('scales');
  const largestScale = new Float32Array(kernel.memory(), scales, firstRow.length).reduce((a, b) => Math.max(a, b), 0);
  const codes = intoKernel('codes');
  return { codes, scales, count: firstRow.length, largestScale, firstRow, rowCount: rowNumbers('count') };
}

function sumLengths(lengths: Uint32Array, alive: Uint8Array | undefined): number[] {
  const totals = new Array<number>(FIELD_COUNT).fill(0);
  for (let row = 0, at = 0; at < lengths.length; row++) {
    for (let field = 0; field < FIELD_COUNT; field++, at++) {
      if (alive?.[row] !== 0) totals[field] = (totals[field] as number) + (lengths[at] as number);
    }
  }
  return totals;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
