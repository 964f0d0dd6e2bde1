import { describe, expect, test } from 'vitest';
import { editDistance, nearest } from '../../src/text/nearest.ts';
import { printable, printableJson, printableLine } from '../../src/text/printable.ts';

describe('printable', () => {
  test.each([
    ['colour', '\u001b[31mred', '\\u001b[31mred'],
    ['a title (OSC)', '\u001b]0;x\u0007', '\\u001b]0;x\\u0007'],
    ['the 8-bit form', '\u009b31m\u009d0;x\u009c', '\\u009b31m\\u009d0;x\\u009c'],
    ['backspace and delete', 'a\bb\u007f', 'a\\u0008b\\u007f'],
    ['NUL', 'a\0b', 'a\\u0000b'],
    ['bidirectional overrides', 'a\u202eb\u2066c\u2069', 'a\\u202eb\\u2066c\\u2069'],
    ['line ends', 'a\r\nb\rc\nd\te', 'a\nb\nc\nd\te'],
    ['everything else', 'ä 数据库 שלום 👩‍🚀 \u200f', 'ä 数据库 שלום 👩‍🚀 \u200f'],
  ])('%s', (_, text, expected) => expect(printable(text)).toBe(expected));

  test('one line', () => expect(printableLine(' a\r\n\tb\u001b ')).toBe('a b\\u001b'));

  test('JSON has no raw control character, and the same value', () => {
    const value = { text: Array.from({ length: 0x2100 }, (_, i) => String.fromCharCode(i)).join('') };
    const json = printableJson(value);
    expect(JSON.parse(json)).toEqual(value);
    expect(json).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u);
  });
});

describe('nearest', () => {
  const names = ['ingest', 'search', 'ask', 'status', 'topK', 'top'];
  test.each([
    ['serch', 'search'],
    ['ignest', 'ingest'],
    ['topk', 'topK'],
    ['top_k', 'topK'],
    ['SEARCH', 'search'],
    ['x', undefined],
    ['completely-different', undefined],
    ['', undefined],
  ])('%s → %s', (word, expected) => expect(nearest(word, names)).toBe(expected));

  test('edits', () => {
    expect(editDistance('kitten', 'sitting')).toBe(3);
    expect(editDistance('ab', 'ba')).toBe(1);
    expect(editDistance('', 'abc')).toBe(3);
  });
});
