/** What an ingest reads, adds, changes and takes out. */
import { appendFile, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { outcome, project, type Json } from '../cli/footnote.ts';
import { counts, ingested, PAGES, paths } from './fixture.ts';
import { openStoredIndex } from './stored-index.ts';

const NOTHING = { added: 0, updated: 0, unchanged: 4, deleted: 0, read: 0 };

describe('what is read again', () => {
  test('nothing, when nothing has changed', async () => {
    const here = await ingested();
    expect(await counts(here)).toEqual(NOTHING);
    expect(await counts(here, ['docs'])).toEqual(NOTHING);
  });

  // [S4-rerun] [S2-source-local]
  test('exactly what was edited, deleted, renamed and added', async () => {
    const here = await ingested();
    await appendFile(join(here.folder, 'docs/ports.md'), '\nThe zeppelin port is 9999.\n');
    expect(await counts(here)).toEqual({ ...NOTHING, updated: 1, unchanged: 3, read: 1 });
    expect(await paths(here, 'zeppelin port', ['--top', '1'])).toEqual(['ports.md']);

    await rm(join(here.folder, 'docs/install.md'));
    expect(await counts(here)).toEqual({ ...NOTHING, unchanged: 3, deleted: 1 });
    expect(await paths(here, 'demo install')).not.toContain('install.md');

    await rename(join(here.folder, 'docs/guide/logs.md'), join(here.folder, 'docs/guide/journal.md'));
    expect(await counts(here)).toEqual({ ...NOTHING, added: 1, unchanged: 2, deleted: 1, read: 1 });
    expect(await paths(here, 'working folder log', ['--top', '1'])).toEqual(['guide/journal.md']);

    await here.write({ 'docs/new.md': '# New\n\nA new page of the walrus.\n' });
    expect(await counts(here)).toEqual({ ...NOTHING, added: 1, unchanged: 3, read: 1 });
    expect(await paths(here, 'walrus', ['--top', '1'])).toEqual(['new.md']);
  });

  test('nothing of a file that was only touched, or saved again with the same words', async () => {
    const here = await ingested();
    const at = new Date(Date.now() - 60_000);
    await utimes(join(here.folder, 'docs/ports.md'), at, at);
    await writeFile(join(here.folder, 'docs/install.md'), PAGES['docs/install.md'] ?? '');
    expect(await counts(here)).toEqual(NOTHING);
  });

  test('a change that keeps size and time is seen', async () => {
    const here = await ingested();
    const path = join(here.folder, 'docs/ports.md');
    const { atime, mtime } = await stat(path);
    await writeFile(path, (PAGES['docs/ports.md'] ?? '').replace('8787', '9898'));
    await utimes(path, atime, mtime);
    expect(await counts(here)).toEqual({ ...NOTHING, updated: 1, unchanged: 3, read: 1 });
  });

  test('everything, when the pages are addressed otherwise', async () => {
    const here = await project({
      ...PAGES,
      'footnote.yaml': 'sources: [{ from: docs, baseUrl: "https://example.org/old" }]\n',
    });
    expect((await counts(here)).added).toBe(4);
    const url = async (): Promise<string> => (await here.json(['search', 'gateway port', '--top', '1'])).hits[0].url;
    expect(await url()).toMatch(/^https:\/\/example\.org\/old\//u);
    await here.write({ 'footnote.yaml': 'sources: [{ from: ./docs/, baseUrl: "https://example.org/new" }]\n' });
    expect(await counts(here)).toEqual({ ...NOTHING, updated: 4, unchanged: 0, read: 4 });
    expect(await url()).toMatch(/^https:\/\/example\.org\/new\//u);
    expect(await counts(here)).toEqual(NOTHING);
  });
});

describe('sources', () => {
  // [S0-payload-source]
  test('a second one leaves the first, and is taken out alone', async () => {
    const here = await ingested();
    await here.write({ 'notes/a.md': '# Note\n\nThe walrus sleeps.\n' });
    const report = await here.json(['ingest', 'notes']);
    expect(report.sources.map(({ source }: Json) => source)).toEqual(['notes']);
    expect(report.documents).toBe(5);
    expect((await here.json(['ingest'])).sources.map(({ source }: Json) => source)).toEqual(['docs', 'notes']);
    const removed = await here.json(['ingest', '--remove', 'notes']);
    expect(removed).toMatchObject({ removed: ['notes'], documents: 4 });
    expect(await paths(here, 'walrus')).not.toContain('a.md');
    expect((await here.json(['status'])).sources.map(({ id }: Json) => id)).toEqual(['docs']);
    expect((await here.run(['ingest', '--remove', 'notes'])).stderr).toContain('it has: docs');
  });

  test('the same place, however it is written, is the same source, and is read once', async () => {
    const here = await ingested();
    for (const from of ['docs', './docs', 'docs/', '../project/docs', join(here.folder, 'docs')]) {
      expect(await counts(here, [from]), from).toEqual(NOTHING);
    }
    expect((await here.json(['ingest', 'docs', './docs/'])).sources).toHaveLength(1);
    expect((await here.json(['status'])).sources).toHaveLength(1);
  });

  test('another place with the same name is refused, but for --as', async () => {
    const here = await ingested();
    await here.write({ 'other/docs/a.md': '# A\n\nThe walrus sleeps.\n' });
    const refused = await here.run(['ingest', 'other/docs']);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toMatch(/the name "docs" already stands for .*\nhint: .*--as NAME/u);
    expect((await here.json(['status'])).documents).toBe(4);
    expect((await here.run(['ingest', 'other/docs', '--as', 'others'])).code).toBe(0);
    expect(await paths(here, 'walrus', ['--filter', 'source=others'])).toEqual(['a.md']);
  });

  test('one that is gone costs nothing of what is indexed', async () => {
    const here = await ingested();
    await here.write({ 'notes/a.md': '# Note\n\nThe walrus sleeps.\n' });
    await here.run(['ingest', 'notes']);
    await rename(join(here.folder, 'notes'), join(here.folder, 'away'));
    const report = await here.json(['ingest'], 1);
    expect(report.documents).toBe(5);
    expect(report.sources[1].failures).toHaveLength(1);
    // A rebuild would lose it: it is refused, and the old index stays.
    const rebuild = await here.run(['ingest', '--rebuild'], { FOOTNOTE_CHUNK__MAX_TOKENS: '400' });
    expect(rebuild.code).toBe(2);
    expect(rebuild.stderr).toContain('there is no file or folder');
    expect(await paths(here, 'walrus', ['--top', '1'])).toEqual(['a.md']);
    expect((await here.json(['status'])).documents).toBe(5);
  });

  test('one that cannot be read at all is not remembered', async () => {
    const here = await ingested();
    const { code, stderr } = await here.run(['ingest', 'nowhere']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^footnote: there is no file or folder .*nowhere\nhint: /u);
    expect((await here.json(['status'])).sources.map(({ id }: Json) => id)).toEqual(['docs']);
  });
});

describe('rebuild, and what is remembered', () => {
  test('other settings are refused by name, and taken by --rebuild', async () => {
    const here = await ingested();
    const env = { FOOTNOTE_CHUNK__MAX_TOKENS: '400', FOOTNOTE_ANALYZE__STEM: 'false' };
    const refused = await here.run(['ingest'], env);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('chunk.maxTokens is 512 there, 400 here');
    expect(refused.stderr).toContain('analyze.stem is true there, false here');
    expect(refused.stderr).toContain('footnote ingest --rebuild');
    const rebuilt = await here.run(['ingest', '--rebuild', '--json'], env);
    expect(JSON.parse(rebuilt.stdout)).toMatchObject({ documents: 4, sources: [{ read: 4 }] });
    // From here on they need not be said again.
    expect(await counts(here)).toEqual(NOTHING);
    expect((await readdir(join(here.folder, '.footnote'))).filter((name) => /^index-.*sqlite$/u.test(name))).toEqual([
      'index-000002.sqlite',
    ]);
  });

  test('the preset is remembered, and can be told otherwise', async () => {
    const here = await project(PAGES);
    await here.run(['ingest', 'docs', '--preset', 'keyword']);
    expect((await here.json(['status'])).preset).toBe('keyword');
    const legs = async (args: readonly string[]): Promise<Json> =>
      (await here.json(['search', 'gateway', '--explain', ...args])).explanation.stages[0].detail.steps[0].legs;
    expect(await legs([])).toEqual(['keyword']);
    // It was built as the default preset builds.
    expect(await legs(['--preset', 'default'])).toEqual(['keyword', 'dense', 'heading']);
    await here.run(['ingest', '--preset', 'default']);
    expect((await here.json(['status'])).preset).toBe('default');
  });

  test('query settings may differ at any time', async () => {
    const here = await ingested();
    const env = { FOOTNOTE_RETRIEVE__TOP_K: '1', FOOTNOTE_FUSE__METHOD: 'rrf' };
    expect(JSON.parse((await here.run(['search', 'gateway', '--json'], env)).stdout).hits).toHaveLength(1);
  });
});

describe('the folder', () => {
  test('is its owner’s only, and invisible to git', async () => {
    const here = await ingested();
    const folder = join(here.folder, '.footnote');
    expect(((await stat(folder)).mode & 0o777).toString(8)).toBe('700');
    expect(await readFile(join(folder, '.gitignore'), 'utf8')).toBe('*\n');
    // Also one that was there, empty.
    await outcome(here.start(['ingest', 'docs', '--index', 'mine']));
    await here.shell('mkdir -m 755 theirs');
    expect((await here.run(['ingest', 'docs', '--index', 'theirs'])).code).toBe(0);
    expect(((await stat(join(here.folder, 'theirs'))).mode & 0o777).toString(8)).toBe('700');
  });

  test('of other things is never made an index', async () => {
    const here = await project(PAGES);
    const { code, stderr } = await here.run(['ingest', 'docs', '--index', '.']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/is no index: it holds .*\nhint: .*--index DIR/u);
    expect((await readdir(here.folder)).sort()).toEqual(['docs']);
  });

  test('nearest to where one is: here, or above', async () => {
    const here = await ingested();
    expect((await here.shell('cd docs/guide && "$BIN" search gateway')).code).toBe(0);
    // A nearer one hides it.
    await here.shell('cd docs/guide && "$BIN" ingest . --index .footnote');
    const { stdout } = await here.shell('cd docs/guide && "$BIN" status --json');
    expect(JSON.parse(stdout)).toMatchObject({ documents: 2, index: join(here.folder, 'docs/guide/.footnote') });
    expect((await here.json(['status'])).documents).toBe(4);
  });

  test('holds after every change what a fresh one would', async () => {
    const here = await ingested();
    await appendFile(join(here.folder, 'docs/ports.md'), '\n## More\n\nThe second gateway listens on 9999.\n');
    await rm(join(here.folder, 'docs/install.md'));
    await here.run(['ingest']);
    await here.run(['ingest', 'docs', '--index', 'fresh']);
    const [grown, fresh] = await Promise.all(
      ['.footnote', 'fresh'].map(async (name) => {
        const index = await openStoredIndex(join(here.folder, name));
        const { documents, chunks, tokens } = index.statistics;
        await index.close();
        return { documents, chunks, tokens, revisions: index.summaries.map(({ uri, revision }) => [uri, revision]) };
      }),
    );
    expect(grown).toEqual(fresh);
  });
});
