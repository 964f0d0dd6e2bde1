import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allPairs, comparePairs } from '../../src/evaluation/compare.ts';
import { holm, signFlipTest } from '../../src/evaluation/permutation.ts';
import { createRandom, type Random } from '../../src/evaluation/random.ts';
import { RETRIEVAL_METRICS, type QuestionResult, type RetrievalMetric } from '../../src/evaluation/types.ts';

/** Question `#index` with the same value in every retrieval metric; null: the documents do not answer it. */
const result = (index: number, value: number | null): QuestionResult => ({
  id: `#${index}`,
  query: 'q',
  kind: null,
  protocol: null,
  answerable: value !== null,
  documents: [],
  retrieval:
    value === null
      ? null
      : (Object.fromEntries(RETRIEVAL_METRICS.map((metric) => [metric, value])) as Record<RetrievalMetric, number>),
  answer: null,
  latencyMs: 1,
});
const results = (values: readonly (number | null)[]): QuestionResult[] =>
  values.map((value, index) => result(index, value));
const compareTwo = (a: readonly (number | null)[], b: readonly (number | null)[]): ReturnType<typeof comparePairs> =>
  comparePairs(
    new Map([
      ['a', results(a)],
      ['b', results(b)],
    ]),
    [['a', 'b']],
  );

describe('the sign-flip test', () => {
  test.each([
    ['all five of one sign: 2 of 32', [1, 2, 3, 4, 5], 2 / 32],
    // Σ = .55 of .75: signs whose negative part is ≤ .1 or ≥ .65: {}, {.05}, {.1}, {.1}, and their opposites.
    ['five, one against', [0.3, 0.2, 0.1, -0.1, 0.05], 8 / 32],
    ['equal and opposite', [0.5, -0.5], 1],
    ['one', [1], 1],
    ['zeros change nothing', [0, 0, 0, 1, 1, 1, 1, 1], 2 / 32],
    // A sign test: 2 · P(at least 9 of 10) = 2 · 11 / 1024.
    ['nine of ten', [1, 1, 1, 1, 1, 1, 1, 1, 1, -1], 22 / 1024],
    ['none', [], 1],
  ])('%s', (_, differences, p) => {
    expect(signFlipTest(differences)).toBeCloseTo(p, 12);
  });

  test('drawn signs come near the exact value', () => {
    const signs = (positive: number, of: number): number[] =>
      Array.from({ length: of }, (_, index) => (index < positive ? 0.25 : -0.25));
    // Binomial: 2 · P(X ≥ 15 of 20) = .0414, 2 · P(X ≥ 12 of 20) = .5034; 500 extremes are ± 4.5 %.
    expect(Math.abs(signFlipTest(signs(15, 20)) - 0.0414)).toBeLessThan(0.006);
    expect(Math.abs(signFlipTest(signs(12, 20)) - 0.5034)).toBeLessThan(0.08);
    // 2 / 2⁴⁰ is never drawn: (0 + 1) / (100,000 + 1).
    expect(signFlipTest(signs(40, 40))).toBe(1 / 100_001);
  });

  test('neither order nor direction matters', () => {
    const values = fc.array(fc.integer({ min: -4, max: 4 }), { maxLength: 24 });
    fc.assert(
      fc.property(values, (some) => {
        const p = signFlipTest(some.map((value) => value / 4));
        expect(signFlipTest(some.map((value) => -value / 4).reverse())).toBe(p);
        expect(p).toBeGreaterThan(0);
        expect(p).toBeLessThanOrEqual(1);
      }),
      { numRuns: 60 },
    );
  });
});

test('Holm: the smallest times all, and never less than the one before', () => {
  const corrected = holm([0.01, 0.04, 0.03, 0.005]);
  for (const [index, p] of [0.03, 0.06, 0.06, 0.02].entries()) expect(corrected[index]).toBeCloseTo(p, 12);
  expect(holm([0.4, 0.9])).toEqual([0.8, 0.9]);
  expect(holm([0.6, 0.7])).toEqual([1, 1]);
  expect(holm([])).toEqual([]);
});

describe('comparisons', () => {
  test('each pair on each metric, over the questions that it applies to', () => {
    const compared = compareTwo([1, 1, 1, 1, 1, null, 0.5], [0, 0, 0, 0, 0, null, 0.5]);
    expect(compared.map(({ metric }) => metric)).toEqual(RETRIEVAL_METRICS);
    const [first] = compared;
    expect(first).toMatchObject({ a: 'a', b: 'b', questions: 6, difference: 5 / 6, pRaw: 2 / 32 });
    expect(first?.p).toBeCloseTo((7 * 2) / 32, 12);
    expect(first?.interval[0]).toBeGreaterThan(0);
    expect(first?.interval[1]).toBe(1);
  });

  test('one question is nothing to compare', () => {
    expect(compareTwo([1, null], [0, null])).toEqual([]);
  });

  test('other questions are refused', () => {
    expect(() => compareTwo([1, 1], [1])).toThrow('same questions');
    const [a, b] = [results([1, 1]), results([1, 1]).reverse()];
    const both = new Map([
      ['a', a],
      ['b', b],
    ]);
    expect(() => comparePairs(both, [['a', 'b']])).toThrow('same questions');
    expect(() => comparePairs(both, [['a', 'c']])).toThrow('c was not measured');
  });

  test('pairs are each with each', () => {
    expect(allPairs(['x', 'y', 'z'])).toEqual([
      ['x', 'y'],
      ['x', 'z'],
      ['y', 'z'],
    ]);
  });

  test('a against b is minus b against a, and the order of questions does not matter', () => {
    const grade = fc.constantFrom(0, 0.2, 0.25, 1 / 3, 0.5, 1);
    fc.assert(
      fc.property(fc.array(fc.tuple(grade, grade), { minLength: 2, maxLength: 25 }), (pairs) => {
        const [a, b] = [pairs.map(([left]) => left), pairs.map(([, right]) => right)];
        const [there] = compareTwo(a, b);
        const [back] = compareTwo([...b].reverse(), [...a].reverse());
        if (there === undefined || back === undefined) throw new Error('not compared');
        expect(back.difference).toBeCloseTo(-there.difference, 12);
        expect(back.interval[0]).toBeCloseTo(-there.interval[1], 10);
        expect(back.interval[1]).toBeCloseTo(-there.interval[0], 10);
        expect([back.p, back.pRaw]).toEqual([there.p, there.pRaw]);
      }),
      { numRuns: 40 },
    );
  });
});

describe('false alarms', () => {
  const GRADES = [0, 0.25, 0.5, 1, 1];
  const draw = (random: Random): number => GRADES[Math.floor(random() * GRADES.length)] ?? 0;

  /** 60 questions, each metric drawn by itself; `better` is the share of questions that are certainly right. */
  const system = (random: Random, better: number): QuestionResult[] =>
    results(new Array<number>(60).fill(0)).map((each) => ({
      ...each,
      retrieval: Object.fromEntries(
        RETRIEVAL_METRICS.map((metric) => [metric, random() < better ? 1 : draw(random)]),
      ) as Record<RetrievalMetric, number>,
    }));

  /** Shares of runs with an alarm in the first metric alone, and in any metric after the correction. */
  function alarms(runs: number, better: number): { readonly alone: number; readonly corrected: number } {
    const random = createRandom(3);
    let [alone, corrected] = [0, 0];
    for (let run = 0; run < runs; run += 1) {
      const both = new Map([
        ['one', system(random, better)],
        ['two', system(random, 0)],
      ]);
      const compared = comparePairs(both, [['one', 'two']]);
      if ((compared[0]?.pRaw ?? 1) < 0.05) alone += 1;
      if (compared.some(({ p }) => p < 0.05)) corrected += 1;
    }
    return { alone: alone / runs, corrected: corrected / runs };
  }

  test('two systems that differ by chance alone raise an alarm in at most about 5 of 100 runs', () => {
    const { alone, corrected } = alarms(200, 0);
    // .05 ± 3 · √(.05 · .95 / 200) = .004 to .096.
    for (const share of [alone, corrected]) {
      expect(share).toBeLessThan(0.096);
      expect(share).toBeGreaterThan(0.004);
    }
  });

  test('one that is better on half of the questions is found nearly always', () => {
    expect(alarms(12, 0.5).corrected).toBeGreaterThan(0.8);
  });
});
