import { describe, expect, test } from 'vitest';
import { chunk, count, SIZES, SMALL } from './chunk.ts';

const texts = async (text: string, sizes = SIZES): Promise<readonly string[]> =>
  (await chunk(text, sizes)).chunks.map((found) => found.text);
/** No half of a surrogate pair. */
const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);
const sentence = (name: string, words: number): string => `${name} ${'word '.repeat(words)}ends here.`;

describe('where a section fits', () => {
  // [S0-chunk-section-fits] [S0-chunk-headers-first] [S0-chunk-hierarchical] [S4-chunk-headers]
  test('it is one chunk, and the next begins with its own heading', async () => {
    expect(await texts('# A\n\nOne.\n\nTwo.\n\n## B\n\n- three\n- four\n')).toEqual([
      '# A\n\nOne.\n\nTwo.',
      '## B\n\n- three\n- four',
    ]);
  });

  test('text before the first heading is a chunk of its own', async () => {
    expect(await texts('Intro.\n\n# A\n\nOne.')).toEqual(['Intro.', '# A\n\nOne.']);
  });

  test('a heading without text joins the one below it, not the one beside it', async () => {
    expect(await texts('# A\n\n## B\n\n### C\n\ntext')).toEqual(['# A\n\n## B\n\n### C\n\ntext']);
    expect(await texts('## A\n\n## B\n\ntext')).toEqual(['## A', '## B\n\ntext']);
  });

  // [S0-chunk-min-tokens]
  test('small sections are not merged: each is found by its own heading', async () => {
    expect(await texts('# A\n\nOne.\n\n# B\n\nTwo.')).toHaveLength(2);
  });
});

describe('where it does not fit', () => {
  // [S0-chunk-target-tokens] [S0-chunk-paragraphs] [S0-chunk-min-tokens]
  test('paragraphs are filled up to the target, and no small rest is left', async () => {
    const { chunks } = await chunk(Array.from({ length: 40 }, (_, i) => sentence(`P${i}`, 30)).join('\n\n'));
    expect(chunks.length).toBeGreaterThan(2);
    for (const { text } of chunks.slice(0, -1)) {
      expect(count(text)).toBeGreaterThan(SIZES.targetTokens / 2);
      expect(count(text)).toBeLessThanOrEqual(SIZES.targetTokens + SIZES.overlapTokens);
    }
    expect(count(chunks.at(-1)?.text ?? '')).toBeGreaterThanOrEqual(SIZES.minTokens);
  });

  // [S0-chunk-overlap]
  test('the next chunk repeats the last sentences of the one before', async () => {
    const [first = '', second = ''] = await texts(
      Array.from({ length: 12 }, (_, i) => `Sentence ${i} has words.`).join(' '),
      SMALL,
    );
    expect(first).toMatch(/ Sentence 6 has words\. Sentence 7 has words\.$/u);
    expect(second).toMatch(/^Sentence 6 has words\. Sentence 7 has words\. Sentence 8/u);
  });

  // [S0-chunk-overlap]
  test('nothing is repeated across headings', async () => {
    const section = (name: string): string => `# ${name}\n\n${'One two three. '.repeat(10)}`;
    const { chunks } = await chunk(`${section('A')}\n\n${section('B')}`, SMALL);
    const second = chunks.findIndex(({ text }) => text.includes('# B'));
    expect(chunks[second]?.text.startsWith('# B')).toBe(true);
  });

  // [S4-chunk-fences]
  test('a fence that fits stays whole, alone when it must', async () => {
    const code = `\`\`\`ts\n${Array.from({ length: 6 }, (_, i) => `call(${i});`).join('\n')}\n\`\`\``;
    const found = await texts(`# A\n\n${sentence('Before', 20)}\n\n${code}\n\n${sentence('After', 20)}`, SMALL);
    expect(found.filter((text) => text.includes('call('))).toEqual([expect.stringContaining(code)]);
  });

  // [S4-chunk-fences]
  test('a longer one is cut between lines, and so is a table', async () => {
    const lines = Array.from({ length: 60 }, (_, i) => `const value${i} = ${i};`);
    const found = await texts(`\`\`\`ts\n${lines.join('\n')}\n\`\`\``, SMALL);
    expect(found.length).toBeGreaterThan(3);
    expect(found.flatMap((text) => text.split('\n'))).toEqual(['```ts', ...lines, '```']);

    const rows = Array.from({ length: 40 }, (_, i) => `| key${i} | value ${i} |`);
    const table = await texts(`| key | value |\n|---|---|\n${rows.join('\n')}`, SMALL);
    expect(table.length).toBeGreaterThan(3);
    expect(table.flatMap((text) => text.split('\n'))).toEqual(['| key | value |', '|---|---|', ...rows]);
  });

  // [S0-chunk-headers-first] [S0-chunk-paragraphs]
  test('a fence with blank lines and headings inside is no place to cut', async () => {
    const code = '```md\n# not a heading\n\ntext\n\n## nor this\n```';
    expect(await texts(`# A\n\n${code}\n`)).toEqual([`# A\n\n${code}`]);
  });

  test('a heading goes with the beginning of its text', async () => {
    const found = await texts(`# Heading of a few words\n\n${'word '.repeat(50)}end.`, SMALL);
    expect(found[0]).toMatch(/^# Heading of a few words\n\nword/u);
  });

  test('a line without spaces is cut, but no character', async () => {
    for (const line of ['😀'.repeat(500), '数'.repeat(500), 'ไทย'.repeat(500), 'x'.repeat(3000), 'é'.repeat(900)]) {
      const found = await texts(line, SMALL);
      expect(found.length).toBeGreaterThan(3);
      expect(found.join('')).toBe(line);
      expect(found.every(isWellFormed)).toBe(true);
    }
  });
});

describe('context', () => {
  const contextOf = async (text: string): Promise<string | undefined> => (await chunk(text)).chunks.at(-1)?.context;

  test('is the title and the headings, the title once', async () => {
    expect(await contextOf('---\ntitle: Guide\n---\n# Setup\n\n## Ports\n\ntext')).toBe('Guide > Setup > Ports');
    expect(await contextOf('# Setup\n\n## Ports\n\ntext')).toBe('Setup > Ports');
    expect(await contextOf('---\ntitle: Guide\n---\ntext')).toBe('Guide');
  });

  test('is not in the text, and the text is what is shown', async () => {
    const { chunks } = await chunk('---\ntitle: Guide\n---\n## Ports\n\n**Set** [it](https://example.org).');
    expect(chunks[0]).toMatchObject({
      text: '## Ports\n\n**Set** [it](https://example.org).',
      searchText: 'Ports\nSet it.',
      headingPath: ['Ports'],
      title: 'Guide',
    });
  });

  test('never takes more than half of the room', async () => {
    for (const title of ['word '.repeat(600).trim(), 'x'.repeat(100_000), '😀'.repeat(3000)]) {
      const { chunks } = await chunk(`---\ntitle: ${title}\n---\n## ${title}\n\n### Ports\n\n${'text '.repeat(600)}`);
      for (const { context, tokenCount } of chunks) {
        expect(count(context)).toBeLessThanOrEqual(SIZES.maxTokens / 2);
        expect(tokenCount).toBeLessThanOrEqual(SIZES.maxTokens);
        expect(isWellFormed(context)).toBe(true);
      }
      expect(chunks.at(-1)?.context).toMatch(/Ports$/u);
    }
  });

  test('keeps the inner headings of many', async () => {
    const heading = 'word '.repeat(60).trim();
    const deep = [1, 2, 3, 4, 5, 6].map((level) => `${'#'.repeat(level)} H${level} ${heading}`).join('\n\n');
    const context = await contextOf(`${deep}\n\ntext`);
    expect(context?.startsWith('H3')).toBe(true);
    expect(context).toContain(' > H6 ');
  });
});

describe('metadata of the design', () => {
  // [S0-metadata-doc-id] [S0-metadata-file-path] [S0-metadata-url-slug] [S0-metadata-url-hash]
  // [S0-metadata-chunk-index] [S0-metadata-total-chunks] [S0-payload-category]
  test('of a page in a section of a site', async () => {
    const { chunks, document } = await chunk(
      '---\nslug: ports\nkeywords: a, b\n---\n# Setup\n\nOne.\n\n## Ports\n\nTwo.',
      SIZES,
      {
        path: 'guide/setup.md',
        metadata: { category: 'guide' },
        url: 'https://docs.example.org/guide/ports',
      },
    );
    expect(chunks).toHaveLength(2);
    expect(chunks[1]).toMatchObject({
      url: 'https://docs.example.org/guide/ports#ports',
      position: 1,
      metadata: {
        doc_id: document.id,
        file_path: 'guide/setup.md',
        parent_sections: ['Setup'],
        url_slug: 'ports',
        url_hash: '#ports',
        chunk_index: 1,
        total_chunks: 2,
        category: 'guide',
        keywords: ['a', 'b'],
        lineStart: 9,
        lineEnd: 11,
        previous: chunks[0]?.id,
      },
    });
    expect(chunks[1]?.metadata).not.toHaveProperty('next');
  });

  test('the slug is the name of the file where none is declared', async () => {
    const { chunks } = await chunk('text', SIZES, { path: 'guide/set.up.md' });
    expect(chunks[0]?.metadata['url_slug']).toBe('set.up');
  });
});

describe('ids', () => {
  test('stay as long as place and words do', async () => {
    const [before, after] = [await chunk('# A\n\nOne.\n\n# B\n\nTwo.'), await chunk('# A\n\nOne.\n\n# B\n\nThree.')];
    expect(after.chunks[0]?.id).toBe(before.chunks[0]?.id);
    expect(after.chunks[1]?.id).not.toBe(before.chunks[1]?.id);
  });

  test('differ for the same words at two places', async () => {
    const { chunks } = await chunk('# A\n\nSame.\n\n# A\n\nSame.');
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(2);
  });
});

test.each(['', ' \n\n', '---\ntitle: only\n---\n', '<!-- a comment -->'])('%j has no chunk', async (text) => {
  expect(await texts(text)).toEqual([]);
});

test('code files and plain text are searched as they stand', async () => {
  const code = await chunk('const a = b[c](d);\n', SIZES, { path: 'a.ts', mediaType: 'text/x-code' });
  expect(code.chunks[0]).not.toHaveProperty('searchText');
  const plain = await chunk('2 * 3 * 4 = **24**\n', SIZES, { path: 'a.txt' });
  expect(plain.chunks[0]).not.toHaveProperty('searchText');
});
