/** Work is counted, not timed: the characters that were looked at for each character of the text. */
import { describe, expect, test } from 'vitest';
import type { ChunkerOptions } from '../../src/chunkers/options.ts';
import fencedTokens from '../../src/chunkers/fenced-tokens.ts';
import fixedTokens from '../../src/chunkers/fixed-tokens.ts';
import markdownSections from '../../src/chunkers/markdown-sections.ts';
import semantic from '../../src/chunkers/semantic.ts';
import twoTier from '../../src/chunkers/two-tier.ts';
import type { ChunkSettings } from '../../src/core/settings.ts';
import type { Chunker } from '../../src/core/contracts.ts';
import { searchableText } from '../../src/parsers/searchable.ts';
import { parse } from '../parsers/parse.ts';
import { CHUNKERS, count, embedder, SIZES } from './chunk.ts';

const OPEN: Readonly<Record<ChunkSettings['use'], (options: ChunkerOptions) => Chunker>> = {
  'markdown-sections': markdownSections,
  'fixed-tokens': fixedTokens,
  'two-tier': twoTier,
  'fenced-tokens': fencedTokens,
  semantic: (options) => semantic({ ...options, embedder }),
};

/** Characters that the tokenizer and the reader of Markdown were given. */
async function work(text: string, use: ChunkSettings['use']): Promise<number> {
  let characters = 0;
  const chunker = OPEN[use]({
    ...SIZES,
    countTokens(part) {
      characters += part.length;
      return count(part);
    },
    searchable(part, as) {
      characters += part.length;
      return searchableText(part, as === 'verbatim');
    },
  });
  const document = await parse(text);
  expect((await chunker.chunk(document)).length).toBeGreaterThan(0);
  return characters;
}

const TEXTS: Readonly<Record<string, (size: number) => string>> = {
  'one line of words': (size) => 'word '.repeat(size * 4000),
  'one line without a space': (size) => 'x'.repeat(size * 20_000),
  'one line of a script without spaces': (size) => 'ไทย'.repeat(size * 5000),
  'one line of dots': (size) => `${'.'.repeat(size * 20_000)}x`,
  'one fence': (size) => `\`\`\`\n${'const a = 1;\n'.repeat(size * 1000)}\`\`\``,
  'one fence of one line': (size) => `\`\`\`\n${'a=1;'.repeat(size * 4000)}\n\`\`\``,
  'one table': (size) => `| a | b |\n|---|---|\n${'| one | two |\n'.repeat(size * 1000)}`,
  'paragraphs under one heading': (size) => `# A\n\n${'One two three.\n\n'.repeat(size * 1000)}`,
  headings: (size) => Array.from({ length: size * 1000 }, (_, i) => `## Heading ${i}\n\ntext\n\n`).join(''),
  'headings without text': (size) => '## A\n'.repeat(size * 1000),
  'headings without words': (size) => `${'# \n'.repeat(size * 1000)}text`,
  'characters that are no tokens': (size) => '\u200b\n\n'.repeat(size * 1000) + 'word '.repeat(size * 600),
  'tokens far apart': (size) => `${'word '.repeat(600)}${`word${'\u200b'.repeat(3000)}`.repeat(size * 10)}`,
  'combining marks': (size) => `${'word '.repeat(600)}a${'\u0301'.repeat(size * 10_000)}`,
  'items of a list': (size) => '- one two three\n'.repeat(size * 1000),
  'nested lists': (size) => Array.from({ length: size * 100 }, (_, i) => `${'  '.repeat(i)}- item ${i}\n`).join(''),
  'chunks under a long title': (size) =>
    `---\ntitle: ${'word '.repeat(size * 1000)}\n---\n${'## A\n\ntext\n\n'.repeat(size * 100)}`,
};

describe.each(CHUNKERS)('%s: the work for a character is the same in a longer text', (use) => {
  test.each(Object.entries(TEXTS))('%s', async (_, text) => {
    const perCharacter = async (size: number): Promise<number> => (await work(text(size), use)) / text(size).length;
    const [two, eight] = [await perCharacter(2), await perCharacter(8)];
    expect(eight / two).toBeLessThan(1.5);
    expect(eight).toBeLessThan(25);
  });
});

test.each([
  ['10,001 headings', Array.from({ length: 10_001 }, (_, i) => `# H${i}\n\ntext ${i}\n`).join('\n'), 10_001],
  ['a list 400 deep', Array.from({ length: 400 }, (_, i) => `${'  '.repeat(i)}- level ${i}`).join('\n'), 1],
  ['one line of 200 kB', 'word '.repeat(40_000), 50],
])('%s, within seconds', async (_, text, atLeast) => {
  const document = await parse(text);
  const started = performance.now();
  const { chunkDocument } = await import('./chunk.ts');
  const { chunks } = await chunkDocument(document);
  expect(performance.now() - started).toBeLessThan(5000);
  expect(chunks.length).toBeGreaterThanOrEqual(atLeast);
});
