import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { comparableText } from '../../src/text/comparable.ts';

describe('the same words', () => {
  test.each([
    ['letter case and white space', 'The  Port\r\n is', 'the port is'],
    ['emphasis and code', '**Set** `DB_HOST` _now_', 'set db host now'],
    ['links', 'See [the guide](https://example.org/a "Guide").', 'see the guide.'],
    ['images', '![A picture](a.png)', 'a picture'],
    ['list marks', '- one\n* two\n+ three\n1. four\n2) five', 'one two three four five'],
    ['tags', 'a<br/>b <kbd>Ctrl</kbd>', 'a b ctrl'],
    ['headings, quotes, tables', '## Head\n> quote\n| a | b |', 'head quote a b'],
    ['full-width forms', 'ＡＢ', 'ab'],
  ])('%s', (_, text, expected) => {
    expect(comparableText(text)).toBe(expected);
  });

  test('marks around words change nothing', () => {
    fc.assert(
      fc.property(fc.lorem(), fc.constantFrom('**', '_', '`', '~~'), (text, mark) => {
        expect(comparableText(`${mark}${text}${mark}`)).toBe(comparableText(text));
      }),
    );
  });
});

describe('other words', () => {
  test.each([
    ['a digit', 'port 8080', 'port 8081'],
    ['a negation', 'is allowed', 'is not allowed'],
    ['a minus sign', 'the value -1', 'the value 1'],
    ['punctuation', 'a, b', 'a b'],
    ['a missing word', 'one two three', 'one three'],
    ['order', 'one two', 'two one'],
  ])('%s', (_, one, other) => {
    expect(comparableText(one)).not.toBe(comparableText(other));
  });
});

test.each([
  ['brackets', '['.repeat(100_000)],
  ['blank lines', `a${'\n'.repeat(200_000)}b`],
  ['open tags', '<a'.repeat(100_000)],
  ['open links', '[](a'.repeat(50_000)],
  ['spaces', ' '.repeat(300_000)],
])('hostile: %s, in linear time', (_, text) => {
  const started = performance.now();
  comparableText(text);
  expect(performance.now() - started).toBeLessThan(5000);
});
