import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { mediaTypeOf } from '../../src/sources/media-types.ts';
import { fillTemplate, permalinkTemplate, withoutLines } from '../../src/sources/permalink.ts';
import { publishedUrl } from '../../src/text/published-url.ts';
import { fileUri } from '../../src/text/uri.ts';

const BASE = 'https://docs.example.org/learn';

test.each([
  ['guide/build.md', undefined, '/guide/build'],
  ['guide/index.md', undefined, '/guide'],
  ['guide/README.mdx', undefined, '/guide'],
  ['index.md', undefined, ''],
  ['a b/ünï#1?.md', undefined, '/a%20b/%C3%BCn%C3%AF%231%3F'],
  ['release.v1.2.md', undefined, '/release.v1.2'],
  ['guide/build.md', '/start', '/start'],
  ['guide/build.md', '/', ''],
  ['guide/build.md', 'compile', '/guide/compile'],
  ['guide/build.md', './compile/', '/guide/compile'],
  ['guide/build.md', '../../../../etc', '/etc'],
  ['guide/build.md', '//evil.example/x', '/evil.example/x'],
  ['guide/build.md', ' ', '/guide/build'],
])('%s with slug %s is published at %s', (path, slug, expected) => {
  expect(publishedUrl(`${BASE}/`, path, slug)).toBe(BASE + expected);
});

const place = { commit: 'c0ffee', path: 'docs/a b.md', start: 3, end: 5 };

test.each([
  ['https://github.com/o/r.git', 'https://github.com/o/r/blob/c0ffee/docs/a%20b.md#L3-L5'],
  ['git@github.com:o/r.git', 'https://github.com/o/r/blob/c0ffee/docs/a%20b.md#L3-L5'],
  ['ssh://git@github.com:22/o/r', 'https://github.com/o/r/blob/c0ffee/docs/a%20b.md#L3-L5'],
  ['https://gitlab.com/g/s/r', 'https://gitlab.com/g/s/r/-/blob/c0ffee/docs/a%20b.md#L3-5'],
  ['https://gitlab.example.org:8443/g/r/', 'https://gitlab.example.org:8443/g/r/-/blob/c0ffee/docs/a%20b.md#L3-5'],
  ['https://bitbucket.org/o/r', 'https://bitbucket.org/o/r/src/c0ffee/docs/a%20b.md#lines-3:5'],
  ['https://codeberg.org/o/r', 'https://codeberg.org/o/r/src/commit/c0ffee/docs/a%20b.md#L3-L5'],
])('permalink of %s', (repository, expected) => {
  const template = permalinkTemplate(repository)!;
  expect(fillTemplate(template, { repository, ...place })).toBe(expected);
  const unfilled = fillTemplate(template, { repository, commit: place.commit, path: place.path });
  expect(unfilled).toMatch(/#.*\{start\}.*\{end\}$/);
  expect(withoutLines(unfilled)).toBe(expected.replace(/#.*/, ''));
});

test('no permalink for a local or unknown repository, or a host that only looks like a forge', () => {
  for (const repository of [
    '/srv/repo',
    'https://example.org/o/r',
    'https://notgithub.com/o/r',
    'https://github.com',
  ]) {
    expect(permalinkTemplate(repository)).toBeUndefined();
  }
});

test('a template of the user is filled as it stands', () => {
  expect(
    fillTemplate('x/{path}?at={commit}&l={start}', { repository: '/r', commit: 'c', path: 'a{end}', start: 2 }),
  ).toBe('x/a%7Bend%7D?at=c&l=2');
  expect(withoutLines('x/a?at=c&l={start}')).toBe('x/a?at=c');
});

test.each(['/a b/ünï #1?.md', '/100%/[x]^|~.md', '/new\nline\r\\.md', '/plain/a.md'])(
  'the address of %j leads back to it',
  (path) => {
    expect(fileURLToPath(fileUri(path))).toBe(path);
    expect(new URL(fileUri(path)).hash).toBe('');
  },
);

test.each([
  ['a.MD', 'text/markdown'],
  ['a.mkd', 'text/markdown'],
  ['a.mdx', 'text/mdx'],
  ['a.rst', 'text/plain'],
  ['Makefile', 'text/plain'],
  ['a.unheard-of', 'text/plain'],
  ['a.Py', 'text/x-code'],
  ['a.json', 'text/x-code'],
  ['a.jsonl', 'application/x-ndjson'],
  ['a.SQLite3', 'application/vnd.sqlite3'],
  ['a.tar.GZ', undefined],
  ['a.htm', undefined],
])('%s is %s', (path, expected) => {
  const type = mediaTypeOf(path);
  expect('mediaType' in type ? type.mediaType : undefined).toBe(expected);
});
