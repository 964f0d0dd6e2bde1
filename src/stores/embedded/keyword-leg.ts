/** BM25, one term after the other; statistics are counted over the chunks that are there, so they are exact. */
import type { LegRun, QueryTerm, StoreQuery } from '../../core/contracts.ts';
import type { QueryWord } from '../../text/analyze.ts';
import { COVERAGE_DEPTH, FIELD_COUNT, fieldWeights, inverseDocumentFrequency, lengthNorm, termScore } from '../bm25.ts';
import { lowerBound } from './binary.ts';
import { eligibleRows } from './filter-mask.ts';
import type { LoadedSegment } from './loaded-segment.ts';
import { unionLists } from './postings.ts';
import type { PostingList } from './postings.ts';
import type { Snapshot } from './snapshot.ts';
import { offerPositive, topList } from './top-list.ts';
import type { Scored } from './top-list.ts';

export type KeywordQuery = Omit<Extract<StoreQuery, { leg: 'keyword' }>, 'leg' | 'text'>;

export interface KeywordRun extends Omit<LegRun, 'hits'> {
  /** Best first; rows count through all segments. */
  readonly best: Scored[];
}

interface SearchedTerm extends QueryTerm {
  /** By segment. */
  readonly lists: readonly (PostingList | undefined)[];
}

/** Length norms by segment, kept as long as they are asked for with the same numbers. */
export type NormCache = WeakMap<LoadedSegment, { readonly key: string; readonly norms: Float64Array }>;

export function searchKeyword(
  { segments, live }: Snapshot,
  words: readonly QueryWord[],
  query: KeywordQuery,
  normCache: NormCache,
): KeywordRun {
  const weights = fieldWeights(query.fields);
  const terms = words.map((word) => searchedTerm(segments, word, live));
  const best = topList(Math.max(0, query.topK));
  const average = averageLength(segments, weights, live);

  let base = 0;
  for (const [i, segment] of segments.entries()) {
    const lists = terms.flatMap(({ idf, lists }) => {
      const list = lists[i];
      return list === undefined ? [] : [{ idf, list }];
    });
    if (lists.length > 0) {
      const norms = lengthNorms(segment, query, weights, average, normCache);
      const scores = segment.scores().fill(0);
      for (const { idf, list } of lists) addScores(scores, list, idf, query.k1, norms, weights);
      offerPositive(best, scores, eligibleRows(segment, query.filter), base);
    }
    base += segment.rows;
  }

  const hits = best.sorted();
  return {
    best: hits,
    terms: terms.map(({ term, variants, idf, chunks }) => ({ term, variants, idf, chunks })),
    coverage: hits.slice(0, COVERAGE_DEPTH).map(({ row }) => coverage(segments, terms, row)),
  };
}

/** A word with its postings; its variants share one list a segment and one document frequency. */
function searchedTerm(segments: readonly LoadedSegment[], { term, variants }: QueryWord, live: number): SearchedTerm {
  const lists = segments.map((segment) =>
    variants
      .map((variant) => segment.list(variant))
      .filter((list) => list !== undefined)
      .reduce<PostingList | undefined>((all, list) => (all === undefined ? list : unionLists(all, list)), undefined),
  );
  let chunks = 0;
  for (const [i, list] of lists.entries()) {
    if (list === undefined) continue;
    const alive = segments[i]?.alive;
    if (alive === undefined) chunks += list.rows.length;
    else for (let j = 0; j < list.rows.length; j++) chunks += alive[list.rows[j] as number] as number;
  }
  return { term, variants, idf: inverseDocumentFrequency(live, chunks), chunks, lists };
}

function averageLength(segments: readonly LoadedSegment[], weights: readonly number[], live: number): number {
  let sum = 0;
  for (const segment of segments) {
    for (const [field, total] of segment.totals().entries()) sum += (weights[field] as number) * total;
  }
  return sum / Math.max(1, live);
}

function lengthNorms(
  segment: LoadedSegment,
  { k1, b }: KeywordQuery,
  weights: readonly number[],
  average: number,
  cache: NormCache,
): Float64Array {
  const key = [k1, b, average, ...weights].join(' ');
  const known = cache.get(segment);
  if (known?.key === key) return known.norms;
  const lengths = segment.lengths();
  const norms = new Float64Array(segment.rows);
  for (let row = 0; row < norms.length; row++) {
    let length = 0;
    for (let field = 0; field < FIELD_COUNT; field++) {
      length += (weights[field] as number) * (lengths[row * FIELD_COUNT + field] as number);
    }
    norms[row] = lengthNorm(k1, b, length, average);
  }
  cache.set(segment, { key, norms });
  return norms;
}

function addScores(
  scores: Float64Array,
  { rows, counts }: PostingList,
  idf: number,
  k1: number,
  norms: Float64Array,
  weights: readonly number[],
): void {
  const [path = 0, title = 0, heading = 0, body = 0] = weights;
  for (let i = 0, at = 0; i < rows.length; i++, at += FIELD_COUNT) {
    const frequency =
      path * (counts[at] as number) +
      title * (counts[at + 1] as number) +
      heading * (counts[at + 2] as number) +
      body * (counts[at + 3] as number);
    if (frequency === 0) continue;
    const row = rows[i] as number;
    scores[row] = (scores[row] as number) + termScore(idf, frequency, k1, norms[row] as number);
  }
}

/** The share of the known terms' idf that a chunk contains. */
function coverage(segments: readonly LoadedSegment[], terms: readonly SearchedTerm[], row: number): number {
  let [at, local] = [0, row];
  while (local >= (segments[at] as LoadedSegment).rows) local -= (segments[at++] as LoadedSegment).rows;
  let [contained, known] = [0, 0];
  for (const { idf, lists, chunks } of terms) {
    if (chunks === 0) continue;
    const rows = lists[at]?.rows;
    if (rows !== undefined && rows[lowerBound(rows, local)] === local) contained += idf;
    known += idf;
  }
  return contained / known;
}
