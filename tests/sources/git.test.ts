import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Source } from '../../src/core/contracts.ts';
import type { SourceSettings } from '../../src/core/settings.ts';
import { defineSource, type GitDefinition } from '../../src/sources/address.ts';
import gitSource from '../../src/sources/git.ts';
import { commit, git, outline, repository, sync, temporaryFolder, text, write } from './fixtures.ts';

function open(from: string, settings: Omit<SourceSettings, 'from'> = {}, cacheFolder = temporaryFolder()): Source {
  return gitSource(defineSource({ from, ...settings }, '/') as GitDefinition, { cacheFolder, maxFileBytes: 100_000 });
}

// [S0-index-pipeline]
test('documents of a local repository: blob ids, the commit, addresses from the root of the repository', async () => {
  const folder = repository({
    'docs/b c.md': '# B',
    'docs/a/ü#1.txt': 'u',
    'other/x.md': 'x',
    'docs/crlf.md': 'a\r\nb\r\n',
  });
  const source = open(`git:${folder}#main:docs`, { language: 'en' });
  const { documents, changes } = await sync(source);
  const head = git(folder, 'rev-parse', 'HEAD');
  expect(documents.map(({ path }) => path)).toEqual(['a/ü#1.txt', 'b c.md', 'crlf.md']);
  expect(documents[0]).toEqual({
    sourceId: 'docs',
    uri: `git+${folder}:docs/a/%C3%BC%231.txt`,
    path: 'a/ü#1.txt',
    revision: git(folder, 'rev-parse', 'HEAD:docs/a/ü#1.txt'),
    mediaType: 'text/plain',
    body: expect.any(Uint8Array) as Uint8Array,
    metadata: { source: 'docs', commit: head, modified: '2024-05-06T07:08:09.000Z', category: 'a', language: 'en' },
  });
  expect(changes[0]).toMatchObject({ type: 'upsert', stamp: documents[0]!.revision });
  expect(text(documents[2]!)).toBe('a\r\nb\r\n');
});

test('blobs of every size arrive whole', async () => {
  const sizes = [0, 1, 2, 4095, 4096, 65_535, 65_536, 65_537, 99_999];
  const folder = repository(
    Object.fromEntries(
      sizes.map((size) => [`${size}.txt`, `${'\n'.repeat(size >> 1)}${'x'.repeat(size - (size >> 1))}`]),
    ),
  );
  const { documents } = await sync(open(`git:${folder}`));
  expect(documents.map(({ path, body }) => [path, body.length])).toEqual(
    documents.map(({ path }) => [path, Number.parseInt(path)]),
  );
  expect(documents).toHaveLength(sizes.length);
});

test('unchanged blobs are not read; edit, delete and rename are told apart; an unchanged document keeps its commit', async () => {
  const folder = repository({ 'a.md': 'a', 'b.md': 'b', 'c.md': 'c' });
  const source = open(`git:${folder}`);
  const first = await sync(source);
  expect(outline(await sync(source, first.known))).toEqual(
    ['unchanged a.md', 'unchanged b.md', 'unchanged c.md'].map(inRoot(folder)),
  );
  git(folder, 'mv', 'c.md', 'z.md');
  git(folder, 'rm', '--quiet', 'b.md');
  commit(folder, { 'a.md': 'A', 'n.md': 'n' });
  const second = await sync(source, first.known);
  expect(outline(second)).toEqual(
    ['upsert a.md', 'upsert n.md', 'upsert z.md', 'delete b.md', 'delete c.md'].map(inRoot(folder)),
  );
  expect(second.known.size).toBe(3);
});

/** A local path ends in the last part of the address, which also names the repository. */
const inRoot = (folder: string) => (line: string) => line.replace(' ', ` ${folder.split('/').at(-1)}:`);

test('branch, tag, annotated tag and full commit', async () => {
  const folder = repository({ 'a.md': 'one' });
  const first = git(folder, 'rev-parse', 'HEAD');
  git(folder, 'tag', 'v1');
  git(folder, 'tag', '--annotate', 'v1-annotated', '--message', 'x');
  commit(folder, { 'a.md': 'two' });
  git(folder, 'branch', 'feature/two');
  commit(folder, { 'a.md': 'three' });
  const cache = temporaryFolder();
  const content = async (ref: string): Promise<string> =>
    text((await sync(open(`git:${folder}${ref}`, {}, cache))).documents[0]!);
  expect(await content('')).toBe('three');
  expect(await content('#HEAD')).toBe('three');
  expect(await content('#main')).toBe('three');
  expect(await content('#feature/two')).toBe('two');
  expect(await content('#v1')).toBe('one');
  expect(await content('#refs/tags/v1')).toBe('one');
  expect(await content('#v1-annotated')).toBe('one');
  expect(await content(`#${first}`)).toBe('one');
});

test('an unknown ref, commit, subfolder and an empty repository', async () => {
  const folder = repository({ 'docs/a.md': 'a' });
  git(folder, 'branch', 'release-2');
  await expect(sync(open(`git:${folder}#relaese-2`))).rejects.toMatchObject({
    code: 'source-missing',
    hint: 'did you mean #release-2? It has release-2, main',
  });
  await expect(sync(open(`git:${folder}#abc1234`))).rejects.toMatchObject({
    hint: expect.stringContaining('all of its digits') as string,
  });
  await expect(sync(open(`git:${folder}#${'0'.repeat(39)}1`))).rejects.toMatchObject({ code: 'source-missing' });
  await expect(sync(open(`git:${folder}:dokcs`))).rejects.toMatchObject({
    code: 'source-missing',
    message: expect.stringContaining('dokcs') as string,
  });
  const empty = temporaryFolder();
  git(empty, 'init', '--quiet');
  await expect(sync(open(`git:${empty}`))).rejects.toMatchObject({
    code: 'source-missing',
    message: expect.stringContaining('no commits') as string,
  });
});

test('what is no document is listed with its reason', async () => {
  const folder = repository({
    'a.md': 'a',
    '.gitignore': 'tracked.md',
    'tracked.md': 'a tracked file is a document whatever .gitignore says',
    '.github/x.md': 'x',
    'page.html': '<p>',
    'bin.txt': Buffer.from([0, 1, 2]),
    'lfs.md': 'version https://git-lfs.github.com/spec/v1\noid sha256:0\n',
    'large.txt': 'x'.repeat(100_001),
    'node_modules/p/a.md': 'x',
  });
  symlinkSync('a.md', join(folder, 'link.md'));
  symlinkSync('/etc/passwd', join(folder, 'out.md'));
  commit(folder, {});
  git(folder, 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},module`);
  git(folder, 'commit', '--quiet', '--message', 'submodule');
  expect(outline(await sync(open(`git:${folder}`))).sort()).toEqual(
    [
      'exclude .github/x.md (hidden)',
      'exclude .gitignore (hidden)',
      'exclude bin.txt (binary)',
      'exclude large.txt (too-large)',
      'exclude lfs.md (lfs-pointer)',
      'exclude link.md (symbolic-link)',
      'exclude module (submodule)',
      'exclude node_modules/p/a.md (ignored)',
      'exclude out.md (symbolic-link)',
      'exclude page.html (no-parser)',
      ...['upsert a.md', 'upsert tracked.md'].map(inRoot(folder)),
    ].sort(),
  );
});

test('a subfolder that is a file, and one whose name looks like an option or a pattern', async () => {
  const folder = repository({ 'docs/a.md': 'a', 'docs2/b.md': 'b', ':(glob)**/x.md': 'c', '-l/c.md': 'c' });
  const paths = async (subdir: string): Promise<string[]> =>
    (await sync(open(`git:${folder}#main:${subdir}`))).documents.map(({ path }) => path);
  expect(await paths('docs/a.md')).toEqual(['a.md']);
  expect(await paths('docs')).toEqual(['a.md']);
  expect(await paths('-l')).toEqual(['c.md']);
  expect(await paths(':(glob)**')).toEqual(['x.md']);
});

test('names that are not UTF-8 or hold control characters', async () => {
  const folder = repository({ 'tab\there.md': 't', 'line\nend.md': 'l' });
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe9]), Buffer.from('.md')]), 'x');
  commit(folder, {});
  const found = await sync(open(`git:${folder}`));
  expect(found.documents.map(({ path }) => path).sort()).toEqual(['line\nend.md', 'tab\there.md']);
  expect(outline(found)).toContain('failure caf\uFFFD.md');
});

// [S0-payload-url] [S4-source-urls]
test('addresses: the permalink with its lines left open, a template, a published site', async () => {
  const folder = repository({ 'docs/a b.md': 'a' });
  const head = git(folder, 'rev-parse', 'HEAD');
  const document = async (settings: Omit<SourceSettings, 'from'>) =>
    (await sync(open(`git:${folder}:docs`, settings))).documents[0]!;
  expect(await document({})).not.toHaveProperty('url');
  expect(await document({ urlTemplate: 'https://code.example.org/{commit}/{path}#n{start}-{end}' })).toMatchObject({
    url: `https://code.example.org/${head}/docs/a%20b.md`,
    metadata: { urlTemplate: `https://code.example.org/${head}/docs/a%20b.md#n{start}-{end}` },
  });
  const published = await document({ baseUrl: 'https://docs.example.org' });
  expect(published.url).toBe('https://docs.example.org/a%20b');
  expect(published.metadata).not.toHaveProperty('urlTemplate');
});

test('siblings come from the same commit and stay inside the subfolder', async () => {
  const folder = repository({ 'docs/a/x.md': 'x', 'docs/b/y.txt': 'y', 'docs/.env': 'KEY', 'secret.md': 's' });
  const source = open(`git:${folder}:docs`);
  for await (const change of source.changes(new Map())) {
    if (change.type !== 'upsert' || change.path !== 'a/x.md') continue;
    const files = source.siblings(change.uri);
    const both = await Promise.all([files.read('../b/y.txt'), files.read('x.md')]);
    expect(both.map((body) => Buffer.from(body!).toString())).toEqual(['y', 'x']);
    for (const name of ['../../secret.md', '/secret.md', '../.env', 'none.md', '..'])
      expect(await files.read(name)).toBeUndefined();
  }
});

test('a bare repository, a worktree, a SHA-256 repository and a shallow one', async () => {
  const folder = repository({ 'a.md': 'one' });
  commit(folder, { 'a.md': 'two' });
  const others = temporaryFolder();
  git(others, 'clone', '--quiet', '--bare', folder, 'bare.git');
  git(others, 'clone', '--quiet', '--depth=1', `file://${folder}`, 'shallow');
  git(folder, 'worktree', 'add', '--quiet', join(others, 'tree'));
  git(others, 'init', '--quiet', '--object-format=sha256', 'sha256');
  commit(join(others, 'sha256'), { 'a.md': 'two' });
  for (const name of ['bare.git', 'shallow', 'tree', 'sha256']) {
    const { documents } = await sync(open(`git:${join(others, name)}`));
    expect([name, ...documents.map(text)]).toEqual([name, 'two']);
  }
});

test('the mirror holds one commit without history, no hooks, and is used again', async () => {
  const folder = repository({ 'a.md': 'one' });
  commit(folder, { 'a.md': 'two' });
  const cache = temporaryFolder();
  await sync(open(`git:${folder}`, {}, cache));
  const [mirror] = readdirSync(cache).filter((name) => name.endsWith('.git')) as [string];
  expect(git(join(cache, mirror), 'rev-list', '--all', '--count')).toBe('1');
  expect(readdirSync(join(cache, mirror))).not.toContain('hooks');
  commit(folder, { 'b.md': 'three' });
  await sync(open(`git:${folder}`, {}, cache));
  expect(readdirSync(cache).filter((name) => name.endsWith('.git'))).toEqual([mirror]);
});

test('a mirror that a kill left locked, half made or damaged is made again', async () => {
  const folder = repository({ 'a.md': 'one' });
  const cache = temporaryFolder();
  await sync(open(`git:${folder}`, {}, cache));
  const mirror = mirrorIn(cache);
  for (const harm of [
    () => write(mirror, { 'shallow.lock': '' }),
    () => rmSync(join(mirror, 'HEAD')),
    () => rmSync(join(mirror, 'objects'), { recursive: true }),
    () => write(mirror, { config: 'not [a configuration' }),
  ]) {
    harm();
    commit(folder, { 'b.md': String(Math.random()) });
    expect((await sync(open(`git:${folder}`, {}, cache))).documents).toHaveLength(2);
  }
});

test('equal blob ids mean that no blob is read; one that is missing is an error, which the next run repairs', async () => {
  const folder = repository({ 'a.md': 'one' });
  const cache = temporaryFolder();
  const { known } = await sync(open(`git:${folder}`, {}, cache));
  const blob = git(folder, 'rev-parse', 'HEAD:a.md');
  rmSync(join(mirrorIn(cache), 'objects', blob.slice(0, 2), blob.slice(2)));
  expect((await sync(open(`git:${folder}`, {}, cache), known)).changes).toEqual([
    { type: 'unchanged', uri: `git+${folder}:a.md` },
  ]);
  await expect(sync(open(`git:${folder}`, {}, cache))).rejects.toMatchObject({
    code: 'source-failed',
    retryable: true,
  });
  expect((await sync(open(`git:${folder}`, {}, cache))).documents).toHaveLength(1);
});

const mirrorIn = (cache: string): string =>
  join(
    cache,
    readdirSync(cache).find((name) => name.endsWith('.git'))!,
  );

test('a repository that is gone deletes nothing', async () => {
  const folder = repository({ 'a.md': 'one' });
  const source = open(`git:${folder}`);
  const { known } = await sync(source);
  rmSync(folder, { recursive: true });
  await expect(sync(source, known)).rejects.toMatchObject({ code: 'source-missing' });
});

test('nothing secret of the environment reaches the files of the cache', async () => {
  const folder = repository({ 'a.md': 'one' });
  const cache = temporaryFolder();
  await sync(open(`git:${folder}`, {}, cache));
  const config = readdirSync(cache).find((name) => name.endsWith('.config'))!;
  expect(readFileSync(join(cache, config), 'utf8')).toBe(
    `[safe]\n\tdirectory = "${folder}"\n\tdirectory = "${folder}/.git"\n`,
  );
});
