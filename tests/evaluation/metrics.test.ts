import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  auroc,
  hitAt,
  mean,
  ndcgAt,
  percentile,
  precisionAt,
  recallAt,
  reciprocalRankAt,
} from '../../src/evaluation/metrics.ts';

// [S1-tests-unit]
describe('hand-computed values', () => {
  // Three relevant documents; found at ranks 2 and 4.
  const gains = [0, 1, 0, 1, 0, 0];
  const ideal = [1, 1, 1];

  // [S0-metric-recall] [S0-metric-mrr]
  test('recall, precision, hit and reciprocal rank', () => {
    expect(recallAt(gains, ideal, 5)).toBeCloseTo(2 / 3, 12);
    expect(recallAt(gains, ideal, 3)).toBeCloseTo(1 / 3, 12);
    expect(precisionAt(gains, 5)).toBe(0.4);
    expect(precisionAt([1], 5)).toBe(0.2);
    expect(hitAt(gains, 1)).toBe(0);
    expect(hitAt(gains, 2)).toBe(1);
    expect(reciprocalRankAt(gains, 10)).toBe(0.5);
    expect(reciprocalRankAt(gains, 1)).toBe(0);
    expect(reciprocalRankAt([...new Array<number>(10).fill(0), 1], 10)).toBe(0);
  });

  // [S0-metric-ndcg]
  test('nDCG with two grades', () => {
    // DCG = 1/log2(2) + 3/log2(4) = 2.5; ideal = 3/log2(2) + 1/log2(3) + 1/log2(4).
    const best = 3 + 1 / Math.log2(3) + 0.5;
    expect(ndcgAt([1, 0, 3], [1, 3, 1], 10)).toBeCloseTo(2.5 / best, 12);
    // At 1 the best is the grade 3 alone.
    expect(ndcgAt([1, 0, 3], [1, 3, 1], 1)).toBeCloseTo(1 / 3, 12);
  });

  test('an empty run scores 0', () => {
    expect([
      recallAt([], ideal, 5),
      precisionAt([], 5),
      hitAt([], 1),
      reciprocalRankAt([], 10),
      ndcgAt([], ideal, 10),
    ]).toEqual([0, 0, 0, 0, 0]);
  });

  test('AUROC counts ties one half', () => {
    // Pairs: (.9 > .5) (.9 > .1) (.5 = .5) (.5 > .1) → 3.5 of 4.
    expect(auroc([0.9, 0.5], [0.5, 0.1])).toBe(0.875);
    expect(auroc([1], [])).toBeNull();
    expect(auroc([], [1])).toBeNull();
  });

  // [S0-metric-latency]
  test('percentiles interpolate between ranks', () => {
    expect(percentile([4, 1, 3, 2], 50)).toBe(2.5);
    expect(percentile([10, 20], 95)).toBeCloseTo(19.5, 12);
    expect(percentile([7], 95)).toBe(7);
    expect(percentile([], 50)).toBeNull();
    expect(mean([1, 0, 0, 1])).toBe(0.5);
    expect(mean([])).toBeNull();
  });
});

describe('properties', () => {
  const grades = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 8 });
  /** A run that holds some of the ideal documents among others, in any order. */
  const judgedRun = grades.chain((ideal) =>
    fc.record({
      ideal: fc.constant(ideal),
      gains: fc
        .tuple(fc.subarray(ideal), fc.array(fc.constant(0), { maxLength: 30 }))
        .chain(([found, others]) =>
          fc.shuffledSubarray([...found, ...others], { minLength: found.length + others.length }),
        ),
    }),
  );
  const depth = fc.integer({ min: 1, max: 30 });

  test('every measure is between 0 and 1', () => {
    fc.assert(
      fc.property(judgedRun, depth, ({ gains, ideal }, k) => {
        const values = [
          recallAt(gains, ideal, k),
          precisionAt(gains, k),
          reciprocalRankAt(gains, k),
          hitAt(gains, k),
          ndcgAt(gains, ideal, k),
        ];
        for (const value of values) expect(value).toSatisfy((v: number) => v >= 0 && v <= 1 + 1e-12);
      }),
    );
  });

  test('a perfect ranking has nDCG 1 at every depth, and recall 1 at its own', () => {
    fc.assert(
      fc.property(grades, depth, (ideal, k) => {
        const gains = [...ideal].sort((a, b) => b - a);
        expect(ndcgAt(gains, ideal, k)).toBeCloseTo(1, 12);
        expect(recallAt(gains, ideal, ideal.length)).toBe(1);
      }),
    );
  });

  test('recall and reciprocal rank never fall with depth, and what stands below it does not matter', () => {
    fc.assert(
      fc.property(judgedRun, depth, ({ gains, ideal }, k) => {
        expect(recallAt(gains, ideal, k + 1)).toBeGreaterThanOrEqual(recallAt(gains, ideal, k));
        expect(reciprocalRankAt(gains, k + 1)).toBeGreaterThanOrEqual(reciprocalRankAt(gains, k));
        expect(ndcgAt([...gains.slice(0, k), 4, 4], ideal, Math.min(k, gains.length))).toBe(
          ndcgAt(gains, ideal, Math.min(k, gains.length)),
        );
      }),
    );
  });

  test('the order in which relevant documents are listed does not matter', () => {
    fc.assert(
      fc.property(judgedRun, depth, ({ gains, ideal }, k) => {
        expect(ndcgAt(gains, [...ideal].reverse(), k)).toBeCloseTo(ndcgAt(gains, ideal, k), 12);
      }),
    );
  });

  test('AUROC equals the count over all pairs, and is unchanged by a monotone map', () => {
    const scores = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(scores, scores, (positives, negatives) => {
        const points = positives.flatMap((p) => negatives.map((n) => (p > n ? 1 : p === n ? 0.5 : 0)));
        const byPairs = points.reduce<number>((sum, point) => sum + point, 0) / points.length;
        expect(auroc(positives, negatives)).toBeCloseTo(byPairs, 12);
        const cube = (values: number[]): number[] => values.map((value) => value ** 3 - 5);
        expect(auroc(cube(positives), cube(negatives))).toBeCloseTo(byPairs, 12);
        expect((auroc(negatives, positives) ?? 0) + byPairs).toBeCloseTo(1, 12);
      }),
    );
  });

  test('a percentile is between the extremes and grows with p', () => {
    const values = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1 });
    const share = fc.integer({ min: 0, max: 100 });
    fc.assert(
      fc.property(values, share, share, (list, a, b) => {
        const [low, high] = [percentile(list, Math.min(a, b)), percentile(list, Math.max(a, b))] as [number, number];
        expect(low).toBeLessThanOrEqual(high);
        expect(percentile(list, 0)).toBe(Math.min(...list));
        expect(percentile(list, 100)).toBe(Math.max(...list));
      }),
    );
  });
});
