import { describe, expect, test } from 'vitest';
import { bestVariant } from '../../src/evaluation/best.ts';
import { comparePairs } from '../../src/evaluation/compare.ts';
import { reportPreset } from '../../src/evaluation/report.ts';
import { formatEvaluation } from '../../src/evaluation/table.ts';
import { RETRIEVAL_METRICS, type EvaluationReport, type QuestionResult } from '../../src/evaluation/types.ts';

const results = (values: readonly number[]): QuestionResult[] =>
  values.map((value, index) => ({
    id: `#${index}`,
    query: 'q',
    kind: null,
    protocol: null,
    answerable: true,
    documents: [],
    retrieval: Object.fromEntries(RETRIEVAL_METRICS.map((metric) => [metric, value])) as QuestionResult['retrieval'],
    answer: null,
    latencyMs: 1,
  }));

function reported(values: Readonly<Record<string, readonly number[]>>): EvaluationReport {
  const measured = new Map(Object.entries(values).map(([name, own]) => [name, results(own)]));
  const [baseline = '', ...variants] = measured.keys();
  return {
    questions: 8,
    answerable: 8,
    presets: Object.fromEntries([...measured].map(([name, own]) => [name, reportPreset(own)])),
    comparisons: comparePairs(
      measured,
      variants.map((variant) => [variant, baseline]),
    ),
    warnings: [],
  };
}

const eight = (value: number): number[] => new Array<number>(8).fill(value);

describe('the best of a grid', () => {
  test('is more than noise when the paired test says so, corrected for the points and not for the metrics', () => {
    const report = reported({ p: eight(0), 'p k=1': eight(1), 'p k=2': eight(0.5) });
    // 2 of 256 signs; times two points.
    expect(bestVariant(report, 'p', ['p k=1', 'p k=2'])).toEqual({
      metric: 'ndcg@10',
      baseline: 'p',
      best: 'p k=1',
      values: { best: 1, baseline: 0 },
      comparison: { difference: 1, interval: [1, 1], p: 2 * (2 / 256) },
      withinNoise: false,
    });
  });

  test('is within the noise when few questions differ', () => {
    const report = reported({ p: eight(0), 'p k=1': [1, 1, 0, 0, 0, 0, 0, 0] });
    expect(bestVariant(report, 'p', ['p k=1'])).toMatchObject({
      best: 'p k=1',
      withinNoise: true,
      comparison: { p: 0.5 },
    });
  });

  test('is the baseline where none is higher, also when another is as high', () => {
    const report = reported({ p: eight(0.5), 'p k=1': eight(0.5), 'p k=2': eight(0.2) });
    expect(bestVariant(report, 'p', ['p k=1', 'p k=2'])).toMatchObject({
      best: 'p',
      comparison: null,
      withinNoise: true,
    });
  });

  test('of one question is not compared; of none there is no best', () => {
    expect(bestVariant(reported({ p: [0], 'p k=1': [1] }), 'p', ['p k=1'])).toMatchObject({
      best: 'p k=1',
      comparison: null,
      withinNoise: true,
    });
    expect(bestVariant(reported({ p: [] }), 'p', [])).toBeUndefined();
  });

  test('is told with what sets it, and points are called by what was varied', () => {
    const report = reported({ 'p k=1': eight(0), 'p k=2': eight(1) });
    const found = bestVariant(report, 'p k=1', ['p k=1', 'p k=2']);
    if (found === undefined) throw new Error('nothing found');
    const vary = [
      {
        ...found,
        settings: { 'chunk.maxTokens': 2 },
        yaml: ['chunk: { maxTokens: 2 }'],
        environment: ['FOOTNOTE_CHUNK__MAX_TOKENS=2'],
      },
    ];
    const lines = formatEvaluation({ ...report, vary }).split('\n');
    expect(lines).toContain('best by ndcg@10: k=2 (1.000)');
    expect(lines).toContain('+1.000 (+1.000 to +1.000), p = 0.008, over k=1 (0.000):');
    expect(lines).toContain('more than noise');
    expect(lines).toContain('  chunk: { maxTokens: 2 }');
    expect(lines).toContain('  FOOTNOTE_CHUNK__MAX_TOKENS=2');
    expect(lines).toContain('and then: footnote ingest --rebuild');
    expect(lines).toContain('k=2 − k=1');
  });
});
