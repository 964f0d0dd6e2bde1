/** What holds for the chunks of every document: of the open corpora, and of texts made to be hard to cut. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { haveCorpora, markdownFiles, parseFile } from '../parsers/parse.ts';
import { markdownText, mediaType } from '../parsers/arbitrary.ts';
import { checkChunks, chunk, chunkDocument, CHUNKERS, SIZES, SMALL } from './chunk.ts';

const word = fc.constantFrom(
  ...['port', 'server', 'configuration', 'DB_HOST', 'v5.4.1', 'the', 'a', 'internationalization', 'naïve', '😀', '👨‍👩‍👧'],
  ...[
    '数据库',
    'データベース',
    'ภาษาไทย',
    'Größe',
    '`code`',
    '**bold**',
    '[link](https://example.org/a)',
    '…',
    '—',
    '&amp;',
  ],
);
const words = (most: number): fc.Arbitrary<string> =>
  fc.array(word, { minLength: 1, maxLength: most }).map((list) => list.join(' '));
const sentence = words(12).map((text) => `${text}. `);
const paragraph = fc.array(sentence, { minLength: 1, maxLength: 8 }).map((list) => list.join('').trim());
const heading = fc
  .tuple(fc.integer({ min: 1, max: 6 }), words(6))
  .map(([level, text]) => `${'#'.repeat(level)} ${text}`);
const fence = fc
  .tuple(fc.constantFrom('```', '~~~~', '```ts'), fc.array(words(8), { maxLength: 20 }))
  .map(([mark, lines]) => [mark, ...lines, mark.replace(/[a-z]+/u, '')].join('\n'));
const table = fc
  .array(fc.tuple(words(4), words(4)), { maxLength: 12 })
  .map((rows) => ['| key | value |', '|---|---|', ...rows.map(([key, value]) => `| ${key} | ${value} |`)].join('\n'));
const list = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 4 }), sentence), { minLength: 1, maxLength: 15 })
  .map((items) => items.map(([depth, text]) => `${'  '.repeat(depth)}- ${text}`).join('\n'));
const longLine = fc
  .tuple(fc.constantFrom('x', 'ab', '数', 'ไทย', '😀', 'é', '\u200b', '-', 'a1'), fc.integer({ min: 1, max: 400 }))
  .map(([piece, times]) => piece.repeat(times));
const other = fc.constantFrom(
  '---',
  '<!-- a comment -->',
  '<div>html</div>',
  ':::note',
  '> a quote\n> of two lines',
  '    code',
);
const block = fc.oneof(heading, heading, paragraph, fence, table, list, longLine, other);
const document = fc
  .tuple(fc.array(block, { maxLength: 12 }), fc.constantFrom('\n\n', '\n', '\r\n\r\n', '\r\r', '\n\n\n\n'))
  .map(([blocks, gap]) => blocks.join(gap));

describe.each(CHUNKERS)('%s', (use) => {
  const small = { ...SMALL, use };

  it('holds with small chunks', async () => {
    await fc.assert(
      fc.asyncProperty(document, async (text) => checkChunks(await chunk(text, small))),
      { numRuns: 120 },
    );
  });

  // [S0-chunk-max-tokens] [S4-chunk-token-aware]
  it('holds with the default sizes', async () => {
    await fc.assert(
      fc.asyncProperty(document, async (text) => checkChunks(await chunk(text, { ...SIZES, use }))),
      { numRuns: 40 },
    );
  });

  it('holds under any title', async () => {
    const title = fc.oneof(words(30), words(80), longLine);
    await fc.assert(
      fc.asyncProperty(title, document, async (name, text) => {
        checkChunks(await chunk(`---\ntitle: ${JSON.stringify(name)}\n---\n${text}`, small));
      }),
      { numRuns: 40 },
    );
  });

  it('holds for plain text and code', async () => {
    await fc.assert(
      fc.asyncProperty(document, fc.constantFrom('a.txt', 'a.ts'), async (text, path) => {
        const options = path.endsWith('.ts') ? { path, mediaType: 'text/x-code' } : { path };
        checkChunks(await chunk(text, small, options));
      }),
      { numRuns: 40 },
    );
  });

  it('holds for any Markdown and MDX', async () => {
    await fc.assert(
      fc.asyncProperty(markdownText, mediaType, async (text, type) => {
        checkChunks(await chunk(text, small, { mediaType: type }));
      }),
      { numRuns: 120 },
    );
  });

  it('holds for sizes of any proportion', async () => {
    const sizes = fc.record({
      minTokens: fc.integer({ min: 1, max: 40 }),
      targetTokens: fc.integer({ min: 8, max: 60 }),
      maxTokens: fc.integer({ min: 16, max: 200 }),
      overlapTokens: fc.integer({ min: 0, max: 199 }),
      maxChars: fc.integer({ min: 100, max: 600 }),
      overlapChars: fc.integer({ min: 0, max: 599 }),
      parentChars: fc.integer({ min: 100, max: 600 }),
      breakPercentile: fc.integer({ min: 1, max: 99 }),
    });
    await fc.assert(
      fc.asyncProperty(document, sizes, async (text, any) => checkChunks(await chunk(text, { ...small, ...any }))),
      { numRuns: 80 },
    );
  });

  it('is the same twice', async () => {
    await fc.assert(
      fc.asyncProperty(document, async (text) => {
        const [first, second] = [await chunk(text, small), await chunk(text, small)];
        expect(first.chunks).toEqual(second.chunks);
      }),
      { numRuns: 15 },
    );
  });
});

describe.skipIf(!haveCorpora)('of the open corpora (needs ../shared)', () => {
  it.each([
    ['md-wavemaker/docs', 600],
    ['md-vite/docs', 50],
    ['hostile/md', 20],
    ['hostile/lang', 5],
    ['hostile/enc', 3],
  ])('%s', async (folder, atLeast) => {
    const files = markdownFiles(folder);
    expect(files.length).toBeGreaterThan(atLeast);
    for (const [i, path] of files.filter((file) => !/unreadable|pipe|loop/u.test(file)).entries()) {
      const document = await parseFile(path);
      // Of many alike, every fourth is enough for the others.
      for (const use of files.length < 200 || i % 4 === 0 ? CHUNKERS : CHUNKERS.slice(0, 1)) {
        const chunked = await chunkDocument(document, { ...SIZES, use });
        try {
          checkChunks(chunked);
        } catch (cause) {
          throw new Error(`${use} of ${path}`, { cause });
        }
      }
    }
  });
});
