/** Large pieces of pages, fences whole, cut at headings where one is near (seed 004). */
import { describe, expect, test } from 'vitest';
import { chunk, count, SIZES } from './chunk.ts';

const sizes = {
  ...SIZES,
  use: 'fenced-tokens',
  minTokens: 20,
  targetTokens: 120,
  maxTokens: 160,
  overlapTokens: 0,
} as const;
const texts = async (text: string, over = {}): Promise<readonly string[]> =>
  (await chunk(text, { ...sizes, ...over })).chunks.map((found) => found.text);
/** So many tokens, in sentences of six. */
const prose = (tokens: number): string => 'These words make a sentence. '.repeat(Math.round(tokens / 6)).trim();
const section = (name: string, tokens: number): string => `## ${name}\n\n${prose(tokens)}`;

describe('a boundary', () => {
  // [S4-chunk-headers]
  test('is rather at a heading that is near than where the piece is full', async () => {
    const found = await texts([section('A', 42), section('B', 42), section('C', 60), section('D', 60)].join('\n\n'));
    expect(found.map((text) => text.match(/## \w/gu))).toEqual([
      ['## A', '## B'],
      ['## C', '## D'],
    ]);
  });

  test('is at the heading nearest to the target, before or behind it', async () => {
    const found = await texts([section('A', 66), section('B', 66), section('C', 66), section('D', 66)].join('\n\n'));
    // Behind A and B are 136 tokens, behind A 68: the target is 120.
    expect(found.map((text) => text.match(/## \w/gu))).toEqual([
      ['## A', '## B'],
      ['## C', '## D'],
    ]);
  });

  test('is where the piece is full when no heading is near', async () => {
    const paragraphs = Array.from({ length: 8 }, () => prose(36)).join('\n\n');
    const found = await texts(`## A\n\n${paragraphs}`);
    expect(found.map((text) => count(text))).toEqual([111, 108, 72]);
  });

  test('never parts a heading from what it stands over', async () => {
    const found = await texts(`${prose(114)}\n\n## A\n\n### B\n\n${prose(120)}`);
    expect(found).toHaveLength(2);
    expect(found[1]).toMatch(/^## A\n\n### B\n\nThese/u);
  });
});

describe('a fence', () => {
  const code = `\`\`\`ts\n${'const a = 1;\n'.repeat(20)}\`\`\``;

  // [S4-chunk-fences] [S4-chunk-keep-fences]
  test('that fits is whole', async () => {
    for (const before of [0, 30, 60, 90, 114]) {
      const found = await texts(`${prose(before)}\n\n${code}\n\n${prose(90)}`);
      expect(found.filter((text) => text.includes('const'))).toEqual([expect.stringContaining(code)]);
    }
  });

  test('that is too long is cut between lines', async () => {
    const long = `\`\`\`ts\n${Array.from({ length: 60 }, (_, i) => `const value${i} = 1;`).join('\n')}\n\`\`\``;
    const found = await texts(long);
    expect(found.length).toBeGreaterThan(2);
    expect(found.join('\n')).toBe(long);
  });

  test('blank lines and headings in it are no places to cut', async () => {
    const inner = '```md\n# not a heading\n\ntext\n\n## nor this\n```';
    const found = await texts(`${prose(84)}\n\n${inner}\n\n${prose(84)}`, { targetTokens: 100, maxTokens: 120 });
    expect(found.filter((text) => text.includes('heading'))).toEqual([expect.stringContaining(inner)]);
  });
});

describe('the overlap', () => {
  // [S4-chunk-overlapping]
  test('is whole blocks that fit, else sentences', async () => {
    const paragraphs = Array.from({ length: 8 }, (_, i) => `P${i}. ${prose(36)}`).join('\n\n');
    const blocks = await texts(paragraphs, { overlapTokens: 50 });
    expect(blocks[1]).toMatch(/^P2\. [^]*\n\nP3\. /u);
    const sentences = await texts(paragraphs, { overlapTokens: 13 });
    expect(sentences[1]).toMatch(/^These words make a sentence\. These words make a sentence\.\n\nP/u);
  });

  test('never begins inside of a fence, and may hold a whole one', async () => {
    const code = (lines: number): string => `\`\`\`\n${'const a = 1;\n'.repeat(lines)}\`\`\``;
    const before = `${prose(90)}\n\n${code(3)}`;
    expect((await texts(`${before}\n\n${prose(90)}`, { overlapTokens: 60 }))[1]?.startsWith(code(3))).toBe(true);
    expect((await texts(`${before}\n\n${prose(90)}`, { overlapTokens: 10 }))[1]?.startsWith('These')).toBe(true);
    const cut = await texts(`${code(60)}\n\n${prose(90)}`, { overlapTokens: 20 });
    expect(cut.flatMap((text) => text.match(/const/gu) ?? [])).toHaveLength(60);
  });
});
