import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Reranker } from '../../src/core/contracts.ts';
import type { AdjustSettings, RerankSettings, Settings } from '../../src/core/settings.ts';
import { RagError } from '../../src/core/errors.ts';
import type { Explanation } from '../../src/core/results.ts';
import { diversify } from '../../src/pipeline/diversify.ts';
import type { SearchParts } from '../../src/pipeline/parts.ts';
import { poolSize } from '../../src/pipeline/pool.ts';
import { search } from '../../src/pipeline/search.ts';
import { presetSettings } from '../../src/presets/preset-settings.ts';
import { library, type Library } from './library.ts';

const DEFAULTS = presetSettings('default');
const QUESTION = 'Which port does the gateway listen on?';

let docs: Library;
beforeAll(async () => {
  docs = await library({
    'guide/ports.md': '# Ports\n\nThe gateway listens on port 9000.\n\n## Changing it\n\nSet the port in the file.\n',
    'guide/gateway.md': '# Gateway\n\nThe gateway is the door of the system. It has a port.\n',
    'guide/copy.md': '# Doors\n\nThe gateway is the door of the system. It has a port too.\n',
    'changelog.md': '# Changelog\n\nThe gateway listens on port 9000 since version 2. The port was 8000.\n',
    'faq.md': {
      text: '# Questions\n\nWhich port does the gateway have? 9000.\n',
      metadata: { kind: 'faq', importance: 1 },
    },
    'cats.md': '# Cats\n\nCats sleep most of the day.\n',
  });
});

const partsWith = (change: Partial<Settings>, over: Partial<SearchParts> = {}): SearchParts => ({
  ...docs.parts,
  settings: { ...docs.parts.settings, ...change },
  ...over,
});
const adjusted = (change: Partial<AdjustSettings>): SearchParts =>
  partsWith({ adjust: { ...DEFAULTS.adjust, ...change } });
const reranked = (change: Partial<RerankSettings>, reranker?: Reranker): SearchParts =>
  partsWith(
    { rerank: { ...DEFAULTS.rerank, use: 'jina', ...change } },
    reranker === undefined ? {} : { reranker: async () => reranker },
  );
const run = (parts: SearchParts, query = QUESTION): ReturnType<typeof search> =>
  search({ query, explain: true }, parts);
const pathsOf = async (parts: SearchParts, query?: string): Promise<string[]> =>
  (await run(parts, query)).hits.map(({ chunk }) => chunk.path);
const stage = (explanation: Explanation | undefined, name: string): Explanation['stages'][number] | undefined =>
  explanation?.stages.find((each) => each.stage === name);

describe('kinds of pages', () => {
  test('changelogs count less, unless the question asks for a change', async () => {
    const plain = await pathsOf(adjusted({}));
    const less = await pathsOf(adjusted({ changelogs: 0.1 }));
    expect(less.indexOf('changelog.md')).toBeGreaterThan(plain.indexOf('changelog.md'));
    const change = 'What changed about the port of the gateway since version 2?';
    expect(await pathsOf(adjusted({ changelogs: 0.1 }), change)).toEqual(await pathsOf(adjusted({}), change));
  });

  // [S3-wiki-weight] [S3-faq-weight]
  test('documents of a kind weigh as the settings say, with the reason told', async () => {
    const parts = adjusted({ weights: [{ field: 'kind', value: 'faq', weight: 10 }] });
    const { hits, explanation } = await run(parts);
    expect(hits[0]?.chunk.path).toBe('faq.md');
    expect(stage(explanation, 'adjust')?.candidates[0]).toMatchObject({ path: 'faq.md', reason: 'kind=faq × 10' });
    expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).sort((a, b) => b - a));
  });
});

// [S3-score-threshold]
describe('the threshold of the vectors', () => {
  const model = (): string => docs.parts.embedder?.model ?? '';

  // [S4-min-score]
  test('leaves out what is too far away, and says so', async () => {
    const everything = await pathsOf(adjusted({}));
    expect(everything).toContain('cats.md');
    const { hits, explanation } = await run(adjusted({ minCosine: 0.3, minCosineModel: model() }));
    expect(hits.map(({ chunk }) => chunk.path)).not.toContain('cats.md');
    expect(stage(explanation, 'threshold')?.candidates.map(({ path }) => path)).toContain('cats.md');
    const { whyNot } = await search(
      { query: QUESTION, whyNot: 'cats.md' },
      adjusted({ minCosine: 0.3, minCosineModel: model() }),
    );
    expect(whyNot).toMatchObject({ verdict: 'lost', stage: 'threshold', setting: 'adjust.minCosine (now 0.3)' });
  });

  test('holds for every revision of the model that it names', async () => {
    const named = model().split('@')[0] as string;
    expect(await pathsOf(adjusted({ minCosine: 0.3, minCosineModel: named }))).not.toContain('cats.md');
  });

  test('is not applied to another model, which is a warning', async () => {
    const { hits, warnings } = await run(adjusted({ minCosine: 0.3, minCosineModel: 'text-embedding-3-small' }));
    expect(hits.map(({ chunk }) => chunk.path)).toContain('cats.md');
    expect(warnings).toMatchObject([{ code: 'threshold-not-transferable' }]);
  });

  // [S2-missing-borderline]
  test('spares a hit just below when its neighbour is above', async () => {
    const { steps } = { steps: (await run(adjusted({}))).explanation };
    const scores = stage(steps, 'dense')?.candidates.map(({ path, score }) => [path, score] as const) ?? [];
    const [first, second] = scores.filter(([path]) => path === 'guide/ports.md').map(([, score]) => score);
    // Between the two sections of the page, near enough to the lower one.
    const minCosine = Math.min((second as number) + 0.04, first as number);
    const at = { minCosine, minCosineModel: model() };
    const count = async (secondChance: boolean): Promise<number> =>
      stage((await run(adjusted({ ...at, secondChance }))).explanation, 'dense')?.candidates.filter(
        ({ path }) => path === 'guide/ports.md',
      ).length ?? 0;
    expect([await count(false), await count(true)]).toEqual([1, 2]);
  });
});

describe('diversity', () => {
  test('of 1 is the order as it is; of less, what repeats an earlier hit comes later', async () => {
    const { hits } = await docs.search('door of the system');
    expect(diversify(hits, 1, docs.parts.analyzer)).toBe(hits);
    const paths = diversify(hits, 0.3, docs.parts.analyzer).map(({ chunk }) => chunk.path);
    expect(paths.slice(0, 2)).not.toEqual(['guide/gateway.md', 'guide/copy.md']);
    expect(
      hits
        .slice(0, 2)
        .map(({ chunk }) => chunk.path)
        .toSorted(),
    ).toEqual(['guide/copy.md', 'guide/gateway.md']);
    expect(paths.toSorted()).toEqual(hits.map(({ chunk }) => chunk.path).toSorted());
  });
});

// [S2-missing-dynamic-pool]
describe('the size of the pool', () => {
  // [S2-rerank-pool]
  test('ends at a clear gap, and is whole where scores fall evenly', () => {
    expect(poolSize([1, 0.98, 0.97, 0.95, 0.3, 0.29, 0.28, 0.27], 30)).toBe(4);
    expect(poolSize([1, 0.9, 0.8, 0.7, 0.6, 0.5], 30)).toBe(6);
    expect(poolSize([1, 0.1, 0.09], 30)).toBe(3);
  });

  test('is between 3 and what is allowed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, noNaN: true })),
        fc.integer({ min: 1, max: 40 }),
        (scores, most) => {
          const sorted = scores.toSorted((a, b) => b - a);
          const size = poolSize(sorted, most);
          expect(size).toBeLessThanOrEqual(Math.min(most, sorted.length));
          expect(size).toBeGreaterThanOrEqual(Math.min(3, most, sorted.length));
        },
      ),
    );
  });
});

describe('reranking', () => {
  /** Likes long texts. */
  const byLength: Reranker = {
    model: 'by-length',
    rerank: async (_query, texts) =>
      texts.map((text, index) => ({ index, score: text.length })).sort((a, b) => b.score - a.score),
  };
  const answering = (scored: readonly { index: number; score: number }[]): Reranker => ({
    model: 'answering',
    rerank: async () => scored,
  });

  // [S2-rerank-candidates] [S4-rerank-optional]
  test('puts the candidates in its order, and what was no candidate behind them', async () => {
    const plain = await run(docs.parts);
    const { hits, explanation, warnings } = await run(reranked({ candidates: 3 }, byLength));
    const lengths = hits.slice(0, 3).map(({ scores }) => scores.find((score) => score.stage === 'rerank')?.score ?? 0);
    expect(lengths).toEqual(lengths.toSorted((a, b) => b - a));
    expect(hits.slice(3).map(({ chunk }) => chunk.id)).toEqual(plain.hits.slice(3).map(({ chunk }) => chunk.id));
    expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).toSorted((a, b) => b - a));
    expect(stage(explanation, 'rerank')?.detail).toMatchObject({ model: 'by-length', candidates: 3, skipped: null });
    expect(warnings).toEqual([]);
  });

  test('neither loses nor invents nor doubles a hit, whatever it answers', async () => {
    const plain = (await run(docs.parts)).hits.map(({ chunk }) => chunk.id).toSorted();
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({ index: fc.integer({ min: -2, max: 12 }), score: fc.double({ min: -5, max: 5, noNaN: true }) }),
        ),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (scored, weight) => {
          const { hits } = await run(reranked({ weight }, answering(scored)));
          expect(hits.map(({ chunk }) => chunk.id).toSorted()).toEqual(plain);
        },
      ),
      { numRuns: 30 },
    );
  });

  test('that fails keeps the order, and says so', async () => {
    const failing: Reranker = {
      model: 'failing',
      rerank: () => Promise.reject(new RagError('driver-unavailable', 'no answer', { hint: 'start it' })),
    };
    const plain = await run(docs.parts);
    const { hits, warnings, explanation } = await run(reranked({}, failing));
    expect(hits).toEqual(plain.hits);
    expect(warnings).toMatchObject([{ code: 'rerank-failed', hint: 'start it' }]);
    expect(stage(explanation, 'rerank')?.detail).toMatchObject({ model: null, skipped: 'no answer' });
  });

  // [S0-jina-truncate]
  test('reads whole texts, or says that it read their beginnings', async () => {
    const seen: string[][] = [];
    const reading: Reranker = {
      model: 'reading',
      async rerank(_query, texts) {
        seen.push([...texts]);
        return [];
      },
    };
    expect((await run(reranked({ maxChars: null }, reading))).warnings).toEqual([]);
    const { warnings } = await run(reranked({ maxChars: 40 }, reading));
    expect(warnings).toMatchObject([{ code: 'rerank-cut', hint: 'rerank.maxChars: null gives it the whole text' }]);
    expect(Math.max(...(seen[0] ?? []).map(({ length }) => length))).toBeGreaterThan(40);
    expect(Math.max(...(seen[1] ?? []).map(({ length }) => length))).toBeLessThanOrEqual(40);
  });

  // [S0-rerank-skip-threshold] [S0-future-skip-rerank] [S0-rerank-skip-told] [S0-rerank-skip-confident]
  test('is skipped where the legs agree, or above a score', async () => {
    const skipped = async (change: Partial<RerankSettings>, query?: string): Promise<unknown> =>
      stage((await run(reranked(change, byLength), query)).explanation, 'rerank')?.detail['skipped'];
    expect(await skipped({ skip: 'agreement' }, 'cats sleep')).toMatch('agree on the first hit');
    expect(await skipped({ skip: 'agreement' }, 'what door changed version file cats')).toBeNull();
    expect(await skipped({ skip: 'score', skipAbove: 0.1 })).toMatch('is above 0.1');
    expect(await skipped({ skip: 'score', skipAbove: 5 })).toBeNull();
  });

  test('the rule of the design cannot fire: two lists at k = 60 never reach .04', async () => {
    const parts = reranked({ skip: 'score', skipAbove: 0.04 }, byLength);
    const rrf = {
      ...parts,
      settings: {
        ...parts.settings,
        fuse: { ...DEFAULTS.fuse, method: 'rrf' as const, weights: { ...DEFAULTS.fuse.weights, heading: 0 } },
      },
    };
    for (const query of [QUESTION, 'cats', 'port'])
      expect(stage((await run(rrf, query)).explanation, 'rerank')?.detail['skipped']).toBeNull();
  });

  // [S0-future-light-model]
  test('short questions take the lighter one', async () => {
    const parts = reranked({ lightBelowWords: 3 }, byLength);
    expect(stage((await run(parts, 'gateway port')).explanation, 'rerank')?.detail['model']).toMatch(
      'late-interaction',
    );
    expect(stage((await run(parts)).explanation, 'rerank')?.detail['model']).toBe('by-length');
  });
});

describe('late interaction', () => {
  // [S0-future-colbert]
  test('is a leg of its own over what the others found', async () => {
    const parts = partsWith({
      retrieve: { ...DEFAULTS.retrieve, lateInteraction: true },
      fuse: { ...DEFAULTS.fuse, weights: { ...DEFAULTS.fuse.weights, lateInteraction: 0.3 } },
    });
    const { hits, explanation } = await run(parts);
    expect(hits[0]?.scores.map(({ stage: name }) => name)).toEqual(['keyword', 'dense', 'heading', 'late-interaction']);
    const scores = stage(explanation, 'late-interaction')?.candidates.map(({ score }) => score) ?? [];
    expect(scores.length).toBeGreaterThan(3);
    for (const score of scores) expect(Math.abs(score)).toBeLessThanOrEqual(1 + 1e-6);
  });

  // [S3-colbert-optional]
  test('finds the passage whose words are nearest, each for itself', async () => {
    const comparison = await docs.parts.lateInteraction();
    const texts = ['The cat sleeps on the sofa.', 'Configure the server port.', 'server'];
    expect(
      (await comparison.rerank('which port has the server', texts, { topK: 2 })).map(({ index }) => index),
    ).toEqual([1, 2]);
    expect(await comparison.rerank('', texts, { topK: 3 })).toHaveLength(3);
    const [same] = await comparison.rerank('server port', ['server port'], { topK: 1 });
    expect(same?.score).toBeCloseTo(1, 5);
  });
});
