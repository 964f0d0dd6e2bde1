/**
 * Which chunks a learned sparse space gives a weight for each entry of its vocabulary. Weights are kept as the model
 * gave them (float32), so that scores are exact. An entry's list is two arrays one behind the other:
 *
 *     rows     uint32, ascending rows of the segment
 *     weights  float32, one a row
 */
import type { SparseVector } from '../../core/types.ts';
import { asFloat32, asUint32, lowerBound } from './binary.ts';
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

/** Collects (entry, row, weight) in the order of rows, and sorts by entry at the end. Weights of 0 are left out. */
export function sparseBuilder(): SparseBuilder {
  /** An entry's place in `lengths`. */
  const numbers = new Map<number, number>();
  const lengths: number[] = [];
  // Parallel arrays, one element a weight; an entry is given by its number.
  let entries = new Uint32Array(1024);
  let rows = new Uint32Array(1024);
  let weights = new Float32Array(1024);
  let count = 0;

  return {
    add(row, { indices, values }) {
      if (count + indices.length > rows.length) {
        const size = 2 * (count + indices.length);
        const before = { entries, rows, weights };
        [entries, rows, weights] = [new Uint32Array(size), new Uint32Array(size), new Float32Array(size)];
        entries.set(before.entries);
        rows.set(before.rows);
        weights.set(before.weights);
      }
      for (let i = 0; i < indices.length; i++) {
        const weight = values[i] as number;
        if (weight === 0) continue;
        const entry = indices[i] as number;
        let number = numbers.get(entry);
        if (number === undefined) {
          numbers.set(entry, (number = numbers.size));
          lengths.push(0);
        }
        lengths[number] = (lengths[number] as number) + 1;
        entries[count] = number;
        rows[count] = row;
        weights[count++] = weight;
      }
    },
    finish() {
      const postings = layOut(new Map([...numbers].map(([entry, number]) => [entry, lengths[number] as number])));
      const lists = Array.from(numbers.keys(), (entry) => listOf(postings, entry));
      const filled = new Uint32Array(lists.length);
      for (let i = 0; i < count; i++) {
        const number = entries[i] as number;
        const list = lists[number] as WeightList;
        const at = filled[number] as number;
        list.rows[at] = rows[i] as number;
        list.weights[at] = weights[i] as number;
        filled[number] = at + 1;
      }
      return postings;
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
  const merged = layOut(counts);
  const filled = new Map<number, number>();
  for (const { postings, newRow } of inputs) {
    for (const { entry, rows, weights } of eachList(postings)) {
      if (!counts.has(entry)) continue;
      const list = listOf(merged, entry);
      let length = filled.get(entry) ?? 0;
      for (let i = 0; i < rows.length; i++) {
        const row = newRow[rows[i] as number] as number;
        if (row === DROPPED) continue;
        list.rows[length] = row;
        list.weights[length++] = weights[i] as number;
      }
      filled.set(entry, length);
    }
  }
  return merged;
}

function* eachList(postings: SparsePostings): Generator<WeightList & { readonly entry: number }> {
  let start = 0;
  for (const [i, entry] of postings.entries.entries()) {
    const end = (postings.ends[i] as number) * POSTING_BYTES;
    yield { entry, ...decodeWeights(postings.data.subarray(start, end)) };
    start = end;
  }
}

/** Room for lists of known lengths, to be filled. */
function layOut(lengths: ReadonlyMap<number, number>): SparsePostings {
  const entries = Uint32Array.from(lengths.keys()).sort();
  let end = 0;
  const ends = Uint32Array.from(entries, (entry) => (end += lengths.get(entry) as number));
  return { entries, ends, data: new Uint8Array(end * POSTING_BYTES) };
}

/** The list of an entry that occurs, as views of `data`. */
function listOf(postings: SparsePostings, entry: number): WeightList {
  const { start = 0, end = 0 } = listRange(postings, entry) ?? {};
  return decodeWeights(postings.data.subarray(start, end));
}
