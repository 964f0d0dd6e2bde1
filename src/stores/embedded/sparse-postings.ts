/**
 * Which chunks a learned sparse space gives a weight for each entry of its vocabulary. Weights are kept as the model
 * gave them (float32), so that scores are exact. An entry's list is two arrays one behind the other:
 *
 *     rows     uint32, ascending rows of the segment
 *     weights  float32, one a row
 */
import type { SparseVector } from '../../core/types.ts';
import { asFloat32, asUint32, bytesOf, lowerBound } from './binary.ts';
import { DROPPED } from './postings.ts';

export interface WeightList {
  readonly rows: Uint32Array;
  readonly weights: Float32Array;
}

/** All lists of one space of a segment. */
export interface SparsePostings {
  /** Numbers of the vocabulary's entries that occur, ascending. */
  readonly entries: Uint32Array;
  /** Where each list ends in `data`, in postings: the next one begins there. */
  readonly ends: Uint32Array;
  readonly data: Uint8Array;
}

/** One row number and one weight. */
const POSTING_BYTES = 8;

/** Bytes `[start, end)` of an entry's list in `data`; undefined when no chunk of the segment has it. */
export function listRange(
  { entries, ends }: Pick<SparsePostings, 'entries' | 'ends'>,
  entry: number,
): { readonly start: number; readonly end: number } | undefined {
  const at = lowerBound(entries, entry);
  if (entries[at] !== entry) return undefined;
  return {
    start: (at === 0 ? 0 : (ends[at - 1] as number)) * POSTING_BYTES,
    end: (ends[at] as number) * POSTING_BYTES,
  };
}

/** @param bytes exactly one list */
export function decodeWeights(bytes: Uint8Array): WeightList {
  const split = bytes.byteLength / 2;
  return { rows: asUint32(bytes.subarray(0, split)), weights: asFloat32(bytes.subarray(split)) };
}

export interface SparseBuilder {
  /** In ascending order of rows. */
  add(row: number, vector: SparseVector): void;
  finish(): SparsePostings;
}

/** Collects (entry, row, weight), and sorts by entry at the end. Weights of 0 are left out. */
export function sparseBuilder(): SparseBuilder {
  const vectors: { readonly row: number; readonly vector: SparseVector }[] = [];
  const counts = new Map<number, number>();
  return {
    add(row, { indices, values }) {
      const vector = { indices: indices.slice(), values: values.slice() };
      vectors.push({ row, vector });
      for (const [i, entry] of vector.indices.entries()) {
        if (vector.values[i] !== 0) counts.set(entry, (counts.get(entry) ?? 0) + 1);
      }
    },
    finish() {
      const writer = listWriter(counts);
      for (const { row, vector } of vectors) {
        for (const [i, entry] of vector.indices.entries()) {
          const weight = vector.values[i] as number;
          if (weight !== 0) writer.append(entry, row, weight);
        }
      }
      return writer.finish();
    },
  };
}

/**
 * The lists of several segments one behind the other.
 * @param inputs `newRow` gives each row's place in the result, or {@link DROPPED}
 */
export function mergeSparse(
  inputs: readonly { readonly postings: SparsePostings; readonly newRow: Uint32Array }[],
): SparsePostings {
  const counts = new Map<number, number>();
  for (const { postings, newRow } of inputs) {
    for (const { entry, rows } of eachList(postings)) {
      let kept = 0;
      for (let i = 0; i < rows.length; i++) if (newRow[rows[i] as number] !== DROPPED) kept++;
      if (kept > 0) counts.set(entry, (counts.get(entry) ?? 0) + kept);
    }
  }
  const writer = listWriter(counts);
  for (const { postings, newRow } of inputs) {
    for (const { entry, rows, weights } of eachList(postings)) {
      for (let i = 0; i < rows.length; i++) {
        const row = newRow[rows[i] as number] as number;
        if (row !== DROPPED) writer.append(entry, row, weights[i] as number);
      }
    }
  }
  return writer.finish();
}

function* eachList(postings: SparsePostings): Generator<WeightList & { readonly entry: number }> {
  let start = 0;
  for (const [i, entry] of postings.entries.entries()) {
    const end = (postings.ends[i] as number) * POSTING_BYTES;
    yield { entry, ...decodeWeights(postings.data.subarray(start, end)) };
    start = end;
  }
}

interface ListWriter {
  append(entry: number, row: number, weight: number): void;
  finish(): SparsePostings;
}

/** Fills lists whose lengths are known; each list in the order of its rows. */
function listWriter(lengths: ReadonlyMap<number, number>): ListWriter {
  const entries = Uint32Array.from(lengths.keys()).sort();
  const ends = new Uint32Array(entries.length);
  const places = new Map<number, { at: number; readonly length: number }>();
  let end = 0;
  for (const [i, entry] of entries.entries()) {
    const length = lengths.get(entry) as number;
    places.set(entry, { at: end * 2, length });
    ends[i] = end += length;
  }
  const rows = new Uint32Array(end * 2);
  const weights = new Float32Array(rows.buffer);
  return {
    append(entry, row, weight) {
      const place = places.get(entry) as { at: number; readonly length: number };
      rows[place.at] = row;
      weights[place.at + place.length] = weight;
      place.at++;
    },
    finish: () => ({ entries, ends, data: bytesOf(rows) }),
  };
}
