/** The questions that the designs give as examples, and what they say about how legs and batches run. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Embedder, Reranker, Store } from '../../src/core/contracts.ts';
import { openOnce } from '../../src/drivers.ts';
import { ingest } from '../../src/pipeline/ingest.ts';
import { search } from '../../src/pipeline/search.ts';
import { presetSettings } from '../../src/presets/preset-settings.ts';
import { library, source, type Library } from '../pipeline/library.ts';

const PAGES = {
  'services.md':
    '# Web services\n\nTo expose an endpoint, design a REST service in the API designer and publish it with your application.',
  'copilot.md': '# The assistant\n\nAIRA writes components from a description.',
  'deploy.md': '# Deployment\n\nSet `DB_HOST` and `DB_PORT` in the environment of the container.',
  'physics.md':
    '# Quantum physics\n\nEntangled particles share one state, whatever the distance between them.\n\n## Equations\n\nThe Schrödinger equation describes how a wave function evolves.',
  'learning.md':
    '# Machine learning\n\nAn algorithm for learning fits a model to examples: decision trees, nearest neighbours, networks.',
  'garden.md': '# Garden\n\nTulips are planted in autumn, and water is scarce in summer.',
};

let docs: Library;
beforeAll(async () => {
  docs = await library(PAGES);
});

describe('questions of the designs', () => {
  // [S0-hybrid-how-to]
  test('"How to create API": vectors find it without the word "create"', async () => {
    expect((await docs.paths('How to create API', { mode: 'dense' }))[0]).toBe('services.md');
  });

  // [S0-hybrid-abbreviation] [S0-hybrid-identifier] [S1-mode-exact]
  test.each([
    ['AIRA', 'copilot.md'],
    ['Configure DB_HOST', 'deploy.md'],
    ['Schrödinger equation', 'physics.md'],
    ['schrodinger EQUATION', 'physics.md'],
  ])('"%s": words find it', async (query, path) => {
    expect((await docs.paths(query, { mode: 'keyword' }))[0]).toBe(path);
    expect((await docs.paths(query))[0]).toBe(path);
  });

  // [S1-mode-conceptual]
  test('"What is quantum entanglement?": vectors find other forms of the words', async () => {
    expect((await docs.paths('What is quantum entanglement?', { mode: 'dense' }))[0]).toBe('physics.md');
  });

  // [S1-mode-hybrid]
  test('"explain machine learning algorithms": both together', async () => {
    const { hits } = await docs.search('explain machine learning algorithms', { mode: 'hybrid' });
    expect(hits[0]?.chunk.path).toBe('learning.md');
    expect(hits[0]?.scores.map(({ stage }) => stage)).toEqual(expect.arrayContaining(['keyword', 'dense']));
  });

  // [S1-alpha-range]
  test.each([-0.1, 1.1, Number.NaN])('alpha is a weight from 0 to 1: not %d', async (alpha) => {
    await expect(docs.search('equation', { alpha })).rejects.toMatchObject({ code: 'setting-invalid' });
  });
});

// [S1-alpha-recommended] [S1-alpha-range]
test('alpha 0.7 is seven parts of vectors and three of words', async () => {
  const words = await library(PAGES, { embed: { ...presetSettings('default').embed, headings: false } });
  const { hits } = await words.search('learning algorithms', { alpha: 0.7, top: 1000 });
  const scoresOf = (stage: string): readonly number[] =>
    hits.flatMap(({ scores }) => scores.filter((score) => score.stage === stage).map(({ score }) => score));
  const [dense, keyword] = [scoresOf('dense'), scoresOf('keyword')];
  expect(keyword.length).toBeGreaterThan(0);
  for (const { score, scores } of hits) {
    const of = (stage: string): number | undefined => scores.find((each) => each.stage === stage)?.score;
    const far = ((of('dense') ?? 0) - Math.min(...dense)) / (Math.max(...dense) - Math.min(...dense));
    expect(score).toBeCloseTo(0.7 * far + (0.3 * (of('keyword') ?? 0)) / Math.max(...keyword), 10);
  }
});

// [S1-query-minimal] [S1-query-unchanged] [S1-query-terms] [S1-query-no-stemming] [S1-query-stop-words]
test('with the preset for papers a question is embedded as it is written, and searched by all its words', async () => {
  const { analyze, query } = presetSettings('papers');
  const papers = await library(PAGES, { analyze, query });
  const own = papers.parts.embedder as Embedder;
  const asked: string[] = [];
  const embedder: Embedder = {
    ...own,
    embed(texts, as, options) {
      if (as === 'query') asked.push(...texts);
      return own.embed(texts, as, options);
    },
  };
  const question = 'What DOES the  Schrödinger equation of \\psi describe?';
  const { explanation } = await search({ query: question, explain: true }, { ...papers.parts, embedder });
  expect(asked).toEqual([question]);
  const terms = explanation?.stages.find(({ stage }) => stage === 'keyword')?.detail['terms'] as { term: string }[];
  expect(terms.map(({ term }) => term)).toEqual(
    expect.arrayContaining(['what', 'does', 'the', 'schrodinger', 'equation', 'of', '\\psi', 'describe']),
  );
});

// [S1-weaviate-vectorizer] [S1-weaviate-class-name]
test('what is embedded of a chunk is its headings and its words, and nothing of its names or kind', async () => {
  const drivers = openOnce({ ...presetSettings('papers'), store: { use: 'memory' } });
  const [parts, store] = [await drivers.ingesting(), await drivers.memoryStore()];
  const own = parts.embedder as Embedder;
  const embedded: string[] = [];
  const embedder: Embedder = {
    ...own,
    embed(texts, as, options) {
      embedded.push(...texts);
      return own.embed(texts, as, options);
    },
  };
  await ingest([source({ 'a/secret-name.md': '# Title\n\nSome words.' })], { ...parts, embedder, store });
  expect(embedded).toEqual(['Title\nTitle\nSome words.']);
});

// [S0-rerank-skip-empty]
test('where nothing is found, nothing is reranked', async () => {
  const asked: unknown[] = [];
  const reranker: Reranker = {
    model: 'asked',
    async rerank(...all) {
      asked.push(all);
      return [];
    },
  };
  const settings = { ...docs.parts.settings, rerank: { ...docs.parts.settings.rerank, use: 'jina' as const } };
  const parts = { ...docs.parts, settings, reranker: async () => reranker };
  expect((await search({ query: 'unheardof', mode: 'keyword' }, parts)).hits).toEqual([]);
  expect(asked).toEqual([]);
});

// [S0-rerank-nan]
test('a reranker whose scores are no numbers leaves the order as it was, and that is told', async () => {
  const reranker: Reranker = {
    model: 'broken',
    rerank: async (_query, texts) => texts.map((_, index) => ({ index, score: index === 1 ? Number.NaN : index })),
  };
  const settings = { ...docs.parts.settings, rerank: { ...docs.parts.settings.rerank, use: 'onnx' as const } };
  const plain = await docs.search('machine learning');
  const { hits, warnings } = await search(
    { query: 'machine learning' },
    { ...docs.parts, settings, reranker: async () => reranker },
  );
  expect(hits).toEqual(plain.hits);
  expect(warnings).toMatchObject([{ code: 'rerank-failed', message: expect.stringContaining('no numbers') as string }]);
});

// [S0-hybrid-parallel]
test('no leg waits for another', async () => {
  const wanted = new Set(['keyword', 'dense']);
  let begin = (): void => undefined;
  const allBegan = new Promise<void>((resolve) => (begin = resolve));
  const store: Store = {
    ...docs.parts.store,
    async search(query, options) {
      wanted.delete(query.leg);
      if (wanted.size === 0) begin();
      await allBegan;
      return docs.parts.store.search(query, options);
    },
  };
  expect((await search({ query: 'machine learning' }, { ...docs.parts, store })).hits[0]?.chunk.path).toBe(
    'learning.md',
  );
});

// [S0-batch-embed] [S1-batching]
test('a document is embedded in calls of many texts, not one by one', async () => {
  const sections = Array.from({ length: 40 }, (_, i) => `## Part ${i}\n\nThe part number ${i} has words.`).join('\n\n');
  const drivers = openOnce({ ...presetSettings('default'), store: { use: 'memory' } });
  const [parts, store] = [await drivers.ingesting(), await drivers.memoryStore()];
  const own = parts.embedder as Embedder;
  const calls: number[] = [];
  const embedder: Embedder = {
    ...own,
    embed(texts, as, options) {
      calls.push(texts.length);
      return own.embed(texts, as, options);
    },
  };
  await ingest([source({ 'parts.md': sections })], { ...parts, embedder, store });
  expect((await store.statistics()).chunks).toBe(40);
  expect(calls.length).toBeLessThanOrEqual(2);
  expect(Math.max(...calls)).toBe(40);
});
