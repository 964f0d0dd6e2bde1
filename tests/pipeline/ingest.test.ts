import { describe, expect, test } from 'vitest';
import type { Source, SourceChange } from '../../src/core/contracts.ts';
import { RagError } from '../../src/core/errors.ts';
import type { IngestProgress } from '../../src/core/results.ts';
import { openOnce } from '../../src/drivers.ts';
import { ingest } from '../../src/pipeline/ingest.ts';
import type { IngestParts } from '../../src/pipeline/parts.ts';
import { presetSettings } from '../../src/presets/preset-settings.ts';
import { source, uriOf, type Files } from './library.ts';

async function opened(): Promise<IngestParts> {
  const drivers = openOnce({ ...presetSettings('default'), store: { use: 'memory' } });
  return { ...(await drivers.ingesting()), store: await drivers.memoryStore() };
}

/** A source that yields what the test says. */
const yielding = (id: string, ...changes: readonly SourceChange[]): Source => ({
  ...source({}),
  id,
  async *changes() {
    yield* changes;
  },
});

/** The changes of a source of files. */
async function changesOf(files: Files): Promise<SourceChange[]> {
  const changes: SourceChange[] = [];
  for await (const change of source(files).changes(new Map())) changes.push(change);
  return changes;
}

const unreadable = (path: string, error: Error): SourceChange => ({
  type: 'upsert',
  uri: uriOf(path),
  path,
  stamp: '',
  read: () => Promise.reject(error),
});

describe('one run', () => {
  // [S2-ingest-flow] [S4-index-flow]
  test('counts what it did, and publishes once', async () => {
    const parts = await opened();
    const [report] = await ingest([source({ 'a.md': '# A\n\ntext', 'b.md': '# B\n\ntext' })], parts);
    expect(report).toMatchObject({ source: 'docs', added: 2, updated: 0, read: 2, failures: [], exclusions: [] });
    const [again] = await ingest([source({ 'a.md': '# A\n\nother', 'b.md': '# B\n\ntext' })], parts);
    expect(again).toMatchObject({ added: 0, updated: 2 });
    expect(await parts.store.statistics()).toMatchObject({ documents: 2, chunks: 2, generation: 2 });
  });

  test('every kind of change is counted', async () => {
    const parts = await opened();
    await ingest([source({ 'a.md': 'one', 'b.md': 'two' })], parts);
    const changes: SourceChange[] = [
      { type: 'listed', total: 4 },
      { type: 'unchanged', uri: uriOf('a.md'), stamp: 'new' },
      { type: 'delete', uri: uriOf('b.md') },
      { type: 'exclude', exclusion: { path: '.hidden', reason: 'hidden' } },
      { type: 'failure', path: 'c.md', message: 'no permission' },
    ];
    const [report] = await ingest([yielding('docs', ...changes)], parts);
    expect(report).toMatchObject({
      unchanged: 1,
      deleted: 1,
      read: 0,
      exclusions: [{ path: '.hidden', reason: 'hidden' }],
      failures: [{ path: 'c.md', message: 'no permission' }],
    });
    expect((await parts.store.revisions('docs')).get(uriOf('a.md'))?.stamp).toBe('new');
    expect((await parts.store.documents()).map(({ path }) => path)).toEqual(['a.md']);
  });

  test('tells how far it is', async () => {
    const seen: IngestProgress[] = [];
    const changes = await changesOf({ 'a.md': 'one', 'b.md': 'two' });
    await ingest([yielding('docs', { type: 'listed', total: 2 }, ...changes)], await opened(), {
      onProgress: (progress) => seen.push(progress),
    });
    expect(seen.map(({ phase, done, total }) => [phase, done, total])).toEqual([
      ['index', 0, 2],
      ['index', 1, 2],
      ['index', 2, 2],
      ['publish', 0, undefined],
    ]);
  });

  // [S2-store-vectors] [S2-vectors-precomputed] [S0-batch-upsert]
  test('stores two vectors a chunk, and none where the settings ask for none', async () => {
    const parts = await opened();
    await ingest([source({ 'a.md': '# Ports\n\nThe gateway listens.' })], parts);
    const [vector] = (await parts.embedder?.embed(['Ports'], 'query')) ?? [];
    if (vector === undefined) throw new Error('no vector');
    for (const space of ['dense', 'heading']) {
      const { hits } = await parts.store.search({ leg: 'dense', space, vector, topK: 5 });
      expect(hits).toHaveLength(1);
    }
    const { hits } = await parts.store.search({ leg: 'dense', space: 'heading', vector, topK: 5 });
    expect(hits[0]?.score).toBeCloseTo(1, 5);
  });

  test('detects the language of what declares none', async () => {
    const parts = await opened();
    await ingest(
      [
        source({
          'de.md': '# Ports\n\nDer Server lauscht auf dem Port, der in der Datei steht, und schreibt ein Protokoll.',
          'en.md': '# Ports\n\nThe server listens on the port that is in the file, and it writes a log.',
          'fr.md': '---\nlanguage: fr\n---\nThe server listens on the port that is in the file.',
          'short.md': 'Port',
        }),
      ],
      parts,
    );
    const languages = await Promise.all((await parts.store.documents()).map(({ id }) => parts.store.document(id)));
    expect(languages.map((document) => document?.language)).toEqual(['de', 'en', 'fr', '']);
  });
});

describe('a bad document', () => {
  test('costs itself only', async () => {
    const parts = await opened();
    const good = await changesOf({ 'a.md': 'one', 'z.md': 'two' });
    const failing = unreadable('bad.md', new RagError('document-failed', 'cannot be read'));
    const broken = unreadable('broken.md', new TypeError('something else'));
    const [report] = await ingest([yielding('docs', ...good.slice(0, 1), failing, broken, ...good.slice(1))], parts);
    expect(report).toMatchObject({
      added: 2,
      failures: [
        { path: 'bad.md', message: 'cannot be read' },
        { path: 'broken.md', message: 'something else' },
      ],
    });
    expect((await parts.store.statistics()).documents).toBe(2);
  });

  test('a full disk ends the run, and what was stored before is not published', async () => {
    const parts = await opened();
    const good = await changesOf({ 'a.md': 'one' });
    const full = unreadable('b.md', new RagError('storage-failed', 'the disk is full'));
    await expect(ingest([yielding('docs', ...good, full)], parts)).rejects.toMatchObject({ code: 'storage-failed' });
    expect(await parts.store.statistics()).toMatchObject({ documents: 0, generation: 0 });
    expect((await parts.store.revisions('docs')).size).toBe(1);
  });

  test('a format without a parser is listed', async () => {
    const [change] = await changesOf({ 'a.md': 'one' });
    if (change?.type !== 'upsert') throw new Error('no change');
    const raw = { ...(await change.read()), mediaType: 'application/pdf', path: 'a.pdf' };
    const [report] = await ingest([yielding('docs', { ...change, read: async () => raw })], await opened());
    expect(report).toMatchObject({ added: 0, exclusions: [{ path: 'a.pdf', reason: 'no-parser' }] });
  });

  test('empty pages and drafts are listed in every run', async () => {
    const parts = await opened();
    const files = { 'empty.md': '', 'draft.md': '---\ndraft: true\n---\ntext', 'good.md': 'text' };
    for (let run = 0; run < 2; run++) {
      const [report] = await ingest([source(files)], parts);
      expect(report?.exclusions).toEqual([
        { path: 'draft.md', reason: 'draft' },
        { path: 'empty.md', reason: 'empty' },
      ]);
    }
  });
});

describe('several sources', () => {
  const missing: Source = {
    ...source({}),
    id: 'gone',
    address: 'gone',
    changes: () => ({
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.reject(new RagError('source-missing', 'there is no gone')),
      }),
    }),
  };

  test('one that cannot be reached costs itself only, and keeps what the index has of it', async () => {
    const parts = await opened();
    const reports = await ingest([missing, source({ 'a.md': 'one' })], parts);
    expect(reports.map(({ source: id, added, failures }) => [id, added, failures.length])).toEqual([
      ['gone', 0, 1],
      ['docs', 1, 0],
    ]);
  });

  test('alone, or in a rebuild, it ends the run', async () => {
    await expect(ingest([missing], await opened())).rejects.toMatchObject({ code: 'source-missing' });
    const both = [missing, source({ 'a.md': 'one' })];
    await expect(ingest(both, await opened(), { rebuild: true })).rejects.toMatchObject({ code: 'source-missing' });
  });
});

test('an abort ends the run between two documents', async () => {
  const parts = await opened();
  const stop = new AbortController();
  const changes = await changesOf({ 'a.md': 'one', 'b.md': 'two', 'c.md': 'three' });
  const run = ingest([yielding('docs', ...changes)], parts, {
    signal: stop.signal,
    onProgress: ({ done }) => {
      if (done === 2) stop.abort();
    },
  });
  await expect(run).rejects.toMatchObject({ name: 'AbortError' });
  expect((await parts.store.revisions('docs')).size).toBe(2);
  expect((await parts.store.statistics()).generation).toBe(0);
});
