import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FuseSettings } from '../../src/core/settings.ts';
import { fuse } from '../../src/pipeline/fuse.ts';
import type { Run } from '../../src/pipeline/retrieve.ts';
import { presetSettings } from '../../src/presets/preset-settings.ts';

const DEFAULTS = presetSettings('default').fuse;
const RRF: FuseSettings = { ...DEFAULTS, method: 'rrf', k: 60 };
const WEIGHTED: FuseSettings = { ...DEFAULTS, method: 'weighted' };
const COVERAGE: FuseSettings = { ...DEFAULTS, method: 'coverage' };
const METHODS: readonly FuseSettings[] = [RRF, WEIGHTED, COVERAGE];
const DEPTH = 100;

type Leg = 'keyword' | 'dense' | 'heading';
const legOf = (leg: Leg): Omit<Run, 'hits'> => ({
  leg,
  kind: leg === 'keyword' ? 'keyword' : 'dense',
  weight: DEFAULTS.weights[leg],
  share: 1,
});
/** A run with falling scores, best first. */
const run = (leg: Leg, ids: readonly string[], coverage?: readonly number[]): Run => ({
  ...legOf(leg),
  hits: ids.map((chunkId, i) => ({ chunkId, score: 10 / (i + 1) })),
  ...(coverage === undefined ? {} : { coverage }),
});
const ids = (runs: readonly Run[], settings: FuseSettings, depth = DEPTH): readonly string[] =>
  fuse(runs, settings, depth).map(({ chunkId }) => chunkId);
const scoreOf = (runs: readonly Run[], settings: FuseSettings, id: string, depth = DEPTH): number | undefined =>
  fuse(runs, settings, depth).find(({ chunkId }) => chunkId === id)?.score;

const chunkIds = fc.uniqueArray(fc.constantFrom(...'abcdefghijklmnopqrst'), { maxLength: 20 });
const scores = fc.array(fc.oneof(fc.double({ min: -1, max: 30, noNaN: true }), fc.constantFrom(0, 1, 1)), {
  minLength: 20,
  maxLength: 20,
});
const runOf = (leg: Leg): fc.Arbitrary<Run> =>
  fc
    .tuple(chunkIds, scores, fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 }))
    .map(([found, values, coverage]): Run => {
      const sorted = values.slice(0, found.length).sort((a, b) => b - a);
      const hits = found.map((chunkId, i) => ({ chunkId, score: sorted[i] ?? 0 }));
      return leg === 'keyword' ? { ...legOf(leg), hits, coverage } : { ...legOf(leg), hits };
    });
const threeRuns = fc.tuple(runOf('keyword'), runOf('dense'), runOf('heading'));
const method = fc.constantFrom(...METHODS);

describe('reciprocal ranks', () => {
  // [S0-hybrid-rrf] [S0-rrf-formula] [S0-rrf-rank] [S0-rrf-rank-from-one] [S0-rrf-example-a] [S0-rrf-example-b]
  // [S0-rrf-example-order]
  test('the worked example of the design: B, at 3 and 2, goes before A, at 1 and 5', () => {
    const runs = [run('dense', ['A', 'x', 'B']), run('keyword', ['y', 'B', 'z', 'w', 'A'])];
    const order = ids(runs, RRF);
    expect(order.indexOf('B')).toBeLessThan(order.indexOf('A'));
    expect(scoreOf(runs, RRF, 'A')).toBeCloseTo(1 / 61 + 1 / 65, 12);
    expect(scoreOf(runs, RRF, 'A')?.toFixed(4)).toBe('0.0318');
    expect(scoreOf(runs, RRF, 'B')?.toFixed(4)).toBe('0.0320');
  });

  test('no score is above legs / (k + 1)', () => {
    fc.assert(
      fc.property(threeRuns, fc.integer({ min: 1, max: 100 }), (runs, k) => {
        for (const { score } of fuse(runs, { ...RRF, k }, DEPTH)) {
          expect(score).toBeGreaterThan(0);
          expect(score).toBeLessThanOrEqual(3 / (k + 1) + 1e-12);
        }
      }),
    );
  });
});

describe('weighted', () => {
  // [S3-weighted-fusion]
  test('the best of a list has its weight, the one at the depth nothing', () => {
    const many = Array.from({ length: 5 }, (_, i) => `c${i}`);
    const runs = [run('dense', many), run('keyword', [...many].reverse())];
    expect(scoreOf(runs, WEIGHTED, 'c4', 5)).toBeCloseTo(DEFAULTS.weights.keyword, 12);
    expect(scoreOf(runs, WEIGHTED, 'c0', 5)).toBeCloseTo(DEFAULTS.weights.dense, 12);
  });

  test('a keyword list that ends before the depth has found all there is: its last hit counts', () => {
    const runs = [run('keyword', ['a', 'b']), run('dense', ['x', 'y'])];
    expect(scoreOf(runs, WEIGHTED, 'b')).toBeCloseTo(DEFAULTS.weights.keyword / 2, 12);
    expect(scoreOf(runs, WEIGHTED, 'y')).toBe(0);
  });

  // [S3-min-max]
  test('equal scores of a list all count in full, a list of zeros not at all', () => {
    const equal: Run = { ...legOf('dense'), hits: ['a', 'b', 'c'].map((chunkId) => ({ chunkId, score: 0.5 })) };
    const zero: Run = { ...legOf('heading'), hits: ['a', 'b', 'z'].map((chunkId) => ({ chunkId, score: 0 })) };
    const fused = fuse([equal, zero, run('keyword', ['k'])], WEIGHTED, DEPTH);
    for (const id of ['a', 'b', 'c'])
      expect(fused.find(({ chunkId }) => chunkId === id)?.score).toBeCloseTo(DEFAULTS.weights.dense, 12);
    expect(fused.find(({ chunkId }) => chunkId === 'z')?.score).toBe(0);
  });

  test('scores are between 0 and the sum of the weights', () => {
    fc.assert(
      fc.property(
        threeRuns,
        fc.constantFrom(WEIGHTED, COVERAGE),
        fc.integer({ min: 1, max: 30 }),
        (runs, how, depth) => {
          for (const { score } of fuse(runs, how, depth)) {
            expect(score).toBeGreaterThanOrEqual(0);
            expect(score).toBeLessThanOrEqual(1 + 1e-9);
          }
        },
      ),
    );
  });
});

describe('by coverage', () => {
  const runs = (coverage: readonly number[]): Run[] => [run('keyword', ['k'], coverage), run('dense', ['d'])];

  test('the vectors count more, the fewer of the words any of the first three hits holds', () => {
    expect(scoreOf(runs([1]), COVERAGE, 'k')).toBeCloseTo(0.8, 12);
    expect(scoreOf(runs([0.2, 0.5, 0.1, 1]), COVERAGE, 'k')).toBeCloseTo(1 - (0.2 + 0.6 * 0.5), 12);
    expect(ids(runs([1]), COVERAGE)).toEqual(['k', 'd']);
    expect(ids(runs([0]), COVERAGE)).toEqual(['d', 'k']);
  });
});

describe('every method', () => {
  test('ranks the first hits of a deeper search as a shallow one does', () => {
    fc.assert(
      fc.property(threeRuns, method, fc.integer({ min: 1, max: 10 }), (runs, how, depth) => {
        const shallow = fuse(
          runs.map((deep) => ({ ...deep, hits: deep.hits.slice(0, depth) })),
          how,
          depth,
        );
        const deep = fuse(runs, how, depth);
        const scored = ({ chunkId, score }: (typeof deep)[number]): unknown => [chunkId, score];
        expect(deep.slice(0, shallow.length).map(scored)).toEqual(shallow.map(scored));
      }),
    );
  });

  test('does not look at the order of the legs, nor at legs that found nothing', () => {
    fc.assert(
      fc.property(threeRuns, method, fc.shuffledSubarray([0, 1, 2], { minLength: 3 }), (runs, how, order) => {
        const fused = fuse(runs, how, DEPTH);
        expect(
          fuse(
            order.map((i) => runs[i] as Run),
            how,
            DEPTH,
          ),
        ).toEqual(fused);
        expect(
          fuse(
            runs.filter(({ hits }) => hits.length > 0),
            how,
            DEPTH,
          ),
        ).toEqual(fused);
      }),
    );
  });

  // [S0-rrf-sorted]
  test('keeps every chunk once, best first, with what each leg said of it', () => {
    fc.assert(
      fc.property(threeRuns, method, (runs, how) => {
        const fused = fuse(runs, how, DEPTH);
        const all = new Set(runs.flatMap(({ hits }) => hits.map(({ chunkId }) => chunkId)));
        expect(new Set(fused.map(({ chunkId }) => chunkId))).toEqual(all);
        expect(fused).toHaveLength(all.size);
        expect(fused.map(({ score }) => score)).toEqual(fused.map(({ score }) => score).sort((a, b) => b - a));
        for (const { chunkId, scores: said } of fused) {
          for (const { stage, rank, score } of said) {
            const leg = runs.find((other) => other.leg === stage);
            expect(leg?.hits[rank - 1]).toEqual({ chunkId, score });
          }
          expect(said).toHaveLength(runs.filter(({ hits }) => hits.some((hit) => hit.chunkId === chunkId)).length);
        }
      }),
    );
  });

  test('of one leg keeps its order and gives its best hit the full score of the method', () => {
    for (const how of [WEIGHTED, COVERAGE]) {
      const only = run('dense', ['c', 'a', 'b']);
      expect(ids([only], how)).toEqual(['c', 'a', 'b']);
      expect(scoreOf([only], how, 'c')).toBe(1);
      expect(ids([only, run('keyword', [])], how)).toEqual(['c', 'a', 'b']);
    }
  });

  test('of nothing is nothing', () => {
    for (const how of METHODS) expect(fuse([], how, DEPTH)).toEqual([]);
  });
});
