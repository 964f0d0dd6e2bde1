/** Every leg by looking at every chunk: the reference for what the legs mean. */
import type { IndexSchema, LegRun, QueryTerm, StoreQuery } from '../core/contracts.ts';
import { matchesFilter } from '../core/filter.ts';
import type { Chunk, EmbeddedChunk, LegHit, SparseVector } from '../core/types.ts';
import type { Analyzer, QueryWord } from '../text/analyze.ts';
import { COVERAGE_DEPTH, chunkTerms, fieldWeights, inverseDocumentFrequency, lengthNorm, termScore } from './bm25.ts';
import { checkSparse, checkVector } from './checks.ts';
import { dot } from './dot.ts';

export interface IndexedChunk {
  readonly chunk: Chunk;
  readonly vectors: Readonly<Record<string, Float32Array>>;
  /** By space: weights by number of the vocabulary's entry. */
  readonly sparse: Readonly<Record<string, ReadonlyMap<number, number>>>;
  /** By field: how often each term occurs. */
  readonly counts: readonly ReadonlyMap<string, number>[];
  readonly lengths: readonly number[];
}

export function indexChunk({ chunk, vectors }: EmbeddedChunk, analyzer: Analyzer): IndexedChunk {
  const terms = chunkTerms(chunk, analyzer);
  const dense = Object.entries(vectors.dense).map(([space, vector]) => [space, vector.slice()] as const);
  const sparse = Object.entries(vectors.sparse ?? {}).map(([space, vector]) => [space, weightsOf(vector)] as const);
  return {
    chunk,
    vectors: Object.fromEntries(dense),
    sparse: Object.fromEntries(sparse),
    counts: terms.map(countTerms),
    lengths: terms.map((list) => list.length),
  };
}

const weightsOf = ({ indices, values }: SparseVector): Map<number, number> =>
  new Map(Array.from(indices, (index, i) => [index, values[i] as number]));

function countTerms(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

export function searchDense(
  chunks: readonly IndexedChunk[],
  query: Extract<StoreQuery, { leg: 'dense' }>,
  schema: IndexSchema,
): LegRun {
  checkVector(schema, query.space, query.vector);
  const hits: LegHit[] = [];
  for (const { chunk, vectors } of chunks) {
    const vector = vectors[query.space];
    if (vector === undefined || (query.filter !== undefined && !matchesFilter(chunk, query.filter))) continue;
    hits.push({ chunkId: chunk.id, score: dot(query.vector, vector) });
  }
  return { hits: best(hits, query.topK) };
}

export function searchSparse(
  chunks: readonly IndexedChunk[],
  query: Extract<StoreQuery, { leg: 'sparse' }>,
  schema: IndexSchema,
): LegRun {
  checkSparse(schema, query.space, query.vector);
  const wanted = weightsOf(query.vector);
  const hits: LegHit[] = [];
  for (const { chunk, sparse } of chunks) {
    const weights = sparse[query.space];
    if (weights === undefined || (query.filter !== undefined && !matchesFilter(chunk, query.filter))) continue;
    let score = 0;
    for (const [index, weight] of wanted) score += weight * (weights.get(index) ?? 0);
    if (score > 0) hits.push({ chunkId: chunk.id, score });
  }
  return { hits: best(hits, query.topK) };
}

export function searchKeyword(
  chunks: readonly IndexedChunk[],
  query: Extract<StoreQuery, { leg: 'keyword' }>,
  words: readonly QueryWord[],
): LegRun {
  const weights = fieldWeights(query.fields);
  const countIn = ({ counts }: IndexedChunk, { variants }: QueryWord, field: number): number =>
    variants.reduce((sum, variant) => sum + (counts[field]?.get(variant) ?? 0), 0);
  const contains = (chunk: IndexedChunk, word: QueryWord): boolean =>
    chunk.counts.some((_, field) => countIn(chunk, word, field) > 0);
  const lengthOf = ({ lengths }: IndexedChunk): number => weighted(weights, lengths);
  const average = chunks.reduce((sum, chunk) => sum + lengthOf(chunk), 0) / Math.max(1, chunks.length);

  const terms = words.map((word): QueryTerm => {
    const found = chunks.filter((chunk) => contains(chunk, word)).length;
    return { ...word, chunks: found, idf: inverseDocumentFrequency(chunks.length, found) };
  });

  const hits: LegHit[] = [];
  for (const indexed of chunks) {
    const norm = lengthNorm(query.k1, query.b, lengthOf(indexed), average);
    let score = 0;
    for (const term of terms) {
      const frequency = weighted(
        weights,
        indexed.counts.map((_, field) => countIn(indexed, term, field)),
      );
      if (frequency > 0) score += termScore(term.idf, frequency, query.k1, norm);
    }
    const passes = query.filter === undefined || matchesFilter(indexed.chunk, query.filter);
    if (score > 0 && passes) hits.push({ chunkId: indexed.chunk.id, score });
  }

  const run = best(hits, query.topK);
  const byId = new Map(chunks.map((indexed) => [indexed.chunk.id, indexed]));
  const known = terms.filter((term) => term.chunks > 0);
  const mass = known.reduce((sum, { idf }) => sum + idf, 0);
  const coverage = run.slice(0, COVERAGE_DEPTH).map(({ chunkId }) => {
    const indexed = byId.get(chunkId) as IndexedChunk;
    return known.reduce((sum, term) => sum + (contains(indexed, term) ? term.idf : 0), 0) / mass;
  });
  return { hits: run, terms, coverage };
}

const weighted = (weights: readonly number[], counts: readonly number[]): number =>
  counts.reduce((sum, count, field) => sum + (weights[field] as number) * count, 0);

/** `sort` is stable: equal scores stay in the order of storage. */
const best = (hits: readonly LegHit[], topK: number): LegHit[] =>
  [...hits].sort((a, b) => b.score - a.score).slice(0, Math.max(0, topK));
