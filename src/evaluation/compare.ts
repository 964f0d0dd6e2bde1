/** Paired comparisons: two presets on the same questions, question by question. */
import { meanInterval } from './intervals.ts';
import { MEASURES, type Measure } from './measures.ts';
import { mean } from './metrics.ts';
import { holm, signFlipTest } from './permutation.ts';
import type { Comparison, QuestionResult } from './types.ts';

export type Pair = readonly [a: string, b: string];

/** Each with each, in the order given. */
export function allPairs(names: readonly string[]): Pair[] {
  return names.flatMap((a, index) => names.slice(index + 1).map((b): Pair => [a, b]));
}

/**
 * Compares each pair on every paired measure that applies to at least two questions. `p` is corrected over all
 * comparisons of the list that comes back (Holm), `pRaw` is that of the one test.
 */
export function comparePairs(
  results: ReadonlyMap<string, readonly QuestionResult[]>,
  pairs: readonly Pair[],
): Comparison[] {
  const raw = pairs.flatMap(([a, b]) =>
    MEASURES.filter(({ paired }) => paired).flatMap((measure) => {
      const differences = pairedDifferences(resultsOf(results, a), resultsOf(results, b), measure);
      const difference = mean(differences);
      const interval = meanInterval(differences);
      if (difference === null || interval === null) return [];
      const { metric } = measure;
      return [{ a, b, metric, difference, interval, pRaw: signFlipTest(differences), questions: differences.length }];
    }),
  );
  const corrected = holm(raw.map(({ pRaw }) => pRaw));
  return raw.map((comparison, index) => ({ ...comparison, p: corrected[index] as number }));
}

/** a − b on each question that the measure applies to. @throws Error when the two were not asked the same questions. */
export function pairedDifferences(
  a: readonly QuestionResult[],
  b: readonly QuestionResult[],
  measure: Measure,
): number[] {
  if (a.length !== b.length || a.some(({ id }, index) => id !== b[index]?.id)) {
    throw new Error('a paired comparison needs the same questions in the same order');
  }
  return a.flatMap((result, index) => {
    const [left, right] = [measure.of(result), measure.of(b[index] as QuestionResult)];
    return left === null || right === null ? [] : left - right;
  });
}

function resultsOf(results: ReadonlyMap<string, readonly QuestionResult[]>, name: string): readonly QuestionResult[] {
  const found = results.get(name);
  if (found === undefined) throw new Error(`${name} was not measured`);
  return found;
}
