/**
 * Which chunks contain a term, and how often in each field. A term's list is two arrays one behind the other:
 *
 *     rows    uint32, ascending rows of the segment
 *     counts  four a row (path, title, heading, body): uint8, or uint32 where a count of the list exceeds 255
 */
import { FIELD_COUNT } from '../bm25.ts';
import { asUint32, bytesOf } from './binary.ts';

export interface PostingList {
  readonly rows: Uint32Array;
  readonly counts: Uint8Array | Uint32Array;
}

/** All lists of a segment. */
export interface Postings {
  /** Sorted by code units. */
  readonly terms: readonly string[];
  /** Where each list begins in `data`, in units of 4 bytes. */
  readonly starts: Uint32Array;
  /** Twice the number of rows, plus 1 where the counts are wide. */
  readonly sizes: Uint32Array;
  readonly data: Uint8Array;
}

export const rowCount = (size: number): number => size >>> 1;

const isWide = (size: number): boolean => (size & 1) === 1;

/** Length of a list in bytes, always a multiple of 4. */
export const listBytes = (size: number): number => rowCount(size) * (isWide(size) ? 20 : 8);

/** @param bytes exactly one list */
export function decodeList(bytes: Uint8Array, size: number): PostingList {
  const split = rowCount(size) * 4;
  const counts = bytes.subarray(split, listBytes(size));
  return { rows: asUint32(bytes.subarray(0, split)), counts: isWide(size) ? asUint32(counts) : counts };
}

/** Two terms that count as one: rows of either, counts added up. */
export function unionLists(a: PostingList, b: PostingList): PostingList {
  const rows = new Uint32Array(a.rows.length + b.rows.length);
  const counts = new Uint32Array(rows.length * FIELD_COUNT);
  const add = (from: PostingList, index: number, at: number): void => {
    for (let field = 0; field < FIELD_COUNT; field++) {
      const target = at * FIELD_COUNT + field;
      counts[target] = (counts[target] as number) + (from.counts[index * FIELD_COUNT + field] as number);
    }
  };
  let [i, j, length] = [0, 0, 0];
  for (; i < a.rows.length || j < b.rows.length; length++) {
    const row = Math.min(a.rows[i] ?? Infinity, b.rows[j] ?? Infinity);
    rows[length] = row;
    if (a.rows[i] === row) add(a, i++, length);
    if (b.rows[j] === row) add(b, j++, length);
  }
  return { rows: rows.subarray(0, length), counts: counts.subarray(0, length * FIELD_COUNT) };
}

export interface PostingsBuilder {
  /** Terms by field of the next row. */
  add(fields: readonly (readonly string[])[]): void;
  finish(): Postings;
}

/** Collects (term, row, counts) in the order of rows, and sorts by term at the end. */
export function postingsBuilder(): PostingsBuilder {
  const numbers = new Map<string, number>();
  /** By term: its last entry in the arrays below. */
  const latest: number[] = [];
  let terms = new Uint32Array(1024);
  let rows = new Uint32Array(1024);
  let counts = new Uint32Array(1024 * FIELD_COUNT);
  let length = 0;
  let row = 0;

  const append = (term: number): number => {
    if (length === terms.length) {
      terms = doubled(terms);
      rows = doubled(rows);
      counts = doubled(counts);
    }
    terms[length] = term;
    rows[length] = row;
    latest[term] = length;
    return length++;
  };

  return {
    add(fields) {
      for (const [field, list] of fields.entries()) {
        for (const text of list) {
          let term = numbers.get(text);
          let entry: number;
          if (term === undefined) {
            numbers.set(text, (term = numbers.size));
            entry = append(term);
          } else {
            entry = latest[term] as number;
            if (rows[entry] !== row) entry = append(term);
          }
          const at = entry * FIELD_COUNT + field;
          counts[at] = (counts[at] as number) + 1;
        }
      }
      row++;
    },

    finish() {
      // Without a comparison function: by code units, as `<` compares, and several times as fast.
      const sorted = [...numbers.keys()].sort();
      const place = new Uint32Array(sorted.length);
      for (const [i, text] of sorted.entries()) place[numbers.get(text) as number] = i;

      const sizes = new Uint32Array(sorted.length);
      for (let i = 0; i < length; i++) {
        const at = place[terms[i] as number] as number;
        sizes[at] = ((sizes[at] as number) + 2) | (exceedsByte(counts, i * FIELD_COUNT) ? 1 : 0);
      }
      const writer = listWriter(sizes);
      for (let i = 0; i < length; i++) {
        writer.append(place[terms[i] as number] as number, rows[i] as number, counts, i * FIELD_COUNT);
      }
      return { terms: sorted, ...writer.finish() };
    },
  };
}

/**
 * The lists of several segments one behind the other.
 * @param inputs `newRow` gives each row's place in the result, or {@link DROPPED}
 */
export function mergePostings(
  inputs: readonly { readonly postings: Postings; readonly newRow: Uint32Array }[],
): Postings {
  const groups = groupByTerm(inputs.map(({ postings }) => postings.terms));
  const terms: string[] = [];
  const sizes: number[] = [];
  const kept: (readonly Occurrence[])[] = [];
  for (const { term, occurrences } of groups) {
    let size = 0;
    for (const { input, index } of occurrences) {
      const { postings, newRow } = inputs[input] as (typeof inputs)[number];
      const { rows } = listAt(postings, index);
      for (let i = 0; i < rows.length; i++) if (newRow[rows[i] as number] !== DROPPED) size += 2;
      size |= (postings.sizes[index] as number) & 1;
    }
    if (rowCount(size) === 0) continue;
    terms.push(term);
    sizes.push(size);
    kept.push(occurrences);
  }

  const writer = listWriter(Uint32Array.from(sizes));
  for (const [term, occurrences] of kept.entries()) {
    for (const { input, index } of occurrences) {
      const { postings, newRow } = inputs[input] as (typeof inputs)[number];
      const { rows, counts } = listAt(postings, index);
      for (let i = 0; i < rows.length; i++) {
        const row = newRow[rows[i] as number] as number;
        if (row !== DROPPED) writer.append(term, row, counts, i * FIELD_COUNT);
      }
    }
  }
  return { terms, ...writer.finish() };
}

export const DROPPED = 0xffffffff;

interface Occurrence {
  readonly input: number;
  readonly index: number;
}

/** Walks several sorted lists of terms side by side. */
function* groupByTerm(lists: readonly (readonly string[])[]): Generator<{ term: string; occurrences: Occurrence[] }> {
  const next = lists.map(() => 0);
  for (;;) {
    let term: string | undefined;
    for (const [i, list] of lists.entries()) {
      const head = list[next[i] as number];
      if (head !== undefined && (term === undefined || head < term)) term = head;
    }
    if (term === undefined) return;
    const occurrences: Occurrence[] = [];
    for (const [input, list] of lists.entries()) {
      const index = next[input] as number;
      if (list[index] !== term) continue;
      occurrences.push({ input, index });
      next[input] = index + 1;
    }
    yield { term, occurrences };
  }
}

function listAt({ data, starts, sizes }: Postings, index: number): PostingList {
  const start = (starts[index] as number) * 4;
  const size = sizes[index] as number;
  return decodeList(data.subarray(start, start + listBytes(size)), size);
}

type Four = [number, number, number, number];

interface ListWriter {
  append(term: number, row: number, counts: Uint8Array | Uint32Array, at: number): void;
  finish(): Omit<Postings, 'terms'>;
}

/** Fills lists whose sizes are known; each list in the order of its rows. */
function listWriter(sizes: Uint32Array): ListWriter {
  const starts = new Uint32Array(sizes.length);
  let words = 0;
  for (const [i, size] of sizes.entries()) {
    starts[i] = words;
    words += listBytes(size) / 4;
  }
  const data = new Uint32Array(words);
  const bytes = bytesOf(data);
  const filled = new Uint32Array(sizes.length);
  return {
    append(term, row, counts, at) {
      const start = starts[term] as number;
      const size = sizes[term] as number;
      const done = filled[term] as number;
      filled[term] = done + 1;
      data[start + done] = row;
      const behind = start + rowCount(size);
      const [path, title, heading, body] = [counts[at], counts[at + 1], counts[at + 2], counts[at + 3]] as Four;
      if (isWide(size)) data.set([path, title, heading, body], behind + done * FIELD_COUNT);
      else data[behind + done] = path | (title << 8) | (heading << 16) | (body << 24);
    },
    finish: () => ({ starts, sizes, data: bytes }),
  };
}

function exceedsByte(counts: Uint32Array, at: number): boolean {
  let bits = 0;
  for (let i = at; i < at + FIELD_COUNT; i++) bits |= counts[i] as number;
  return bits > 255;
}

function doubled(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}
