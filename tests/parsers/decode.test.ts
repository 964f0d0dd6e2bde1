import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decodeText, looksBinary } from '../../src/text/decode.ts';
import { corpora, haveCorpora } from './parse.ts';

const bytes = (...values: number[]): Uint8Array => new Uint8Array(values);
const utf16le = (text: string): Uint8Array => Buffer.from(`\ufeff${text}`, 'utf16le');
const utf16be = (text: string): Uint8Array => Buffer.from(`\ufeff${text}`, 'utf16le').swap16();

describe('decodeText', () => {
  it('reads UTF-8, without its byte-order mark and with its line ends', () => {
    expect(decodeText(Buffer.from('\ufeffa\r\nb\rcü😀'))).toEqual({
      text: 'a\r\nb\rcü😀',
      encoding: 'utf-8',
      warnings: [],
    });
  });

  it('reads UTF-16 with a byte-order mark, both ways around', () => {
    expect(decodeText(utf16le('zebra ü😀'))).toEqual({ text: 'zebra ü😀', encoding: 'utf-16le', warnings: [] });
    expect(decodeText(utf16be('zebra ü😀'))).toEqual({ text: 'zebra ü😀', encoding: 'utf-16be', warnings: [] });
  });

  it('reads everything else as Windows-1252, and says so', () => {
    const { text, encoding, warnings } = decodeText(bytes(0x80, 0x93, 0x61, 0x94, 0x20, 0xfc, 0x81));
    expect(text).toBe('€“a” ü\u0081');
    expect(encoding).toBe('windows-1252');
    expect(warnings.map((warning) => warning.code)).toEqual(['encoding-guessed']);
  });

  it('replaces what UTF-16 cannot mean, and says so', () => {
    const { text, warnings } = decodeText(bytes(0xff, 0xfe, 0x61, 0x00, 0x00, 0xd8, 0x62, 0x00, 0x63));
    expect(text).toBe('a\ufffdb\ufffd');
    expect(warnings.map((warning) => warning.code)).toEqual(['encoding-damaged']);
  });

  it('keeps only the first byte-order mark out of the text', () => {
    expect(decodeText(Buffer.from('\ufeff\ufeffa')).text).toBe('\ufeffa');
    expect(decodeText(bytes()).text).toBe('');
    expect(decodeText(Buffer.from('\ufeff')).text).toBe('');
  });

  it('never makes a lone surrogate, and never loses well-formed text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.constantFrom([], [0xff, 0xfe], [0xfe, 0xff]), (body, mark) => {
        const { text } = decodeText(new Uint8Array([...mark, ...body]));
        expect(Buffer.from(text).toString()).toBe(text);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!text.startsWith('\ufeff'));
        expect(decodeText(Buffer.from(text)).text).toBe(text);
        expect(decodeText(utf16be(text)).text).toBe(text);
      }),
    );
  });
});

describe('looksBinary', () => {
  it.each([
    ['NUL bytes', bytes(0x61, 0x00, 0x62)],
    ['ELF', bytes(0x7f, 0x45, 0x4c, 0x46, 0x02)],
    ['PNG', bytes(0x89, 0x50, 0x4e, 0x47, 0x0d)],
    ['PDF', Buffer.from('%PDF-1.7 plain text follows')],
    ['zip', bytes(0x50, 0x4b, 0x03, 0x04, 0x14)],
    ['UTF-32', bytes(0xff, 0xfe, 0x00, 0x00, 0x61, 0x00, 0x00, 0x00)],
    ['control characters', Buffer.from('\x01\x02\x03\x04text of no kind at all')],
  ])('%s: yes', (_name, head) => {
    expect(looksBinary(head)).toBe(true);
  });

  it.each([
    ['nothing', bytes()],
    ['text', Buffer.from('# Title\r\n\ttext')],
    ['a coloured log', Buffer.from('\x1b[31mred\x1b[0m\x07 and the rest of the line')],
    ['Windows-1252', bytes(0x47, 0x72, 0xfc, 0xdf, 0x65, 0x20, 0x80)],
    ['UTF-16', utf16le('plain text')],
    ['half a character at the end', bytes(0x61, 0xe6, 0x97)],
  ])('%s: no', (_name, head) => {
    expect(looksBinary(head)).toBe(false);
  });

  it.skipIf(!haveCorpora)('judges the hostile corpus (needs ../shared)', () => {
    const judged = (path: string): boolean =>
      looksBinary(readFileSync(join(corpora, 'hostile', path)).subarray(0, 8192));
    expect(['binary/fake.md', 'binary/elf.txt', 'enc/nul-bytes.txt'].map(judged)).toEqual([true, true, true]);
    const text = [
      'enc/utf16le-bom.md',
      'enc/utf16be-bom.txt',
      'enc/latin1.md',
      'enc/invalid-utf8.md',
      'enc/controls.md',
    ];
    expect(
      [...text, 'enc/bidi.md', 'lang/thai.txt', 'lang/emoji-zwj.md', 'md/base64-blob.md', 'empty/zero.md'].filter(
        judged,
      ),
    ).toEqual([]);
  });
});
