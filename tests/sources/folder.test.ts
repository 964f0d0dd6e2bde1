import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { Source } from '../../src/core/contracts.ts';
import { defineSource, type FolderDefinition } from '../../src/sources/address.ts';
import folderSource, { type FolderSourceOptions } from '../../src/sources/folder.ts';
import type { SourceSettings } from '../../src/core/settings.ts';
import { outline, sync, temporaryFolder, text, write } from './fixtures.ts';

/** A clock an hour ahead: no file is new. */
const later = { now: () => Date.now() + 3_600_000 };

function open(
  folder: string,
  settings: Omit<SourceSettings, 'from'> = {},
  options: FolderSourceOptions = later,
): Source {
  return folderSource(defineSource({ from: folder, ...settings }, '/') as FolderDefinition, options);
}

// [S2-source-local]
test('documents come in the order of their paths, with address, type, hash and metadata', async () => {
  const folder = temporaryFolder();
  write(folder, { 'b.md': '# B', 'a/x.txt': 'x', 'a-b.md': 'ab', 'a/z/deep.py': 'pass', Ü: 'u' });
  utimesSync(join(folder, 'a/x.txt'), 0, new Date('2024-01-02T03:04:05.000Z'));
  const { documents } = await sync(open(folder, { as: 'd', language: 'de', baseUrl: 'https://e.org/d' }));
  expect(documents.map(({ path, mediaType }) => [path, mediaType])).toEqual([
    ['a-b.md', 'text/markdown'],
    ['a/x.txt', 'text/plain'],
    ['a/z/deep.py', 'text/x-code'],
    ['b.md', 'text/markdown'],
    ['Ü', 'text/plain'],
  ]);
  expect(documents[1]).toMatchObject({
    sourceId: 'd',
    uri: pathToFileURL(join(folder, 'a/x.txt')).href,
    revision: createHash('sha256').update('x').digest('hex'),
    url: 'https://e.org/d/a/x',
    metadata: { source: 'd', category: 'a', language: 'de', modified: '2024-01-02T03:04:05.000Z' },
  });
  expect(documents[3]!.metadata).not.toHaveProperty('category');
});

test('a single file is taken whatever it is called; its path is its name', async () => {
  const folder = temporaryFolder();
  write(folder, { '.gitignore': '*', '.notes.md': 'n', 'page.html': '<p>' });
  const { documents } = await sync(open(join(folder, '.notes.md')));
  expect(documents.map(({ path, uri }) => [path, uri])).toEqual([['.notes.md', `file://${folder}/.notes.md`]]);
  expect(outline(await sync(open(join(folder, 'page.html'))))).toEqual(['exclude page.html (no-parser)']);
});

test('names with spaces, marks, percent signs, line ends and other scripts', async () => {
  const folder = temporaryFolder();
  const names = [
    'a b & ünï #1.md',
    '100%25.md',
    'q?.md',
    'cr\r\nlf.md',
    '安装.md',
    '[x].md',
    'back\\slash.md',
    'Case.md',
    'case.md',
  ];
  write(folder, Object.fromEntries(names.map((name) => [name, name])));
  const { documents } = await sync(open(folder));
  expect(documents.map(({ path }) => path).sort()).toEqual([...names].sort());
  for (const document of documents) expect(fileURLToPath(document.uri)).toBe(join(folder, document.path));
  expect(documents.map(text).sort()).toEqual([...names].sort());
});

test('a name that is not UTF-8 is listed, and the rest goes on', async () => {
  const folder = temporaryFolder();
  write(folder, { 'a.md': 'a' });
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe9]), Buffer.from('.md')]), 'x');
  mkdirSync(Buffer.concat([Buffer.from(`${folder}/dir`), Buffer.from([0xff])]));
  expect(outline(await sync(open(folder)))).toEqual(['upsert a.md', 'failure caf\uFFFD.md', 'failure dir\uFFFD']);
});

test('what is left out is listed with its reason, a whole folder once', async () => {
  const folder = temporaryFolder();
  write(folder, {
    '.env': 'SECRET',
    '.git/config': '',
    '.github/a.md': 'x',
    'node_modules/p/readme.md': 'x',
    'sub/node_modules/p/readme.md': 'x',
    'build/a.md': 'kept',
    'dist/b.md': 'kept',
    'page.html': '<p>',
    'photo.PNG': 'x',
    'mail/a.eml': 'x',
    'elf.txt': Buffer.from('\x7fELF\0\0\0'),
    'nul.md': Buffer.alloc(3_000_000),
    'big.txt': 'x'.repeat(5_000_001),
    'lfs.md': 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n',
    'draft/a.md': 'x',
    'keep/b.tmp.md': 'x',
    'zero.md': '',
  });
  const found = await sync(open(folder, { exclude: ['draft', '**/*.tmp.md'] }, { ...later, maxFileBytes: 5_000_000 }));
  expect(outline(found).sort()).toEqual(
    [
      'exclude .env (hidden)',
      'exclude .git (hidden)',
      'exclude .github (hidden)',
      'upsert a.md',
      'exclude big.txt (too-large)',
      'upsert b.md',
      'exclude draft (not-included)',
      'exclude elf.txt (binary)',
      'exclude keep/b.tmp.md (not-included)',
      'exclude lfs.md (lfs-pointer)',
      'exclude mail/a.eml (no-parser)',
      'exclude node_modules (ignored)',
      'exclude nul.md (binary)',
      'exclude page.html (no-parser)',
      'exclude photo.PNG (no-parser)',
      'exclude sub/node_modules (ignored)',
      'upsert zero.md',
    ].sort(),
  );
  expect(found.documents.map(({ path }) => path)).toEqual(['build/a.md', 'dist/b.md', 'zero.md']);
});

test('include and exclude are globs on paths; a name without wildcards is a file or a folder', async () => {
  const folder = temporaryFolder();
  write(folder, { 'a.md': '', 'guide/b.md': '', 'guide/x/c.md': '', 'guide/x/d.txt': '', 'other/e.md': '' });
  const paths = async (settings: Omit<SourceSettings, 'from'>) =>
    (await sync(open(folder, settings))).documents.map(({ path }) => path);
  expect(await paths({ include: ['**/*.md'], exclude: ['guide/x/'] })).toEqual(['a.md', 'guide/b.md', 'other/e.md']);
  expect(await paths({ include: ['guide'] })).toEqual(['guide/b.md', 'guide/x/c.md', 'guide/x/d.txt']);
  expect(await paths({ include: ['./*.md'] })).toEqual(['a.md']);
  expect(await paths({ exclude: ['guide/*'] })).toEqual(['a.md', 'guide/x/c.md', 'guide/x/d.txt', 'other/e.md']);
  expect(outline(await sync(open(folder, { exclude: ['guide/**'] })))).toContain('exclude guide (not-included)');
});

test('.gitignore counts at every level, as git has it', async () => {
  const folder = temporaryFolder();
  write(folder, {
    '.gitignore': '*.log\n/secret\nout/\n!important.log\nfoo\n',
    'a.log': '',
    'important.log': '',
    'secret/a.md': '',
    'deep/secret/b.md': '',
    'out/x.md': '',
    'deep/out/y.md': '',
    'deep/.gitignore': '\uFEFF!foo\r\n/only-here.md\r\nx/y.md\r\n',
    'foo/a.md': '',
    'deep/foo/kept.md': '',
    'deep/only-here.md': '',
    'deep/z/only-here.md': '',
    'deep/x/y.md': '',
    'deep/z/x/y.md': '',
    '[o]dd/.gitignore': '/here.md',
    '[o]dd/here.md': '',
    'odd/here.md': '',
    'Foo/case.md': '',
  });
  execFileSync('git', ['init', '--quiet', folder], {
    env: { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null' },
  });
  const listed = execFileSync('git', ['-C', folder, 'ls-files', '-z', '--others', '--exclude-standard'], {
    encoding: 'utf8',
  });
  const { documents, changes } = await sync(open(folder));
  const expected = listed.split('\0').filter((path) => path !== '' && !path.endsWith('.gitignore'));
  expect(documents.map(({ path }) => path).sort()).toEqual(expected.sort());
  expect(expected).toContain('deep/foo/kept.md');
  const ignored = changes.flatMap((c) =>
    c.type === 'exclude' && c.exclusion.reason === 'ignored' ? [c.exclusion.path] : [],
  );
  expect(ignored.sort()).toEqual(
    ['[o]dd/here.md', 'a.log', 'deep/only-here.md', 'deep/out', 'deep/x/y.md', 'foo', 'out', 'secret'].sort(),
  );
});

test('a .gitignore above the root does not count, and one that is a link or costly to match is not applied', async () => {
  const folder = temporaryFolder();
  write(folder, {
    '.gitignore': '*',
    'docs/a.md': '',
    'docs/sub/b.md': '',
    'docs/.gitignore': '*a*a*a*a*a*c\n**/a/**/a/**/a/**/b\nb.md\n',
  });
  symlinkSync(join(folder, '.gitignore'), join(folder, 'docs/sub/.gitignore'));
  const found = outline(await sync(open(join(folder, 'docs'))));
  expect(found).toContain('upsert a.md');
  expect(found).toContain('exclude sub/b.md (ignored)');
  expect(found.filter((line) => line === 'failure .gitignore')).toHaveLength(2);
  expect(found).toContain('failure sub/.gitignore');
});

test('links out of the root, to nothing, in circles and to hidden files are not followed', async () => {
  const folder = temporaryFolder();
  const outside = temporaryFolder();
  write(outside, { 'secret.md': 'secret' });
  write(folder, { 'md/a.md': 'a', '.env': 'KEY', 'other/b.md': 'b', '.gitignore': 'private\n', 'private/p.md': 'p' });
  const link = (target: string, path: string): void => symlinkSync(target, join(folder, path));
  link('/etc/passwd', 'md/symlink-out.md');
  link(outside, 'md/out');
  link(join(outside, 'secret.md'), 'md/out.md');
  link('.', 'md/loop');
  link('..', 'md/up');
  link('nowhere', 'md/broken.md');
  link('self.md', 'md/self.md');
  link('../.env', 'md/env.txt');
  link('../private/p.md', 'md/private.md');
  link('../md', 'other/back');
  link('a.md', 'md/alias.md');
  link('../other', 'md/other');
  const { documents, changes } = await sync(open(folder));
  expect(documents.map(({ path }) => path)).toEqual([
    'md/a.md',
    'md/alias.md',
    'md/other/b.md',
    'other/b.md',
    'other/back/a.md',
    'other/back/alias.md',
  ]);
  expect(documents.map(text).join()).not.toMatch(/secret|root:|KEY/);
  const links = changes.flatMap((c) =>
    c.type === 'exclude' && c.exclusion.reason === 'symbolic-link' ? [c.exclusion.path] : [],
  );
  for (const name of [
    'symlink-out.md',
    'out',
    'out.md',
    'loop',
    'up',
    'broken.md',
    'self.md',
    'env.txt',
    'private.md',
  ]) {
    expect(links).toContain(`md/${name}`);
  }
});

test('many links between folders do not multiply the walk', async () => {
  const folder = temporaryFolder();
  const names = Array.from({ length: 12 }, (_, i) => `d${i}`);
  write(folder, Object.fromEntries(names.map((name) => [`${name}/a.md`, name])));
  for (const from of names) for (const to of names) symlinkSync(`../${to}`, join(folder, from, `to-${to}`));
  const { documents } = await sync(open(folder));
  expect(documents.length).toBeLessThanOrEqual(24);
  expect(new Set(documents.map(text))).toEqual(new Set(names));
});

test('a root that is a link is its target', async () => {
  const folder = temporaryFolder();
  write(folder, { 'real/a.md': 'a' });
  symlinkSync('real', join(folder, 'link'));
  const { documents } = await sync(open(join(folder, 'link')));
  expect(documents.map(({ uri }) => uri)).toEqual([`file://${folder}/real/a.md`]);
});

test('pipes and sockets are never opened', async () => {
  const folder = temporaryFolder();
  write(folder, { 'a.md': 'a' });
  execFileSync('mkfifo', [join(folder, 'pipe.md'), join(folder, '.gitignore')]);
  const server = createServer().listen(join(folder, 'socket.md'));
  await new Promise((done) => server.once('listening', done));
  onTestFinished(() => void server.close());
  expect(outline(await sync(open(folder)))).toEqual([
    'exclude .gitignore (hidden)',
    'upsert a.md',
    'exclude pipe.md (not-a-file)',
    'exclude socket.md (not-a-file)',
  ]);
});

test('unchanged files are not read again; edit, delete, rename and touch are told apart', async () => {
  const folder = temporaryFolder();
  write(folder, { 'a.md': 'a', 'b.md': 'b', 'c.md': 'c', 'd.md': 'd', 'e.md': 'e' });
  const first = await sync(open(folder));
  expect(outline(await sync(open(folder), first.known))).toEqual(
    ['a', 'b', 'c', 'd', 'e'].map((name) => `unchanged ${name}.md`),
  );
  write(folder, { 'a.md': 'A' });
  rmSync(join(folder, 'b.md'));
  renameSync(join(folder, 'c.md'), join(folder, 'z.md'));
  utimesSync(join(folder, 'd.md'), 1, 1);
  const second = await sync(open(folder), first.known);
  expect(outline(second)).toEqual([
    'upsert a.md',
    'unchanged d.md',
    'unchanged e.md',
    'upsert z.md',
    'delete b.md',
    'delete c.md',
  ]);
  expect(second.changes[1]).toHaveProperty('stamp');
  expect(second.changes[2]).not.toHaveProperty('stamp');
  expect([...second.known.keys()].map((uri) => uri.slice(-4))).toEqual(['a.md', 'd.md', 'e.md', 'z.md']);
  const third = await sync(open(folder), second.known);
  expect(third.changes.every((change) => change.type === 'unchanged' && change.stamp === undefined)).toBe(true);
});

test('equal stamps mean that a file is not even opened', async () => {
  const folder = temporaryFolder();
  write(folder, { 'a.md': 'a' });
  const { known } = await sync(open(folder));
  const [[uri, { stamp }]] = [...known] as [[string, { stamp: string; revision: string }]];
  // Only a source that reads would see that this is not the revision of the file.
  const lie = new Map([[uri, { revision: 'of other bytes', stamp }]]);
  expect(outline(await sync(open(folder), lie))).toEqual(['unchanged a.md']);
});

test('a content replaced with size and time kept is seen', async () => {
  const folder = temporaryFolder();
  write(folder, { 'a.md': 'old' });
  utimesSync(join(folder, 'a.md'), 1000, 1000);
  const { known } = await sync(open(folder));
  await new Promise((done) => setTimeout(done, 30));
  write(folder, { 'a.md': 'new' });
  utimesSync(join(folder, 'a.md'), 1000, 1000);
  expect(outline(await sync(open(folder), known))).toEqual(['upsert a.md']);
});

test('a file that has just been written is looked at again', async () => {
  const folder = temporaryFolder();
  write(folder, { 'a.md': 'a' });
  const justNow = { now: () => statSync(join(folder, 'a.md')).ctimeMs + 5 };
  const { known } = await sync(open(folder, {}, justNow));
  expect([...known.values()].map(({ stamp }) => stamp)).toEqual(['']);
  const again = await sync(open(folder), known);
  expect(again.changes).toMatchObject([{ type: 'unchanged', stamp: expect.stringMatching(/./) as string }]);
});

test('what is excluded now leaves the index', async () => {
  const folder = temporaryFolder();
  write(folder, { 'a.md': 'a', 'b.md': 'b', 'c.md': 'c' });
  const { known } = await sync(open(folder));
  write(folder, { '.gitignore': 'a.md\n', 'b.md': Buffer.alloc(100) });
  expect(
    outline(await sync(open(folder, { exclude: ['c.md'] }), known)).filter((line) => line.startsWith('delete')),
  ).toEqual(['delete a.md', 'delete b.md', 'delete c.md']);
});

test('a folder that is gone or is no folder deletes nothing', async () => {
  const folder = temporaryFolder();
  write(folder, { 'docs/a.md': 'a' });
  const source = open(join(folder, 'docs'));
  const { known } = await sync(source);
  renameSync(join(folder, 'docs'), join(folder, 'moved'));
  await expect(sync(source, known)).rejects.toMatchObject({
    code: 'source-missing',
    message: expect.stringContaining(folder) as string,
  });
  execFileSync('mkfifo', [join(folder, 'docs')]);
  await expect(sync(source, known)).rejects.toMatchObject({ code: 'source-refused' });
});

test('a folder replaced while it is read deletes nothing', async () => {
  const folder = temporaryFolder();
  write(folder, { 'docs/a.md': 'a', 'docs/b.md': 'b', 'docs/sub/c.md': 'c' });
  const source = open(join(folder, 'docs'));
  const { known } = await sync(source);
  const run = async (): Promise<string[]> => {
    const types: string[] = [];
    for await (const change of source.changes(known)) {
      if (types.push(change.type) === 1) {
        renameSync(join(folder, 'docs'), join(folder, 'moved'));
        mkdirSync(join(folder, 'docs'));
      }
    }
    return types;
  };
  await expect(run()).rejects.toMatchObject({ code: 'source-failed', retryable: true });
});

// Root may read everything.
test.skipIf(process.getuid?.() === 0)('unreadable files and folders are failures that cost nothing else', async () => {
  const folder = temporaryFolder();
  write(folder, { 'a.md': 'a', 'b.md': 'b', 'locked/c.md': 'c', 'locked/sub/d.md': 'd', 'locked-not/e.md': 'e' });
  const { known } = await sync(open(folder));
  chmodSync(join(folder, 'b.md'), 0);
  chmodSync(join(folder, 'locked'), 0);
  onTestFinished(() => chmodSync(join(folder, 'locked'), 0o700));
  rmSync(join(folder, 'locked-not'), { recursive: true });
  utimesSync(join(folder, 'b.md'), 1, 1);
  expect(outline(await sync(open(folder), known))).toEqual([
    'unchanged a.md',
    'failure b.md',
    'failure locked',
    'unchanged b.md',
    'delete e.md',
    'unchanged c.md',
    'unchanged d.md',
  ]);
});

test('siblings are read inside the root only, and never hidden ones', async () => {
  const folder = temporaryFolder();
  write(folder, { 'secret.md': 's', 'docs/a/x.md': 'x', 'docs/b/y.txt': 'y', 'docs/.env': 'KEY' });
  symlinkSync('../../secret.md', join(folder, 'docs/a/out.md'));
  const files = open(join(folder, 'docs')).siblings(`file://${folder}/docs/a/x.md`);
  expect(Buffer.from((await files.read('../b/y.txt'))!).toString()).toBe('y');
  for (const name of [
    '../../secret.md',
    'out.md',
    '/etc/passwd',
    'none.md',
    '../.env',
    '..',
    '../b',
    'a\0b',
    '../../docs/../secret.md',
  ]) {
    expect(await files.read(name)).toBeUndefined();
  }
});

test('the current revision is that of the bytes now on disk', async () => {
  const folder = temporaryFolder();
  write(folder, { 'docs/a b.md': 'a', 'x.md': 'x' });
  const source = open(join(folder, 'docs'));
  const { uri, revision } = (await sync(source)).documents[0]!;
  expect(await source.currentRevision!(`${uri}#part`)).toBe(revision);
  write(folder, { 'docs/a b.md': 'changed' });
  expect(await source.currentRevision!(uri)).toBe(createHash('sha256').update('changed').digest('hex'));
  rmSync(join(folder, 'docs/a b.md'));
  expect(await source.currentRevision!(uri)).toBeUndefined();
  expect(await source.currentRevision!(`file://${folder}/x.md`)).toBeUndefined();
  rmSync(join(folder, 'docs'), { recursive: true });
  expect(await source.currentRevision!(uri)).toBeUndefined();
});

test('an abort ends the run', async () => {
  const folder = temporaryFolder();
  write(folder, { 'a.md': 'a', 'b.md': 'b' });
  const stop = new AbortController();
  const run = async (): Promise<void> => {
    for await (const change of open(folder).changes(new Map(), { signal: stop.signal })) {
      if (change.type === 'listed') continue;
      expect(change.type).toBe('upsert');
      stop.abort();
    }
  };
  await expect(run()).rejects.toThrow(/abort/i);
});

test('a tree that is too deep is listed, not followed to its end', async () => {
  const folder = temporaryFolder();
  let deep = folder;
  for (let i = 0; i < 80; i++) deep = join(deep, 'd');
  write(dirname(deep), { 'd/a.md': 'a' });
  write(folder, { 'z.md': 'z' });
  const found = outline(await sync(open(folder)));
  expect(found).toHaveLength(2);
  expect(found[0]).toMatch(/^failure d\/d/);
});
