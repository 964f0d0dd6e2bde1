/** The best of several variants of one preset, and whether it is better than the preset by more than chance. */
import { holm } from './permutation.ts';
import type { BestPoint, EvaluationReport } from './types.ts';

/** The measure that a grid is searched by: it sees every rank of the first ten, where MRR sees one. */
const METRIC = 'ndcg@10';
const SIGNIFICANT = 0.05;

/**
 * The variant with the highest nDCG@10; the baseline where none is higher. The best of many is good by luck too, so its
 * p-value is corrected for the number of variants; it is the corrected `p` of this question alone, and not that of
 * `comparisons`, which answers for every metric.
 * @returns undefined where nothing was measured, or no question has an answer
 */
export function bestVariant(
  report: EvaluationReport,
  baseline: string,
  variants: readonly string[],
): Omit<BestPoint, 'settings' | 'yaml' | 'environment'> | undefined {
  const valueOf = (name: string): number | null => report.presets[name]?.retrieval[METRIC] ?? null;
  const before = valueOf(baseline);
  if (before === null) return undefined;
  let [best, highest] = [baseline, before];
  for (const variant of variants) {
    const value = valueOf(variant);
    if (value !== null && value > highest) [best, highest] = [variant, value];
  }
  const tests = report.comparisons.filter(
    ({ a, b, metric }) => metric === METRIC && b === baseline && variants.includes(a),
  );
  const index = tests.findIndex(({ a }) => a === best);
  const test = tests[index];
  const p = holm(tests.map(({ pRaw }) => pRaw))[index];
  const common = { metric: METRIC, baseline, best, values: { best: highest, baseline: before } };
  // With one question there is nothing to compare: no difference is then more than noise.
  if (test === undefined || p === undefined) return { ...common, comparison: null, withinNoise: true };
  const { difference, interval } = test;
  return { ...common, comparison: { difference, interval, p }, withinNoise: p >= SIGNIFICANT };
}
