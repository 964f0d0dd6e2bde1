import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { matchesFilter } from '../../src/core/filter.ts';
import type { Filter } from '../../src/core/filter.ts';
import type { Chunk, Hit } from '../../src/core/types.ts';
import { presetSettings } from '../../src/presets/preset-settings.ts';
import { library, uriOf, type Files, type Library } from './library.ts';

const PAGES: Files = {
  'guide/ports.md':
    '# Ports\n\nThe gateway listens on port 8787. Set `DB_PORT` for the database.\n\n## Range\n\nPorts go from 1 to 65535.',
  'guide/logs.md': '---\ntags: [ops, log]\nversion: 2\n---\n# Logs\n\nLogs are written to the console of the gateway.',
  'guide/backup.md': '---\nversion: 3\n---\n# Backup\n\nA backup runs at night. It is kept for a week.',
  'ref/api.md': "# API\n\nThe client's `createServer` returns a handle. Don't close it twice.",
  'ref/empty.md': '---\ntitle: Nothing\n---\n',
  'notes.txt': 'Notes\n\nThe penguin keeps the gateway warm.',
};

let docs: Library;
beforeAll(async () => {
  docs = await library(PAGES);
});
const ids = (hits: readonly Hit[]): readonly string[] => hits.map(({ chunk }) => chunk.id);

describe('a question is text, never query syntax', () => {
  test.each([
    "client's handle",
    'client’s handle',
    '"client handle"',
    'client AND handle',
    'client* -handle',
    '(client OR handle)',
    'title:client NEAR/3 handle',
    "'; DROP TABLE chunks; --",
    '{"$ne": null} client handle',
    'client\u0000handle',
    'client\\handle %_',
    '<client> handle & `x`',
  ])('%j', async (query) => {
    const { hits } = await docs.search(query);
    expect(hits.length).toBeGreaterThan(0);
    if (query.includes('client')) expect(hits[0]?.chunk.path).toBe('ref/api.md');
  });

  test('any text is an answerable question', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }), async (query) => {
        if (query.trim() === '') await expect(docs.search(query)).rejects.toMatchObject({ code: 'question-invalid' });
        else expect((await docs.search(query)).hits.length).toBeLessThanOrEqual(10);
      }),
      { numRuns: 50 },
    );
  });

  test('of stop words only, it is still answered by the vectors', async () => {
    expect((await docs.search('how do I do this?')).hits.length).toBeGreaterThan(0);
    expect((await docs.search('how do I do this?', { mode: 'keyword' })).hits).toEqual([]);
  });

  test.each(['', ' \n\t', 'x'.repeat(100_001)])('empty and endless ones are refused', async (query) => {
    await expect(docs.search(query)).rejects.toMatchObject({ code: 'question-invalid' });
  });
});

describe('hits', () => {
  // [S3-bm25-leg] [S3-dense-leg] [S4-bm25-roadmap] [S1-mode-hybrid]
  test('are ranked, say what each leg said, and stand at their place', async () => {
    const { hits, timings, warnings } = await docs.search('Which port does the gateway listen on?');
    expect(hits[0]?.chunk.path).toBe('guide/ports.md');
    expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).sort((a, b) => b - a));
    expect(hits[0]?.scores.map(({ stage }) => stage)).toEqual(['keyword', 'dense', 'heading']);
    for (const { chunk } of hits) {
      const { text } = await docs.document(chunk.path);
      expect(chunk.text).toBe(text.slice(chunk.span.start, chunk.span.end));
    }
    expect(Object.keys(timings)).toEqual(['plan', 'retrieve', 'fuse', 'adjust', 'load', 'rerank', 'diversify']);
    expect(warnings).toEqual([]);
  });

  // [S0-hybrid-identifier] [S1-mode-exact]
  test('an identifier is found by its whole name and by its parts', async () => {
    expect((await docs.paths('DB_PORT', { mode: 'keyword' }))[0]).toBe('guide/ports.md');
    expect((await docs.paths('createserver', { mode: 'keyword' }))[0]).toBe('ref/api.md');
    expect((await docs.paths('server', { mode: 'keyword' }))[0]).toBe('ref/api.md');
  });

  test('--top is how many there are', async () => {
    for (const top of [1, 2, 3]) expect((await docs.search('gateway', { top })).hits).toHaveLength(top);
    const all = (await docs.search('gateway', { top: 1000 })).hits;
    expect(ids((await docs.search('gateway', { top: 2 })).hits)).toEqual(ids(all.slice(0, 2)));
  });

  // [S1-alpha-one] [S1-alpha-zero] [S1-search-modes]
  test('alpha 1 is the dense mode, alpha 0 the keyword mode', async () => {
    for (const query of ['gateway port', 'console of the gateway', 'penguin']) {
      const order = async (request: object): Promise<readonly string[]> =>
        ids((await docs.search(query, request)).hits);
      expect(await order({ alpha: 1 })).toEqual(await order({ mode: 'dense' }));
      expect(await order({ alpha: 0 })).toEqual(await order({ mode: 'keyword' }));
    }
  });

  test('enough for so many documents, when the evaluation asks', async () => {
    const { hits } = await docs.search('gateway port', { distinctDocuments: 3 });
    expect(new Set(hits.map(({ chunk }) => chunk.documentId)).size).toBe(3);
  });

  test('an index without vectors searches words, and says so', async () => {
    const words = await library(PAGES, { embed: { ...presetSettings('default').embed, use: 'none', headings: false } });
    const { hits, warnings } = await words.search('gateway port');
    expect(hits[0]?.chunk.path).toBe('guide/ports.md');
    expect(warnings.map(({ code }) => code)).toEqual(['no-dense-leg']);
    await expect(words.search('gateway', { mode: 'dense' })).rejects.toMatchObject({ code: 'setting-invalid' });
  });
});

describe('filters', () => {
  const field = fc.constantFrom('path', 'version', 'tags', 'type', 'section', 'title', 'nothing');
  const value = fc.constantFrom<string | number>('guide/ports.md', 2, '3', 'ops', 'text', 'Range', 'Logs');
  const condition = fc.oneof(
    value,
    fc.array(value, { maxLength: 2 }),
    value.map((gte) => ({ gte })),
    fc.boolean().map((exists) => ({ exists })),
  );
  const leaf = fc.tuple(field, condition).map(([key, wanted]) => ({ [key]: wanted }) as Filter);
  const filter = fc.oneof(
    leaf,
    fc.array(leaf, { maxLength: 2 }).map((and) => ({ and })),
    fc.array(leaf, { maxLength: 2 }).map((or) => ({ or })),
    leaf.map((not) => ({ not })),
  );

  // [S1-metadata-filters] [S1-metadata-free] [S0-metadata-use]
  test('leave exactly the chunks that match, in the same order', async () => {
    const everything = (await docs.search('gateway', { top: 1000 })).hits;
    await fc.assert(
      fc.asyncProperty(filter, async (wanted) => {
        const { hits } = await docs.search('gateway', { top: 1000, filter: wanted });
        const expected = everything.map(({ chunk }) => chunk).filter((chunk: Chunk) => matchesFilter(chunk, wanted));
        expect(new Set(ids(hits))).toEqual(new Set(expected.map(({ id }) => id)));
      }),
      { numRuns: 60 },
    );
  });
});

describe('--explain', () => {
  test('shows every stage with its settings, its candidates and its time', async () => {
    const { explanation, hits } = await docs.search('Which port does the gateway listen on?', {
      explain: true,
      top: 3,
    });
    const stages = explanation?.stages ?? [];
    expect(stages.map(({ stage }) => stage)).toEqual([
      'plan', 'keyword', 'dense', 'heading', 'fuse', 'adjust', 'merge', 'rerank', 'diversify', 'confidence',
    ]); // prettier-ignore
    for (const { stage, milliseconds, candidates } of stages) {
      expect(milliseconds).toBeGreaterThanOrEqual(0);
      expect(candidates.map(({ rank }) => rank)).toEqual(candidates.map((_, i) => i + 1));
      if (!['plan', 'confidence'].includes(stage)) expect(candidates[0]?.path).not.toBe('');
    }
    expect(stages[1]?.detail['terms']).toContainEqual(expect.objectContaining({ term: 'port' }));
    expect(stages[4]?.detail).toMatchObject({ method: 'weighted' });
    expect(stages[8]?.candidates.map(({ chunkId }) => chunkId)).toEqual(ids(hits));
    expect(stages[7]?.detail).toMatchObject({ model: null, skipped: 'no reranker is set' });
    expect(stages[9]?.detail).toMatchObject({ threshold: 0.3 });
  });

  test('is not there unless asked', async () => {
    const result = await docs.search('gateway');
    expect(result).not.toHaveProperty('explanation');
    expect(result).not.toHaveProperty('whyNot');
  });
});

describe('--why-not', () => {
  const whyNot = async (uri: string, request: object = {}): Promise<unknown> =>
    (await docs.search('gateway penguin', { whyNot: uri, ...request })).whyNot;

  test('returned', async () => {
    expect(await whyNot(uriOf('notes.txt'))).toMatchObject({ verdict: 'returned', stage: null, ranks: { merge: 1 } });
  });

  test('not indexed', async () => {
    expect(await whyNot(uriOf('missing.md'))).toMatchObject({ verdict: 'not-indexed', stage: 'ingest' });
  });

  test('without text', async () => {
    expect(await whyNot(uriOf('ref/empty.md'))).toMatchObject({ verdict: 'lost', stage: 'chunk' });
  });

  test('filtered', async () => {
    expect(await whyNot(uriOf('notes.txt'), { filter: { type: 'markdown' } })).toMatchObject({
      verdict: 'lost',
      stage: 'filter',
      setting: '--filter',
    });
  });

  test('no word of the question in it', async () => {
    expect(await whyNot(uriOf('guide/backup.md'), { mode: 'keyword' })).toMatchObject({
      verdict: 'lost',
      stage: 'retrieve',
      ranks: { keyword: null, fuse: null, merge: null },
    });
  });

  test('ranked below the first, with the --top that shows it', async () => {
    const lost = (await docs.search('gateway penguin', { whyNot: 'guide/ports.md', top: 1 })).whyNot;
    expect(lost).toMatchObject({ verdict: 'lost', stage: 'top', uri: uriOf('guide/ports.md') });
    const top = Number(/^--top (\d+)$/u.exec(lost?.setting ?? '')?.[1]);
    expect(await whyNot('guide/ports.md', { top })).toMatchObject({ verdict: 'returned' });
    expect(await whyNot('guide/ports.md', { top: top - 1 })).toMatchObject({ verdict: 'lost' });
  });

  test('below the depth of every leg', async () => {
    const { retrieve } = docs.parts.settings;
    const shallow = await library(PAGES, { retrieve: { ...retrieve, topK: 1, depth: 1 } });
    const { whyNot: lost } = await shallow.search('gateway penguin', { whyNot: 'guide/backup.md', top: 1 });
    expect(lost).toMatchObject({ verdict: 'lost', stage: 'retrieve', setting: 'retrieve.depth (now 1)' });
  });
});
