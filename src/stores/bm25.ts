/**
 * BM25 over four fields of a chunk. A term's frequency is the weighted sum of its counts in the fields (as in BM25F,
 * with one length normalisation for the whole chunk). Every store uses these formulas, so that all give the same
 * scores to the last bit that matters.
 */
import type { KeywordWeights } from '../core/contracts.ts';
import type { Chunk } from '../core/types.ts';
import type { Analyzer } from '../text/analyze.ts';

/** The order in which fields are counted and stored. */
export const FIELDS: readonly (keyof KeywordWeights)[] = ['path', 'title', 'heading', 'body'];

export const FIELD_COUNT = 4;

/** {@link LegRun} gives the coverage of so many first hits. */
export const COVERAGE_DEPTH = 3;

/** What is searched of a chunk, in the order of {@link FIELDS}. */
export function fieldTexts(chunk: Chunk): readonly [string, string, string, string] {
  return [chunk.path, chunk.title, chunk.headingPath.at(-1) ?? '', chunk.searchText ?? chunk.text];
}

/** Index terms of a chunk by field, in the order of {@link FIELDS}. */
export const chunkTerms = (chunk: Chunk, analyzer: Analyzer): readonly (readonly string[])[] =>
  fieldTexts(chunk).map((text) => analyzer.terms(text, chunk.language));

export const fieldWeights = (weights: KeywordWeights): readonly number[] => FIELDS.map((field) => weights[field]);

/** Never negative, also for a term that is in every chunk. */
export const inverseDocumentFrequency = (chunks: number, chunksWithTerm: number): number =>
  Math.log(1 + (chunks - chunksWithTerm + 0.5) / (chunksWithTerm + 0.5));

/** The part of a term's score that depends on the chunk's length only: k1 × (1 − b + b × length ÷ average). */
export const lengthNorm = (k1: number, b: number, length: number, averageLength: number): number =>
  k1 * (1 - b + (averageLength > 0 ? (b * length) / averageLength : 0));

/** One term's score in one chunk, for a frequency above 0. */
export const termScore = (idf: number, frequency: number, k1: number, norm: number): number =>
  (idf * (frequency * (k1 + 1))) / (frequency + norm);
