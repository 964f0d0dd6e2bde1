/** A run that was stopped halfway is finished by the next one, whatever that is about. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createEngine, parseSource, presetSettings, type Engine } from '../../src/index.ts';

const PAGES = 40;
const root = await mkdtemp(join(tmpdir(), 'footnote-unfinished-'));
afterAll(() => rm(root, { recursive: true, force: true }));

const source = (name: string): ReturnType<typeof parseSource> => parseSource(name, { cwd: root });

async function write(version: number): Promise<void> {
  await mkdir(join(root, 'docs'), { recursive: true });
  for (let i = 0; i < PAGES; i++)
    await writeFile(join(root, 'docs', `${i}.md`), `# Page ${i}\n\nThe walrus of page ${i} has version v${version}.\n`);
}

/** The versions that a search finds, and how many pages it finds. */
async function found(engine: Engine): Promise<readonly [readonly string[], number]> {
  const { hits } = await engine.search({ query: 'walrus', top: 500, mode: 'keyword' });
  const versions = hits.map(({ chunk }) => /version (v\d)/u.exec(chunk.text)?.[1] ?? '');
  return [[...new Set(versions)].sort(), hits.length];
}

/** Syncs the documents, and stops after half of them. */
async function stopHalfway(engine: Engine): Promise<void> {
  const stop = new AbortController();
  const run = engine.ingest({
    sources: [source('docs')],
    signal: stop.signal,
    onProgress: ({ done }) => {
      if (done === PAGES / 2) stop.abort();
    },
  });
  await expect(run).rejects.toThrow();
}

test('readers never see half of it', async () => {
  await mkdir(join(root, 'notes'), { recursive: true });
  await writeFile(join(root, 'notes', 'a.md'), '# Note\n\nThe penguin sleeps.\n');
  await write(1);
  const engine = await createEngine({ folder: join(root, 'index'), settings: presetSettings('default') });
  await engine.ingest({ sources: [source('docs'), source('notes')] });
  expect(await found(engine)).toEqual([['v1'], PAGES]);

  await write(2);
  await stopHalfway(engine);
  expect(await found(engine)).toEqual([['v1'], PAGES]);
  const { sources } = await engine.ingest({ sources: [source('notes')] });
  expect(sources.map((report) => [report.source, report.updated, report.unchanged])).toEqual([
    ['notes', 0, 1],
    ['docs', PAGES / 2, PAGES / 2],
  ]);
  expect(await found(engine)).toEqual([['v2'], PAGES]);

  // Once finished, the others are left alone again.
  expect((await engine.ingest({ sources: [source('notes')] })).sources.map((report) => report.source)).toEqual([
    'notes',
  ]);

  // A source that could not be reached has changed nothing: there is nothing to finish.
  await mkdir(join(root, 'gone'));
  const gone = source('gone');
  await rm(join(root, 'gone'), { recursive: true });
  await expect(engine.ingest({ sources: [gone] })).rejects.toMatchObject({ code: 'source-missing' });
  expect((await engine.ingest({ sources: [source('notes')] })).sources.map((report) => report.source)).toEqual([
    'notes',
  ]);
  await engine.close();
});
