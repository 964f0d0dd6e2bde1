/** Gathers chunks that are in no segment yet. */
import type { Chunk, SparseVector } from '../../core/types.ts';
import type { Analyzer } from '../../text/analyze.ts';
import { FIELD_COUNT, fieldTexts } from '../bm25.ts';
import { columnsBuilder } from './columns.ts';
import { postingsBuilder } from './postings.ts';
import { paddedWidth, quantizeRow } from './quantize.ts';
import { mergeSegments } from './segment.ts';
import type { SegmentContents, SpaceVectors } from './segment.ts';
import { sparseBuilder } from './sparse-postings.ts';
import type { SparseBuilder } from './sparse-postings.ts';

export interface NewChunk {
  readonly ordinal: number;
  readonly chunk: Chunk;
  readonly vectors: readonly ChunkVector[];
  /** By space. */
  readonly sparse: Readonly<Record<string, SparseVector>>;
}

export interface ChunkVector {
  readonly space: string;
  readonly vector: Float32Array;
  /** The chunk before it, in the same document, has the same vector. */
  readonly repeated: boolean;
}

export interface NewSegment {
  /** Chunks taken in, forgotten ones too. */
  readonly size: number;
  /** In ascending order of ordinals. */
  add(chunk: NewChunk): void;
  /** Forgets the chunks of a document that was replaced before its segment was written. */
  drop(firstOrdinal: number, count: number): void;
  finish(): SegmentContents;
}

export function newSegment(analyzer: Analyzer): NewSegment {
  const ordinals: number[] = [];
  const ids: string[] = [];
  const lengths: number[] = [];
  const dropped = new Set<number>();
  const spaces = new Map<string, GrowingSpace>();
  const sparseSpaces = new Map<string, SparseBuilder>();
  const [postings, columns] = [postingsBuilder(), columnsBuilder()];
  const shortTerms = memory(analyzer);

  return {
    get size() {
      return ordinals.length;
    },
    add({ ordinal, chunk, vectors, sparse }) {
      const row = ordinals.push(ordinal) - 1;
      ids.push(chunk.id);
      const body = FIELD_COUNT - 1;
      const terms = fieldTexts(chunk).map((text, field) =>
        field === body ? analyzer.terms(text, chunk.language) : shortTerms(text, chunk.language),
      );
      postings.add(terms);
      for (const list of terms) lengths.push(list.length);
      columns.add(chunk);
      for (const vector of vectors) addVector(spaces, vector, row);
      for (const [space, vector] of Object.entries(sparse)) {
        const builder = sparseSpaces.get(space) ?? sparseBuilder();
        sparseSpaces.set(space, builder);
        builder.add(row, vector);
      }
    },
    drop(firstOrdinal, count) {
      for (let i = 0; i < count; i++) dropped.add(firstOrdinal + i);
    },
    finish() {
      const contents: SegmentContents = {
        ordinals: Uint32Array.from(ordinals),
        ids,
        lengths: Uint32Array.from(lengths),
        postings: postings.finish(),
        spaces: new Map([...spaces].map(([space, vectors]) => [space, finishSpace(vectors)])),
        sparse: new Map([...sparseSpaces].map(([space, builder]) => [space, builder.finish()])),
        columns: columns.finish(),
      };
      if (dropped.size === 0) return contents;
      return mergeSegments([{ contents, keep: (ordinal) => !dropped.has(ordinal) }]);
    },
  };
}

interface GrowingSpace {
  readonly width: number;
  readonly codes: Int8Array[];
  readonly scales: number[];
  readonly firstRow: number[];
  readonly rowCount: number[];
}

function addVector(spaces: Map<string, GrowingSpace>, { space, vector, repeated }: ChunkVector, row: number): void {
  let grown = spaces.get(space);
  if (grown === undefined) {
    grown = { width: paddedWidth(vector.length), codes: [], scales: [], firstRow: [], rowCount: [] };
    spaces.set(space, grown);
  }
  if (repeated) {
    const last = grown.rowCount.length - 1;
    grown.rowCount[last] = (grown.rowCount[last] as number) + 1;
    return;
  }
  const codes = new Int8Array(grown.width);
  grown.scales.push(quantizeRow(vector, codes));
  grown.codes.push(codes);
  grown.firstRow.push(row);
  grown.rowCount.push(1);
}

function finishSpace({ width, codes, scales, firstRow, rowCount }: GrowingSpace): SpaceVectors {
  const joined = new Int8Array(codes.length * width);
  for (const [i, row] of codes.entries()) joined.set(row, i * width);
  return {
    codes: joined,
    scales: Float32Array.from(scales),
    width,
    firstRow: Uint32Array.from(firstRow),
    rowCount: Uint32Array.from(rowCount),
  };
}

/** Path, title and heading are the same for many chunks in a row: the last few results are enough. */
function memory(analyzer: Analyzer): (text: string, language: string) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  return (text, language) => {
    const key = `${language}\n${text}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size >= 64) known.clear();
    const terms = analyzer.terms(text, language);
    known.set(key, terms);
    return terms;
  };
}
