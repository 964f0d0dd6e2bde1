/**
 * Exact nearest neighbours: every int8 vector is scanned, then the candidates that could be among the best are scored
 * with their exact vectors, until no other candidate can reach them.
 */
import type { Filter } from '../../core/filter.ts';
import { dot } from '../dot.ts';
import { lowerBound } from './binary.ts';
import { eligibleRows } from './filter-mask.ts';
import type { Kernel } from './kernel.ts';
import type { LoadedSegment, LoadedSpace } from './loaded-segment.ts';
import { paddedWidth, quantizeQuery, scoreError } from './quantize.ts';
import { bestFirst, topList } from './top-list.ts';
import type { Scored } from './top-list.ts';

export interface DenseQuery {
  readonly space: string;
  readonly vector: Float32Array;
  readonly topK: number;
  readonly filter?: Filter;
}

/** Exact vectors by ordinal of the first chunk that has them. */
export type ExactVectors = (ordinals: readonly number[]) => ReadonlyMap<number, Float32Array>;

/** Vectors scanned in one call: their scores stay in the processor's cache until they are looked at. */
const BLOCK = 8192;

/** Candidates kept, in multiples of topK: of the first lot 1.04 to 1.3 × topK turned out to be within reach. */
const CANDIDATES = 2;
const MORE_CANDIDATES = 4;
const MOST_CANDIDATES = 48;

/** Best first; rows count through all segments. */
export function searchDense(
  segments: readonly LoadedSegment[],
  query: DenseQuery,
  kernel: Kernel,
  exactVectors: ExactVectors,
): Scored[] {
  if (query.topK <= 0) return [];
  for (let factor = CANDIDATES; ; factor *= MORE_CANDIDATES) {
    const capacity = query.topK * factor;
    const { candidates, error } = scan(segments, query, kernel, capacity);
    const { best, certain } = rescore(segments, query, candidates, error, exactVectors);
    // Beyond this, so many vectors are alike that their order of storage decides, which the scan has kept.
    if (certain || candidates.length < capacity || factor >= MOST_CANDIDATES) return best;
  }
}

function scan(
  segments: readonly LoadedSegment[],
  { space: name, vector, filter }: DenseQuery,
  kernel: Kernel,
  capacity: number,
): { readonly candidates: Scored[]; readonly error: number } {
  const best = topList(capacity);
  const width = paddedWidth(vector.length);
  const { codes, scale } = quantizeQuery(vector);
  const spaces = segments.map((segment) => segment.space(name));
  const query = kernel.allocate(codes.byteLength);
  const out = kernel.allocate(BLOCK * Float32Array.BYTES_PER_ELEMENT);
  new Int16Array(kernel.memory(), query, width).set(codes);

  let base = 0;
  let error = 0;
  for (const [i, segment] of segments.entries()) {
    const space = spaces[i];
    if (space !== undefined) {
      error = Math.max(error, scoreError(space.largestScale));
      const eligible = eligibleRows(segment, filter);
      for (const { start, count } of blocks(space, eligible)) {
        kernel.scan(space.codes + start * width, space.scales + start * 4, query, scale, width, count, out);
        const scores = new Float32Array(kernel.memory(), out, count);
        collect(scores, space, start, eligible, base, best);
      }
    }
    base += segment.rows;
  }
  kernel.release(query);
  kernel.release(out);
  return { candidates: best.sorted(), error };
}

interface Block {
  readonly start: number;
  readonly count: number;
}

/** Vectors without an eligible row between two that have one: fewer are scanned along, more are skipped. */
const GAP = 16;

/** What to scan: with a filter only where rows pass it, so that a narrow one saves what its mask has cost. */
function* blocks({ count, firstRow, rowCount }: LoadedSpace, eligible: Uint8Array | undefined): Generator<Block> {
  if (eligible === undefined) {
    for (let start = 0; start < count; start += BLOCK) yield { start, count: Math.min(BLOCK, count - start) };
    return;
  }
  let start = -1;
  let end = 0;
  for (let i = 0; i < count; i++) {
    const first = firstRow[i] as number;
    const behind = first + (rowCount[i] as number);
    let row = first;
    while (row < behind && eligible[row] === 0) row++;
    if (row === behind) continue;
    if (start >= 0 && i - end < GAP && i - start < BLOCK) end = i + 1;
    else {
      if (start >= 0) yield { start, count: end - start };
      start = i;
      end = i + 1;
    }
  }
  if (start >= 0) yield { start, count: end - start };
}

/** Offers the rows of each vector whose score is high enough. */
function collect(
  scores: Float32Array,
  { firstRow, rowCount }: LoadedSpace,
  start: number,
  eligible: Uint8Array | undefined,
  base: number,
  best: ReturnType<typeof topList>,
): void {
  let floor = best.floor;
  for (let i = 0; i < scores.length; i++) {
    const score = scores[i] as number;
    if (score <= floor) continue;
    const first = firstRow[start + i] as number;
    const end = first + (rowCount[start + i] as number);
    for (let row = first; row < end; row++) {
      if (eligible === undefined || eligible[row] === 1) best.offer(base + row, score);
    }
    floor = best.floor;
  }
}

/** `certain`: no candidate that was left out of the scan's list can belong to the best. */
function rescore(
  segments: readonly LoadedSegment[],
  { space, vector, topK }: DenseQuery,
  candidates: readonly Scored[],
  error: number,
  exactVectors: ExactVectors,
): { readonly best: Scored[]; readonly certain: boolean } {
  const locate = vectorOrdinals(segments, space);
  let best: Scored[] = [];
  for (let done = 0; done < candidates.length;) {
    const worst = best.length < topK ? -Infinity : (best.at(-1) as Scored).score;
    const reach = candidates.findIndex(({ score }, i) => i >= done && score + error < worst);
    const batch = candidates.slice(done, Math.min(reach === -1 ? candidates.length : reach, done + topK));
    if (batch.length === 0) return { best, certain: true };
    best = [...best, ...exactScores(batch, vector, locate, exactVectors)].sort(bestFirst).slice(0, topK);
    done += batch.length;
  }
  const last = candidates.at(-1);
  const worst = best.at(-1);
  return { best, certain: last === undefined || worst === undefined || last.score + error < worst.score };
}

function exactScores(
  batch: readonly Scored[],
  query: Float32Array,
  locate: (row: number) => number,
  exactVectors: ExactVectors,
): Scored[] {
  const ordinals = batch.map(({ row }) => locate(row));
  const vectors = exactVectors([...new Set(ordinals)]);
  return batch.map(({ row }, i) => {
    const vector = vectors.get(ordinals[i] as number);
    if (vector?.length !== query.length) throw new RangeError(`vector of chunk ${ordinals[i]}`);
    return { row, score: dot(query, vector) };
  });
}

/** The ordinal under which a row's vector is stored: that of the first row that shares it. */
function vectorOrdinals(segments: readonly LoadedSegment[], name: string): (row: number) => number {
  const bases: number[] = [];
  let rows = 0;
  for (const segment of segments) {
    bases.push(rows);
    rows += segment.rows;
  }
  return (row) => {
    const at = bases.findLastIndex((base) => base <= row);
    const segment = segments[at] as LoadedSegment;
    const { firstRow } = segment.space(name) as LoadedSpace;
    const vector = lowerBound(firstRow, row - (bases[at] as number) + 1) - 1;
    return segment.ordinals()[firstRow[vector] as number] as number;
  };
}
