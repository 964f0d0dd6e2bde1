/** The targets that a design sets itself, and the comparisons that two of them plan. */
import { describe, expect, test } from 'vitest';
import { gateDesign } from '../../src/evaluation/gate.ts';
import { RETRIEVAL_METRICS, type EvaluationReport } from '../../src/evaluation/types.ts';
import { presetSettings } from '../../src/presets/preset-settings.ts';
import { varyPresets } from '../../src/vary.ts';

const GOOD = { 'recall@30': 0.91, 'mrr@10': 0.71, 'ndcg@5': 0.81, 'latencyMs.p95': 4999, cacheHitRate: 0.41 };
type Figures = Record<keyof typeof GOOD, number | null>;

/** Names of the figures that miss a target. */
function missed(change: Partial<Figures>): readonly string[] {
  const { 'latencyMs.p95': p95, cacheHitRate, ...retrieval }: Figures = { ...GOOD, ...change };
  const report = {
    presets: { one: { retrieval, answers: {}, byKind: {}, latencyMs: { p50: 1, p95 }, cacheHitRate } },
  } as unknown as EvaluationReport;
  const { passed, checks } = gateDesign(report);
  const wrong = checks.filter((check) => !check.passed).map(({ metric }) => metric);
  expect(passed).toBe(wrong.length === 0);
  return wrong;
}

describe('targets', () => {
  test('all passed', () => expect(missed({})).toEqual([]));

  // [S0-target-recall] [S0-target-mrr] [S0-target-ndcg] [S0-target-latency] [S0-target-cache-hits]
  test.each<[keyof Figures, number]>([
    ['recall@30', 0.9],
    ['mrr@10', 0.7],
    ['ndcg@5', 0.8],
    ['latencyMs.p95', 5000],
    ['cacheHitRate', 0.4],
  ])('%s: %d is not enough', (metric, target) => {
    expect(missed({ [metric]: target })).toEqual([metric]);
  });

  // [S0-target-cache-hits]
  test('without a cache its hits are not judged', () => expect(missed({ cacheHitRate: null })).toEqual([]));
});

// [S1-test-range] [S1-test-measures] [S1-chunk-size-set]
test('sizes of 256, 512, 768 and 1024 tokens are compared in one run, by MRR and precision', () => {
  const { presets, warnings } = varyPresets([presetSettings('default')], ['chunk.maxTokens=256,512,768,1024']);
  expect(presets.map(({ settings }) => settings.chunk.maxTokens)).toEqual([256, 512, 768, 1024]);
  expect(warnings.map(({ code }) => code)).toEqual(['setting-follows']);
  expect(RETRIEVAL_METRICS).toEqual(expect.arrayContaining(['mrr@10', 'precision@5']));
});

// [S0-ab-baseline] [S0-ab-treatment-top]
test('a treatment of 50 candidates and 7 kept is a point beside the baseline of 30 and 5', () => {
  const settings = presetSettings('default');
  const baseline = {
    ...settings,
    retrieve: { ...settings.retrieve, depth: 30 },
    context: { ...settings.context, maxPassages: 5 },
  };
  const { presets, pairs } = varyPresets([baseline], ['retrieve.depth=30,50', 'context.maxPassages=5,7']);
  const names = presets.map(({ name }) => name);
  expect(names).toContain('default retrieve.depth=50 context.maxPassages=7');
  expect(pairs).toContainEqual([
    'default retrieve.depth=50 context.maxPassages=7',
    'default retrieve.depth=30 context.maxPassages=5',
  ]);
});
