import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isRagError, type RagError } from '../../src/core/errors.ts';
import { defineSource, parseSource } from '../../src/sources/address.ts';
import { repository, temporaryFolder, write } from './fixtures.ts';

function failureOf(address: string, cwd = '/'): RagError {
  try {
    parseSource(address, { cwd });
  } catch (error) {
    if (isRagError(error)) return error;
    throw error;
  }
  throw new Error(`${address} was accepted`);
}

const remote = (address: string): unknown => {
  const {
    repository: url,
    ref,
    subdir,
    id,
  } = parseSource(`git:${address}`, { cwd: '/' }) as unknown as Record<string, unknown>;
  return { url, ref, subdir, id };
};

test('a folder or file is named after the last part of its path, or as told', () => {
  const cwd = temporaryFolder();
  write(cwd, { 'guide/a.md': 'a', 'a:b#c.md': 'x' });
  expect(parseSource('./guide/', { cwd })).toEqual({
    id: 'guide',
    from: './guide/',
    use: 'folder',
    path: join(cwd, 'guide'),
  });
  expect(parseSource('guide/a.md', { cwd, as: 'one' })).toMatchObject({ id: 'one', path: join(cwd, 'guide/a.md') });
  expect(parseSource('.', { cwd: join(cwd, 'guide') }).id).toBe('guide');
  expect(parseSource('a:b#c.md', { cwd })).toMatchObject({ use: 'folder', id: 'a:b#c.md' });
  expect(parseSource(`file://${cwd}/guide`, { cwd: '/' })).toMatchObject({ use: 'folder', path: join(cwd, 'guide') });
  expect(parseSource('/', { cwd }).id).toBe('/');
});

test('settings become part of the definition, which is JSON', () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'docs'));
  const settings = {
    from: 'docs',
    as: 'd',
    include: ['**/*.md'],
    exclude: ['x'],
    baseUrl: 'https://example.org/d',
    language: 'de',
  };
  const definition = defineSource(settings, cwd);
  const { as: id, ...rest } = settings;
  expect(definition).toEqual({ ...rest, id, use: 'folder', path: join(cwd, 'docs') });
  expect(JSON.parse(JSON.stringify(definition))).toEqual(definition);
});

test.each([
  ['https://example.org/o/repo.git', { url: 'https://example.org/o/repo.git', id: 'repo' }],
  [
    'https://example.org:8443/o/repo#v1.2:docs/api/',
    { url: 'https://example.org:8443/o/repo', ref: 'v1.2', subdir: 'docs/api', id: 'api' },
  ],
  ['https://example.org/o/repo:docs', { url: 'https://example.org/o/repo', subdir: 'docs', id: 'docs' }],
  ['https://example.org/o/repo#feature/x', { url: 'https://example.org/o/repo', ref: 'feature/x', id: 'repo' }],
  [
    'https://example.org/o/repo:packages/@scope/docs',
    { url: 'https://example.org/o/repo', subdir: 'packages/@scope/docs', id: 'docs' },
  ],
  ['ssh://git@example.org:22/o/repo', { url: 'ssh://git@example.org:22/o/repo', id: 'repo' }],
  [
    'git@example.org:o/repo.git#main:docs',
    { url: 'git@example.org:o/repo.git', ref: 'main', subdir: 'docs', id: 'docs' },
  ],
])('git:%s', (address, expected) => {
  expect(remote(address)).toEqual({ ref: undefined, subdir: undefined, ...expected });
});

test('a local repository: its path may hold # and :, a subfolder is not one', () => {
  const folder = repository({ 'docs/a.md': 'a' });
  const cwd = join(folder, '..');
  expect(parseSource('git:handbook#main:docs', { cwd })).toEqual({
    id: 'docs',
    from: 'git:handbook#main:docs',
    use: 'git',
    repository: folder,
    ref: 'main',
    subdir: 'docs',
  });
  expect(parseSource(`git:file://${folder}`, { cwd: '/' })).toMatchObject({ repository: folder, id: 'handbook' });
  mkdirSync(join(cwd, 'a#b:c/.git'), { recursive: true });
  expect(parseSource('git:a#b:c', { cwd })).toMatchObject({ repository: join(cwd, 'a#b:c') });
  expect(failureOf('git:handbook/docs', cwd)).toMatchObject({
    code: 'source-missing',
    hint: `it is a part of one: git:${folder}:docs`,
  });
  expect(failureOf('git:nothing', cwd)).toMatchObject({
    code: 'source-missing',
    message: `there is no folder ${join(cwd, 'nothing')}`,
  });
});

test.each([
  'git:https://alice:t0pz3bra@example.org/o/r',
  'git:https://t0pz3bra@example.org/o/r.git#main',
  'git:http://alice:p@t0pz3bra@example.org/o/r',
  'git:ssh://git:t0pz3bra@example.org/o/r',
  'git:https:/alice:t0pz3bra@example.org/o/r',
  'git:https:alice:t0pz3bra@example.org/o/r',
  'git:https:\\\\alice:t0pz3bra@example.org/o/r',
  'git:alice:t0pz3bra@example.org:o/r',
  'git:HTTPS://alice:t0pz3bra@example.org/o/r',
  'git:git://t0pz3bra@example.org/o/r',
  'git:https://example.org/o/r?access_token=t0pz3bra',
  'git://t0pz3bra@example.org/o/r',
  'git:https://alice:t0p/z3bra@example.org/o/r',
  'https://alice:t0pz3bra@example.org/docs/',
  'alice:t0pz3bra@example.org:o/r',
])('%s: refused, and the secret is not repeated', (address) => {
  const error = failureOf(address, temporaryFolder());
  expect(error.code).toBe('source-refused');
  expect(`${error.message} ${error.hint} ${String(error.cause)}`).not.toMatch(/t0p|z3bra/);
  expect(error.hint).toBeTruthy();
});

test.each([
  'git:ext::sh -c "touch /tmp/x"',
  'git:fd::17',
  'git:transport::https://example.org/r',
  'git:ftp://example.org/r',
  'git:git+ssh://example.org/r',
  'git:--upload-pack=touch x',
  '-x',
  'ext::sh -c x',
  's3://bucket/x',
  'git:ssh://-oProxyCommand=x/r',
  'git:ssh://git@-oProxyCommand=x/r',
  'git:https://example.org',
  'git:https://example.org/o/r#--all',
  'git:https://example.org/o/r#a..b',
  'git:https://example.org/o/r#HEAD~1',
  'git:https://example.org/o/r#main:../x',
  'git:https://example.org/o/r#main\nx',
  'git:file://other-host/r',
])('%s: refused', (address) => {
  expect(failureOf(address)).toMatchObject({ code: 'source-refused', hint: expect.stringMatching(/./) as string });
});

test('what is recognised but not there yet says what works instead', () => {
  const cwd = temporaryFolder();
  write(cwd, { 'pages.jsonl': '', 'faq.db': '', 'list.mbox': '', 'one.eml': '' });
  expect(failureOf('github:owner/repo/docs@main')).toMatchObject({
    code: 'not-available',
    hint: 'git reads them: git:https://github.com/owner/repo',
  });
  expect(failureOf('https://github.com/owner/repo')).toMatchObject({
    code: 'not-available',
    hint: 'git reads the repository: git:https://github.com/owner/repo',
  });
  expect(failureOf('https://example.org/docs/?page=1').code).toBe('not-available');
  for (const file of ['pages.jsonl', 'faq.db']) expect(parseSource(file, { cwd })).toMatchObject({ use: 'folder' });
  for (const file of ['list.mbox', 'one.eml']) {
    expect(failureOf(file, cwd)).toMatchObject({
      code: 'not-available',
      hint: expect.stringContaining('folder') as string,
    });
  }
});

test('a missing path is named in full; a forgotten git: is pointed out', () => {
  const cwd = temporaryFolder();
  expect(failureOf('nope/x', cwd)).toMatchObject({
    code: 'source-missing',
    message: `there is no file or folder ${cwd}/nope/x`,
  });
  expect(failureOf('', cwd).code).toBe('source-missing');
  expect(failureOf('missing.jsonl', cwd).code).toBe('source-missing');
  expect(failureOf('git@example.org:o/r', cwd)).toMatchObject({ hint: 'write git:git@example.org:o/r' });
});

test('a base address must be a web address, a name must be a name', () => {
  const cwd = temporaryFolder();
  for (const baseUrl of ['javascript:alert(1)', 'docs.example.org', '']) {
    expect(() => defineSource({ from: '.', baseUrl }, cwd)).toThrow(
      expect.objectContaining({ code: 'setting-invalid' }) as Error,
    );
  }
  expect(() => defineSource({ from: '.', as: ' ' }, cwd)).toThrow(
    expect.objectContaining({ code: 'setting-invalid' }) as Error,
  );
});
