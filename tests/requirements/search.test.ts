/** The questions that the designs give as examples, and what they say about how legs and batches run. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Embedder, Store } from '../../src/core/contracts.ts';
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
