/** The formulas of the designs, with their own numbers. */
import { describe, expect, test } from 'vitest';
import { parseQuestions } from '../../src/evaluation/questions.ts';
import { fuse } from '../../src/pipeline/fuse.ts';
import type { Run } from '../../src/pipeline/retrieve.ts';
import { presetSettings } from '../../src/presets/preset-settings.ts';
import { inverseDocumentFrequency, lengthNorm, termScore } from '../../src/stores/bm25.ts';

const run = (leg: 'dense' | 'keyword', weight: number, scores: Readonly<Record<string, number>>): Run => ({
  leg,
  kind: leg,
  weight,
  share: 1,
  hits: Object.entries(scores).map(([chunkId, score]) => ({ chunkId, score })),
});

describe('reciprocal ranks', () => {
  const scores = (k: number): readonly number[] =>
    fuse([run('dense', 1, { a: 0.9, b: 0.8, c: 0.7 })], { method: 'rrf', k }, 3).map(({ score }) => score);

  // [S0-rrf-k] [S0-hybrid-rrf]
  test('k is 60 unless it is set', () => {
    expect(presetSettings('default').fuse.k).toBe(60);
    expect(scores(60)).toEqual([1 / 61, 1 / 62, 1 / 63]);
  });

  // [S0-rrf-k-small]
  test('with k = 1 the first is worth half as much again as the second', () => {
    const [first = 0, second = 0] = scores(1);
    expect(first / second).toBeCloseTo(1.5, 12);
  });

  // [S0-rrf-k-large]
  test('with k = 1000 all ranks count nearly alike', () => {
    const [first = 0, , third = 0] = scores(1000);
    expect(first / third).toBeLessThan(1.002);
  });
});

// [S3-weighted-sum] [S3-weighted-fusion] [S3-min-max] [S3-combined-score] [S3-weight-dense] [S3-weight-keyword]
test('weighted scores are scaled between the least and the most of a list, and added', () => {
  const runs = [run('dense', 0.7, { a: 0.9, b: 0.6, c: 0.4 }), run('keyword', 0.3, { c: 12, b: 9, d: 2 })];
  const fused = fuse(runs, { method: 'weighted', k: 60 }, 3);
  expect(fused.map(({ chunkId }) => chunkId)).toEqual(['a', 'b', 'c', 'd']);
  const expected: Readonly<Record<string, number>> = { a: 0.7, b: 0.7 * 0.4 + 0.3 * 0.7, c: 0.3, d: 0 };
  for (const { chunkId, score } of fused) expect(score).toBeCloseTo(expected[chunkId] ?? Number.NaN, 12);
});

// [S3-bm25-idf]
test('the rarity of a word is log((N − df + 0.5) / (df + 0.5) + 1), and never negative', () => {
  expect(inverseDocumentFrequency(1000, 1)).toBeCloseTo(Math.log(999.5 / 1.5 + 1), 12);
  expect(inverseDocumentFrequency(1000, 500)).toBeCloseTo(Math.log(2), 12);
  expect(inverseDocumentFrequency(10, 10)).toBeCloseTo(Math.log(0.5 / 10.5 + 1), 12);
});

// [S3-bm25-k1] [S3-bm25-b]
test('k1 limits what repetition adds, b is what length takes away', () => {
  const score = (frequency: number, length: number, b = 0.75): number =>
    termScore(1, frequency, 1.5, lengthNorm(1.5, b, length, 100));
  expect(score(1, 100)).toBeCloseTo(1, 12);
  expect(score(3, 100)).toBeCloseTo((3 * 2.5) / (3 + 1.5), 12);
  expect(score(1e9, 100)).toBeCloseTo(2.5, 6);
  expect(score(1, 200)).toBeCloseTo(2.5 / (1 + 1.5 * (0.25 + 0.75 * 2)), 12);
  expect(score(1, 200, 0)).toBe(score(1, 100, 0));
});

// [S0-queries-file] [S0-queries-list] [S0-queries-query] [S0-queries-relevant] [S0-queries-keywords]
test('the labelled questions of the design are read as they stand', () => {
  const file = {
    queries: [
      {
        query: 'How to create a new page in WaveMaker?',
        relevant_docs: ['pages-overview.md', 'create-page.md'],
        ideal_answer_keywords: ['Pages', 'New', 'Markup'],
      },
    ],
  };
  expect(parseQuestions(JSON.stringify(file), 'eval/test_queries.json').questions).toMatchObject([
    {
      query: 'How to create a new page in WaveMaker?',
      judgments: { by: 'label', labels: ['pages-overview.md', 'create-page.md'] },
      keywords: ['Pages', 'New', 'Markup'],
    },
  ]);
});
