import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aurocInterval, meanInterval } from '../../src/evaluation/intervals.ts';
import { mean } from '../../src/evaluation/metrics.ts';
import { createRandom } from '../../src/evaluation/random.ts';

const binary = (ones: number, of: number): number[] => Array.from({ length: of }, (_, index) => Number(index < ones));

describe('the interval of a mean', () => {
  test('of 0 and 1 is all there is: a quarter of the resamples has one value only', () => {
    expect(meanInterval([0, 1])).toEqual([0, 1]);
  });

  test('of equal values has no width; of less than two values there is none', () => {
    expect(meanInterval([0.3, 0.3, 0.3])).toEqual([expect.closeTo(0.3, 12), expect.closeTo(0.3, 12)]);
    expect([meanInterval([]), meanInterval([1])]).toEqual([null, null]);
  });

  test.each([
    // 1.96 · √(p(1 − p)/n): .098, .0588, .031.
    [50, 100, 0.402, 0.598],
    [90, 100, 0.841, 0.959],
    [500, 1000, 0.469, 0.531],
  ])('of %i successes in %i is that of the normal approximation', (ones, of, lower, upper) => {
    const interval = meanInterval(binary(ones, of));
    expect(Math.abs((interval?.[0] ?? 0) - lower)).toBeLessThan(0.012);
    expect(Math.abs((interval?.[1] ?? 0) - upper)).toBeLessThan(0.012);
  });

  const values = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 2, maxLength: 40 });

  test('contains the mean, lies within the values, and is the same in any order', () => {
    fc.assert(
      fc.property(values, (some) => {
        const [lower, upper] = meanInterval(some) ?? [NaN, NaN];
        const centre = mean(some) ?? NaN;
        expect(lower).toBeLessThanOrEqual(centre + 1e-12);
        expect(upper).toBeGreaterThanOrEqual(centre - 1e-12);
        expect(lower).toBeGreaterThanOrEqual(Math.min(...some) - 1e-12);
        expect(upper).toBeLessThanOrEqual(Math.max(...some) + 1e-12);
        expect(meanInterval([...some].reverse())).toEqual([lower, upper]);
      }),
      { numRuns: 60 },
    );
  });

  test('of −x is minus that of x', () => {
    fc.assert(
      fc.property(values, (some) => {
        const [lower, upper] = meanInterval(some) ?? [NaN, NaN];
        const mirrored = meanInterval(some.map((value) => -value)) ?? [NaN, NaN];
        expect(mirrored[0]).toBeCloseTo(-upper, 10);
        expect(mirrored[1]).toBeCloseTo(-lower, 10);
      }),
      { numRuns: 60 },
    );
  });

  test('covers the truth in about 95 of 100 samples', () => {
    const random = createRandom(7);
    const samples = Array.from({ length: 300 }, () => Array.from({ length: 50 }, () => Number(random() < 0.7)));
    const covering = samples.filter((sample) => {
      const [lower, upper] = meanInterval(sample) ?? [NaN, NaN];
      return lower <= 0.7 && 0.7 <= upper;
    });
    expect(covering.length / samples.length).toBeGreaterThan(0.9);
    expect(covering.length / samples.length).toBeLessThan(0.985);
  });
});

describe('the interval of the AUROC', () => {
  const answers = (rights: readonly number[], wrongs: readonly number[]): Parameters<typeof aurocInterval>[0] => [
    ...rights.map((confidence) => ({ confidence, right: true })),
    ...wrongs.map((confidence) => ({ confidence, right: false })),
  ];

  test('has no width where every right answer is above every wrong one, and needs both', () => {
    expect(aurocInterval(answers([0.9, 0.8], [0.2, 0.1]))).toEqual([1, 1]);
    expect(aurocInterval(answers([0.9, 0.8], []))).toBeNull();
  });

  test('is wide, contains the figure, and does not depend on the order', () => {
    const some = answers([0.9, 0.7, 0.6, 0.4, 0.8], [0.5, 0.3, 0.65, 0.1]);
    const [lower, upper] = aurocInterval(some) ?? [NaN, NaN];
    // 17 of 20 pairs are in order: all but .6 < .65, .4 < .65 and .4 < .5.
    expect(lower).toBeLessThan(0.85);
    expect(upper).toBeGreaterThan(0.85);
    expect(lower).toBeGreaterThan(0.2);
    expect(aurocInterval([...some].reverse())).toEqual([lower, upper]);
  });
});

test('the random numbers are uniform, and the same for the same seed', () => {
  const draw = (seed: number): number[] => {
    const random = createRandom(seed);
    return Array.from({ length: 20_000 }, random);
  };
  const [first, again, other] = [draw(1), draw(1), draw(2)];
  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
  const tenths = Array.from({ length: 10 }, (_, tenth) => first.filter((x) => Math.floor(x * 10) === tenth).length);
  // σ of a bin is 42.
  for (const count of tenths) expect(Math.abs(count - 2000)).toBeLessThan(4 * 42);
  expect(first.every((x) => x >= 0 && x < 1)).toBe(true);
});
