/** Small pieces and the sections around them (seed 002), with what the tests of the original program say. */
import { describe, expect, test } from 'vitest';
import { parentId, parentSpan } from '../../src/core/identity.ts';
import { chunk, SIZES, type Chunked } from './chunk.ts';

const sizes = {
  ...SIZES,
  use: 'two-tier',
  maxTokens: 8192,
  maxChars: 2000,
  overlapChars: 200,
  parentChars: 8000,
} as const;
const small = { ...sizes, maxChars: 200, overlapChars: 40, parentChars: 500 } as const;
const prose = (chars: number): string =>
  'Some words of a text. '
    .repeat(Math.ceil(chars / 22))
    .slice(0, chars - 1)
    .trimEnd() + '.';

/** Parents by path, in order, with their texts. */
function parents({ document, chunks }: Chunked): readonly (readonly [string, string])[] {
  const found = new Map<string, readonly [string, string]>();
  for (const { parentIds, metadata } of chunks) {
    const paths = metadata['parent_paths'] as readonly string[];
    parentIds.forEach((id, i) => {
      const { span } = parentSpan(id) ?? { span: { start: 0, end: 0 } };
      found.set(id, [paths[i] as string, document.text.slice(span.start, span.end)]);
    });
  }
  return [...found.values()];
}
const paths = (chunked: Chunked): readonly string[] => parents(chunked).map(([path]) => path);

describe('parents of Markdown', () => {
  // [S2-parent-path] [S2-parent-size]
  test('a section of the first level that fits is one, whole, with all below it', async () => {
    const text = `# A\n\n${prose(500)}\n\n## B\n\n${prose(500)}\n\n# C\n\n${prose(300)}`;
    const found = parents(await chunk(text, sizes));
    expect(found.map(([path]) => path)).toEqual(['A', 'C']);
    expect(found.map(([, own]) => own).join('\n\n')).toBe(text);
  });

  test('of one that does not fit, its sections, down to any level', async () => {
    const text = `# A\n\n## B\n\n${prose(300)}\n\n## C\n\n### D\n\n${prose(400)}\n\n### E\n\n${prose(400)}`;
    expect(paths(await chunk(text, small))).toEqual(['A > B', 'A > C > D', 'A > C > E']);
  });

  // [S2-parent-intro]
  test('the text of a section before its first subsection is a parent of its own: the original lost it', async () => {
    const text = `# A\n\n${prose(300)}\n\n## B\n\n${prose(400)}`;
    const found = parents(await chunk(text, small));
    expect(found.map(([path]) => path)).toEqual(['A', 'A > B']);
    expect(found[0]?.[1]).toBe(`# A\n\n${prose(300)}`);
  });

  // [S2-missing-large]
  test('a section that is too long and has no subsections is split: the original dropped it', async () => {
    const paragraphs = Array.from({ length: 12 }, (_, i) => `Paragraph ${i}. ${prose(100)}`).join('\n\n');
    const found = parents(await chunk(`# A\n\n${paragraphs}\n\n# B\n\ntext`, small));
    expect(found.map(([path]) => path)).toEqual(['A', 'A', 'A', 'B']);
    expect(found.every(([, own]) => own.length <= 500)).toBe(true);
    // Of about the same size, and between paragraphs.
    for (const [, own] of found.slice(0, 3)) {
      expect(own.length).toBeGreaterThan(300);
      expect(own).toMatch(/^(?:# A|Paragraph \d+\.)[^]*\.$/u);
    }
  });

  test('a fence that fits is in one', async () => {
    const code = `\`\`\`\n${'const a = 1;\n'.repeat(30)}\`\`\``;
    const found = parents(await chunk(`# A\n\n${prose(300)}\n\n${code}\n\n${prose(300)}`, small));
    expect(found.filter(([, own]) => own.includes('const'))).toEqual([['A', expect.stringContaining(code)]]);
  });

  test('a document without headings that fits is one without a path', async () => {
    expect(parents(await chunk(prose(3000), sizes))).toEqual([['', prose(3000)]]);
  });

  test('text above the first heading has no path', async () => {
    expect(paths(await chunk(`Intro.\n\n# A\n\ntext`, sizes))).toEqual(['', 'A']);
  });

  test('a document that begins with the second level has its sections as roots', async () => {
    expect(paths(await chunk('## A\n\none\n\n### B\n\ntwo\n\n## C\n\nthree', sizes))).toEqual(['A', 'C']);
  });
});

describe('parents of plain text', () => {
  const text = (content: string): Promise<Chunked> => chunk(content, small, { path: 'notes.txt' });

  // [S2-missing-text-chunks]
  test('are its paragraphs, and one under 50 characters goes with the next', async () => {
    const found = parents(await text(`Cats\n\n${prose(120)}\n\n${prose(80)}\n\nThe end.`));
    expect(found).toEqual([
      ['Paragraph 1', `Cats\n\n${prose(120)}`],
      ['Paragraph 2', prose(80)],
      ['Paragraph 3', 'The end.'],
    ]);
  });

  test('a paragraph that is too long is split, under one number: the original excluded it', async () => {
    const found = parents(await text(`${prose(100)}\n\n${prose(1200)}`));
    expect(found.map(([path]) => path)).toEqual(['Paragraph 1', 'Paragraph 2', 'Paragraph 2', 'Paragraph 2']);
    expect(found.every(([, own]) => own.length <= 500)).toBe(true);
  });
});

describe('pieces', () => {
  // [S2-vector-size] [S2-vector-overlap] [S2-vector-document]
  test('have 2,000 characters over the whole text and repeat 200, at better places than those where they are near', async () => {
    const text = Array.from({ length: 60 }, (_, i) => `## S${i}\n\n${prose(230)}`).join('\n\n');
    const { chunks } = await chunk(text, sizes);
    for (const { text: own } of chunks.slice(0, -1)) {
      expect(own.length).toBeLessThanOrEqual(2000);
      expect(own.length).toBeGreaterThan(1500);
      expect(own.endsWith('.')).toBe(true);
    }
    chunks.slice(1).forEach(({ span, text: own }, i) => {
      const repeated = (chunks[i]?.span.end ?? 0) - span.start;
      expect(repeated).toBeGreaterThan(80);
      expect(repeated).toBeLessThanOrEqual(200);
      expect(own).toMatch(/^(?:Some words|## S)/u);
    });
  });

  test('where nothing better is near, have exactly as many characters', async () => {
    const { chunks } = await chunk('x'.repeat(4000), sizes);
    expect(chunks.map(({ span }) => [span.start, span.end])).toEqual([
      [0, 2000],
      [1800, 3800],
      [3600, 4000],
    ]);
  });

  test('the last one is not repeated: nothing is only in the one before', async () => {
    for (const length of [1900, 2000, 2001, 3799, 3800, 3801, 3999]) {
      const { chunks } = await chunk('x'.repeat(length), sizes);
      expect(chunks.at(-1)?.span.end).toBe(length);
      for (const [i, { span }] of chunks.entries()) expect(span.end).toBeGreaterThan(chunks[i - 1]?.span.end ?? 0);
      expect(chunks).toHaveLength(length <= 2000 ? 1 : length <= 3800 ? 2 : 3);
    }
  });

  // [S2-chunk-links] [S2-links-many]
  test('know all the sections that they share characters with', async () => {
    const chunked = await chunk(`# A\n\n${prose(100)}\n\n# B\n\n${prose(450)}\n\n# C\n\n${prose(60)}`, small);
    expect(chunked.chunks.map(({ metadata }) => metadata['parent_paths'])).toEqual([
      ['A', 'B'],
      ['B'],
      ['B'],
      ['B', 'C'],
    ]);
  });

  test('touching is not sharing', async () => {
    // A ends where the piece ends; B begins behind it.
    const chunked = await chunk(`# A\n\n${prose(190)}\n\n# B\n\n${prose(190)}`, { ...small, overlapChars: 0 });
    expect(chunked.chunks.map(({ metadata }) => metadata['parent_paths'])).toEqual([['A'], ['B']]);
  });

  // [S2-missing-links] [S2-future-links]
  test('know the one before and the one behind', async () => {
    const { chunks } = await chunk(prose(1000), small);
    expect(chunks.length).toBeGreaterThan(4);
    chunks.forEach(({ metadata }, i) => {
      expect(metadata['previous']).toBe(chunks[i - 1]?.id);
      expect(metadata['next']).toBe(chunks[i + 1]?.id);
    });
  });

  test('keep to tokens, too, where these are fewer', async () => {
    const { chunks } = await chunk('数据库'.repeat(300), { ...sizes, maxTokens: 100 });
    expect(chunks.length).toBeGreaterThan(9);
    for (const { tokenCount } of chunks) expect(tokenCount).toBeLessThanOrEqual(98);
  });
});

describe('the id of a parent', () => {
  const document = 'ab'.repeat(12);

  // [S2-store-semantic]
  test('says where it is', () => {
    const id = parentId(document, { start: 12, end: 345 });
    expect(id).toBe(`${document}:12-345`);
    expect(parentSpan(id)).toEqual({ documentId: document, span: { start: 12, end: 345 } });
  });

  test.each([
    '',
    document,
    `${document}:5-5`,
    `${document}:9-2`,
    `${document}:-1-2`,
    `${document}:1-99999999999`,
    'x:1-2',
  ])('nothing is read from %j', (id) => {
    expect(parentSpan(id)).toBeUndefined();
  });
});
