import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lineRange, lineStarts } from '../../src/text/lines.ts';
import { publishedUrl } from '../../src/text/published-url.ts';

describe('lines', () => {
  test.each([
    ['LF', 'a\nb\n', [0, 2, 4]],
    ['CRLF', 'a\r\nb\r\n', [0, 3, 6]],
    ['a lone CR', 'a\rb', [0, 2]],
    ['mixed', 'a\n\rb\r\r\nc', [0, 2, 3, 5, 7]],
    ['line separators are characters like others', 'a\u2028b\u0085c\vd', [0]],
    ['nothing', '', [0]],
  ])('%s', (_, text, starts) => {
    expect(lineStarts(text)).toEqual(starts);
  });

  test('a span touches the lines that its characters are in', () => {
    const starts = lineStarts('one\ntwo\nthree');
    expect(lineRange(starts, { start: 0, end: 3 })).toEqual({ start: 1, end: 1 });
    expect(lineRange(starts, { start: 0, end: 4 })).toEqual({ start: 1, end: 1 });
    expect(lineRange(starts, { start: 0, end: 5 })).toEqual({ start: 1, end: 2 });
    expect(lineRange(starts, { start: 4, end: 4 })).toEqual({ start: 2, end: 2 });
    expect(lineRange(starts, { start: 12, end: 13 })).toEqual({ start: 3, end: 3 });
  });

  test('agrees with counting line ends', () => {
    const text = fc.array(fc.constantFrom('\n', '\r\n', '\r', 'a', 'bc'), { maxLength: 20 }).map((all) => all.join(''));
    fc.assert(
      fc.property(text, fc.nat(40), fc.nat(40), (written, a, b) => {
        const start = Math.min(a, written.length);
        const end = Math.min(start + b, written.length);
        // An offset between CR and LF is still in the line that they end.
        const lineAt = (offset: number): number => {
          const before = written.slice(0, offset);
          const ends = before.match(/\r\n|\r|\n/gu)?.length ?? 0;
          return before.endsWith('\r') && written[offset] === '\n' ? ends : ends + 1;
        };
        const range = lineRange(lineStarts(written), { start, end });
        expect(range).toEqual({ start: lineAt(start), end: lineAt(Math.max(start, end - 1)) });
      }),
    );
  });
});

describe('published addresses', () => {
  const base = 'https://docs.example.org/learn/';
  test.each([
    ['guide/build.md', undefined, 'guide/build'],
    ['guide/index.md', undefined, 'guide'],
    ['guide/README.md', undefined, 'guide'],
    ['index.md', undefined, ''],
    ['a b/ü #1.md', undefined, 'a%20b/%C3%BC%20%231'],
    ['guide/build.md', '/start', 'start'],
    ['guide/build.md', 'make', 'guide/make'],
    ['guide/build.md', '../../../../etc', 'etc'],
    ['guide/build.md', ' ', 'guide/build'],
    ['guide/v1.2.md', undefined, 'guide/v1.2'],
  ])('%s with slug %j is %j', (path, slug, expected) => {
    const url = publishedUrl(base, path, slug);
    expect(url).toBe(`https://docs.example.org/learn${expected === '' ? '' : `/${expected}`}`);
  });

  test('no path and no slug leaves the base', () => {
    const part = fc.constantFrom('..', '.', 'a', 'é', ' ', '%2e%2e', '?', '#', '\\');
    const path = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('/'));
    fc.assert(
      fc.property(path, fc.option(path, { nil: undefined }), (file, slug) => {
        const url = new URL(publishedUrl(base, `${file}.md`, slug));
        expect(url.origin).toBe('https://docs.example.org');
        expect(`${url.pathname}/`).toMatch(/^\/learn\//u);
        expect(url.hash + url.search).toBe('');
      }),
    );
  });
});
