/** Even pieces, and the same as functions for any text (seed 001). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chunkText, chunkWithMetadata } from '../../src/chunkers/text-chunks.ts';
import { chunk, count, SIZES } from './chunk.ts';

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => `Line ${from + i} of a text.`).join('\n');

describe('chunkText', () => {
  // [S1-chunk-lines] [S1-chunker-text] [S1-chunker-configurable] [S1-chunk-fixed] [S1-chunk-overlap]
  test('cuts at ends of lines, repeats whole lines, and counts its pieces', () => {
    // Six tokens a line.
    const chunks = chunkText(lines(0, 20), { countTokens: count, maxTokens: 40, overlapTokens: 13 });
    expect(chunks.map(({ text }) => text)).toEqual([
      lines(0, 6),
      lines(4, 10),
      lines(8, 14),
      lines(12, 18),
      lines(16, 20),
    ]);
    expect(chunks.map(({ sequence }) => sequence)).toEqual([0, 1, 2, 3, 4]);
    expect(chunks.map(({ tokenCount }) => tokenCount)).toEqual([36, 36, 36, 36, 24]);
  });

  // [S1-chunker-defaults]
  test('has the sizes of the design: 768 tokens, 100 repeated', () => {
    const chunks = chunkText(lines(0, 400), { countTokens: count });
    expect(chunks).toHaveLength(4);
    expect(chunks[0]?.tokenCount).toBe(768);
    const [first, second] = chunks;
    const repeated = lines(0, 400).slice(second?.span.start, first?.span.end);
    expect(count(repeated)).toBeGreaterThan(90);
    expect(count(repeated)).toBeLessThanOrEqual(100);
  });

  // [S1-chunk-token-based] [S1-chunk-size]
  test('counts tokens, not characters, and does not cut a line that fits: the original did both', () => {
    const text = `${'x'.repeat(90)} is one line.\n`.repeat(40);
    for (const { span } of chunkText(text, { countTokens: count, maxTokens: 100, overlapTokens: 0 })) {
      expect(span.start === 0 || text[span.start - 1] === '\n').toBe(true);
      expect(text[span.end]).toBe('\n');
    }
  });

  test('cuts a line that is too long at sentences, a sentence at words, a word between characters', () => {
    const options = { countTokens: count, maxTokens: 12, overlapTokens: 0 };
    const texts = (text: string): readonly string[] => chunkText(text, options).map((piece) => piece.text);
    expect(texts('The first one is here. The second one is here. The third one is here.')).toEqual([
      'The first one is here. The second one is here.',
      'The third one is here.',
    ]);
    const words = texts('word '.repeat(50).trim());
    expect(words.length).toBeLessThan(7);
    expect(words.join('')).toBe('word '.repeat(50).trim());
    for (const piece of words) expect(piece.trim()).toMatch(/^word(?: word)*$/u);
    for (const family of ['👨‍👩‍👧‍👦', '🇩🇪', 'é', '😀']) {
      const pieces = texts(family.repeat(60));
      expect(pieces.length).toBeGreaterThan(2);
      for (const piece of pieces) expect(piece.replaceAll(family, '')).toBe('');
    }
  });

  test('repeats the end of a line that is too long: its last sentences, else its last words', () => {
    const options = { countTokens: count, maxTokens: 14, overlapTokens: 6 };
    const [, second] = chunkText(`${'word '.repeat(40)}`, options);
    expect(second?.text.startsWith('word')).toBe(true);
    expect(second?.span.start).toBeLessThan(14 * 5);
    const [, next] = chunkText('One two three four five. Six seven.\nEight nine ten eleven twelve thirteen.', options);
    expect(next?.text.startsWith('Six seven.')).toBe(true);
  });

  // [S1-chunker-any-text]
  test('of any text: every character that is not blank is in a piece, and no piece is too long', () => {
    const piece = fc.oneof(
      fc.constantFrom('word', 'a. B', '\n', '\r\n', ' ', '数据库。', 'ไทย', '👨‍👩‍👧', 'x'.repeat(50), '```', '\u200b'),
      fc.string({ unit: 'binary', maxLength: 8 }),
    );
    const text = fc.array(piece, { maxLength: 80 }).map((pieces) => pieces.join(''));
    const sizes = fc.record({
      maxTokens: fc.integer({ min: 4, max: 40 }),
      overlapTokens: fc.integer({ min: 0, max: 3 }),
    });
    fc.assert(
      fc.property(text, sizes, (any, size) => {
        const chunks = chunkText(any, { countTokens: count, ...size });
        let covered = 0;
        chunks.forEach(({ text: own, span, sequence, tokenCount }, i) => {
          expect(own).toBe(any.slice(span.start, span.end));
          expect(any.slice(covered, Math.max(covered, span.start)).trim()).toBe('');
          expect(span.end).toBeGreaterThan(covered);
          expect(tokenCount).toBeLessThanOrEqual(size.maxTokens);
          expect(sequence).toBe(i);
          const repeated = any.slice(span.start, Math.max(span.start, covered));
          expect(count(repeated)).toBeLessThanOrEqual(size.overlapTokens);
          covered = span.end;
        });
        expect(any.slice(covered).trim()).toBe('');
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    { maxTokens: 0 },
    { maxTokens: 1.5 },
    { maxTokens: Number.NaN },
    { maxTokens: 10, overlapTokens: 10 },
    { overlapTokens: -1 },
  ])('refuses %o', (sizes) => {
    expect(() => chunkText('text', { countTokens: count, ...sizes })).toThrow(RangeError);
  });
});

// [S1-chunker-metadata]
test('chunkWithMetadata puts the metadata on every piece', () => {
  const chunks = chunkWithMetadata(
    lines(0, 20),
    { author: 'A' },
    { countTokens: count, maxTokens: 40, overlapTokens: 0 },
  );
  expect(chunks.length).toBeGreaterThan(2);
  for (const { metadata } of chunks) expect(metadata).toEqual({ author: 'A' });
});

describe('of a document', () => {
  const sizes = { ...SIZES, use: 'fixed-tokens', maxTokens: 60, overlapTokens: 15 } as const;

  test('headings are lines like others, and each piece stands under the heading where its own text begins', async () => {
    const section = (name: string): string => `# ${name}\n\n${lines(0, 5)}\n`;
    const { chunks } = await chunk(`${section('A')}\n${section('B')}\n${section('C')}`, sizes);
    expect(chunks.map(({ headingPath }) => headingPath[0])).toEqual(['A', 'B', 'C']);
    expect(chunks[0]?.text).toContain('# B');
    expect(chunks[1]?.text).toMatch(/^Line \d of a text\./u);
  });

  test('what is in no chunk by rule is in none of its sentences', async () => {
    const { chunks } = await chunk(`---\ntitle: T\n---\n${lines(0, 3)}\n\n<!-- hidden -->\n\n${lines(3, 6)}`, sizes);
    expect(chunks.some(({ searchText }) => searchText?.includes('hidden') === true)).toBe(false);
    expect(chunks[0]?.text.startsWith('Line 0')).toBe(true);
  });

  test('a comment of any length does not make a piece longer than it may be', async () => {
    const { chunks } = await chunk(`${lines(0, 3)}\n\n<!-- ${'hidden '.repeat(500)} -->\n\n${lines(3, 6)}`, sizes);
    for (const { text } of chunks) expect(count(text)).toBeLessThanOrEqual(60);
  });
});
