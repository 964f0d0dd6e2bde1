/** The engine as a program uses it, on real files, with both stores. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Settings } from '../../src/core/settings.ts';
import { createEngine, parseSource, presetSettings, type Engine } from '../../src/index.ts';

const root = await mkdtemp(join(tmpdir(), 'footnote-engine-'));
afterAll(() => rm(root, { recursive: true, force: true }));

const PAGES: Readonly<Record<string, string>> = {
  'ports.md': '# Ports\n\nThe gateway listens on port 8787. Set `GATEWAY_PORT` to change it.\n',
  'guide/logs.md': '# Logs\n\nThe gateway writes its log to the console.\n',
};

interface Place {
  readonly docs: string;
  readonly folder: string;
  write(path: string, text: string): Promise<void>;
}

let places = 0;
async function place(pages = PAGES): Promise<Place> {
  const base = join(root, String(places++));
  const docs = join(base, 'docs');
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(docs, path)), { recursive: true });
    await writeFile(join(docs, path), text);
  };
  await mkdir(docs, { recursive: true });
  for (const [path, text] of Object.entries(pages)) await write(path, text);
  return { docs, folder: join(base, 'index'), write };
}

const open = (folder: string, use: 'embedded' | 'memory', change: Partial<Settings> = {}): Promise<Engine> =>
  createEngine({ folder, settings: { ...presetSettings('default'), ...change, store: { use } } });

const sourcesOf = ({ docs }: Place): readonly ReturnType<typeof parseSource>[] => [parseSource(docs, { cwd: root })];

async function paths(engine: Engine, query: string): Promise<readonly string[]> {
  return (await engine.search({ query, mode: 'keyword' })).hits.map(({ chunk }) => chunk.path);
}

describe.each(['embedded', 'memory'] as const)('%s', (use) => {
  // [S2-store-documents] [S0-payload-content]
  test('ingest, search, ask, document, documents, status', async () => {
    const here = await place();
    const engine = await open(here.folder, use);
    const report = await engine.ingest({ sources: sourcesOf(here) });
    expect(report).toMatchObject({
      generation: 1,
      documents: 2,
      chunks: 2,
      removed: [],
      sources: [{ source: 'docs', added: 2 }],
    });

    expect((await paths(engine, 'GATEWAY_PORT'))[0]).toBe('ports.md');
    const answer = await engine.ask({ question: 'Which port does the gateway listen on?' });
    expect(answer).toMatchObject({ outcome: 'answered', preset: 'default', generator: 'extractive' });
    expect(answer.id).toMatch(/^[0-9a-f]{32}$/u);
    expect(answer.citations[0]?.quote).toContain('The gateway listens on port 8787.');

    const documents = await engine.documents();
    expect(documents.map(({ path, chunks }) => [path, chunks])).toEqual([
      ['guide/logs.md', 1],
      ['ports.md', 1],
    ]);
    const document = await engine.document(documents[1]?.id ?? '');
    expect(document?.text).toBe(PAGES['ports.md']);
    expect(await engine.document('no such id')).toBeUndefined();

    expect(await engine.status()).toMatchObject({
      index: here.folder,
      preset: 'default',
      generation: 1,
      documents: 2,
      chunks: 2,
      store: use,
      model: expect.stringMatching(/^static-docs-384@/u),
      sources: [{ id: 'docs', documents: 2, chunks: 2 }],
      lastSync: { documents: 2 },
    });
    await engine.close();
  });

  test('an ingest while a reader is open: the next search sees the new run', async () => {
    const here = await place();
    const engine = await open(here.folder, use);
    await engine.ingest({ sources: sourcesOf(here) });
    expect(await paths(engine, 'walrus')).toEqual([]);
    await here.write('walrus.md', '# Walrus\n\nThe walrus is new.\n');
    const [report] = (await engine.ingest()).sources;
    expect(report).toMatchObject({ added: 1, updated: 0, unchanged: 2, read: 1 });
    expect(await paths(engine, 'walrus')).toEqual(['walrus.md']);
    await rm(join(here.docs, 'walrus.md'));
    expect((await engine.ingest()).sources[0]).toMatchObject({ deleted: 1, read: 0 });
    expect(await paths(engine, 'walrus')).toEqual([]);
    await engine.close();
  });

  test('a rebuild gives the same hits', async () => {
    const here = await place();
    const engine = await open(here.folder, use);
    await engine.ingest({ sources: sourcesOf(here) });
    const before = (await engine.search({ query: 'gateway port' })).hits;
    await engine.ingest({ rebuild: true });
    expect((await engine.search({ query: 'gateway port' })).hits).toEqual(before);
    await engine.close();
  });

  test('a source is taken out with all its documents', async () => {
    const here = await place();
    const engine = await open(here.folder, use);
    await engine.ingest({ sources: sourcesOf(here) });
    const report = await engine.ingest({ remove: ['docs'] });
    expect(report).toMatchObject({ removed: ['docs'], documents: 0, sources: [] });
    expect(await paths(engine, 'gateway')).toEqual([]);
    expect((await engine.status()).sources).toEqual([]);
    await expect(engine.ingest({ remove: ['docs'] })).rejects.toMatchObject({ code: 'source-missing' });
    await engine.close();
  });

  test('searches and answers that run while an ingest ends are whole', async () => {
    const here = await place();
    const engine = await open(here.folder, use);
    await engine.ingest({ sources: sourcesOf(here) });
    let writing = true;
    const asked: Promise<unknown>[] = [];
    const ask = async (): Promise<void> => {
      while (writing) {
        const { hits } = await engine.search({ query: 'gateway' });
        expect(hits.map(({ chunk }) => chunk.path)).toContain('ports.md');
        expect(await engine.ask({ question: 'Which port does the gateway listen on?' })).toMatchObject({
          outcome: 'answered',
        });
      }
    };
    asked.push(ask(), ask());
    for (let run = 0; run < 3; run++) {
      await here.write('more.md', `# More\n\nRun ${run} of the gateway.\n`);
      await engine.ingest(run === 2 ? { rebuild: true } : {});
    }
    writing = false;
    await Promise.all(asked);
    await engine.close();
  });

  test('an empty question, and a withdrawn one', async () => {
    const here = await place();
    const engine = await open(here.folder, use);
    await engine.ingest({ sources: sourcesOf(here) });
    await expect(engine.ask({ question: ' ' })).rejects.toMatchObject({ code: 'question-invalid' });
    await expect(engine.search({ query: ' ' })).rejects.toMatchObject({ code: 'question-invalid' });
    const signal = AbortSignal.abort();
    await expect(engine.ask({ question: 'port' }, { signal })).rejects.toMatchObject({ code: 'aborted' });
    expect((await engine.ask({ question: 'Which port does the gateway listen on?' })).outcome).toBe('answered');
    await engine.close();
  });

  test('closing twice, or without having done anything, is fine', async () => {
    const here = await place();
    const engine = await open(here.folder, use);
    await engine.close();
    await engine.close();
  });
});

describe('embedded', () => {
  test('another engine on the same folder reads what the first one wrote', async () => {
    const here = await place();
    const writer = await open(here.folder, 'embedded');
    await writer.ingest({ sources: sourcesOf(here) });
    const reader = await open(here.folder, 'embedded');
    const question = { query: 'gateway port' };
    expect((await reader.search(question)).hits).toEqual((await writer.search(question)).hits);
    await here.write('walrus.md', '# Walrus\n\nThe walrus is new.\n');
    await writer.ingest();
    expect(await paths(reader, 'walrus')).toEqual(['walrus.md']);
    await writer.close();
    await reader.close();
  });

  test('where there is no index yet, nothing is made by asking', async () => {
    const here = await place();
    const engine = await open(here.folder, 'embedded');
    for (const work of [engine.search({ query: 'x' }), engine.ask({ question: 'x' }), engine.status()])
      await expect(work).rejects.toMatchObject({
        code: 'index-missing',
        hint: expect.stringContaining('footnote ingest'),
      });
    await expect(readdir(here.folder)).rejects.toMatchObject({ code: 'ENOENT' });
    // Another process makes one: the next question finds it.
    const writer = await open(here.folder, 'embedded');
    await writer.ingest({ sources: sourcesOf(here) });
    expect(await paths(engine, 'gateway')).toHaveLength(2);
    await writer.close();
    await engine.close();
  });

  test('what differs from what the index was built with is refused', async () => {
    const here = await place();
    const engine = await open(here.folder, 'embedded');
    await engine.ingest({ sources: sourcesOf(here) });
    await engine.close();
    const { chunk } = presetSettings('default');
    const other = await open(here.folder, 'embedded', { chunk: { ...chunk, maxTokens: 300 } });
    await expect(other.search({ query: 'port' })).rejects.toMatchObject({ code: 'index-mismatch' });
    await expect(other.ingest()).rejects.toMatchObject({ code: 'index-mismatch' });
    await other.ingest({ rebuild: true });
    expect((await paths(other, 'GATEWAY_PORT'))[0]).toBe('ports.md');
    await other.close();
  });

  test('query settings may differ at any time', async () => {
    const here = await place();
    const engine = await open(here.folder, 'embedded');
    await engine.ingest({ sources: sourcesOf(here) });
    await engine.close();
    const { fuse } = presetSettings('default');
    const other = await open(here.folder, 'embedded', { fuse: { ...fuse, method: 'rrf' } });
    const [hit] = (await other.search({ query: 'gateway port' })).hits;
    expect(hit?.score).toBeCloseTo(3 / 61, 5);
    await other.close();
  });
});

test('a stream that is left early, or not at all, holds nobody up', async () => {
  const here = await place();
  const engine = await open(here.folder, 'embedded');
  await engine.ingest({ sources: sourcesOf(here) });
  for await (const event of engine.stream({ question: 'Which port?' })) if (event.type === 'passages-available') break;
  const slow = engine.stream({ question: 'Which port does the gateway listen on?' })[Symbol.asyncIterator]();
  await slow.next();
  await here.write('walrus.md', '# Walrus\n\nThe walrus is new.\n');
  await engine.ingest();
  expect(await paths(engine, 'walrus')).toEqual(['walrus.md']);
  let last = await slow.next();
  for (let next = last; next.done !== true; next = await slow.next()) last = next;
  expect(last.value).toMatchObject({ type: 'answer-end', answer: { outcome: 'answered' } });
  await engine.close();
});

describe('confidence', () => {
  // [S0-future-confidence] [S1-answer-confidence] [S3-limit-confidence]
  test('is there for the default preset, null with a warning where none was fitted', async () => {
    const here = await place();
    const engine = await open(here.folder, 'memory');
    await engine.ingest({ sources: sourcesOf(here) });
    const question = 'Which port does the gateway listen on?';
    const { confidence } = await engine.ask({ question });
    expect(confidence).toBeGreaterThan(0);
    expect(confidence).toBeLessThanOrEqual(1);
    await engine.close();

    const words = await open(here.folder, 'memory', {
      embed: { ...presetSettings('default').embed, use: 'none', headings: false },
    });
    await words.ingest({ sources: sourcesOf(here) });
    const answer = await words.ask({ question });
    expect(answer).toMatchObject({ outcome: 'answered', confidence: null });
    expect(answer.warnings.map(({ code }) => code)).toContain('confidence-not-fitted');
    await words.close();
  });
});
