import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Hit, Passage } from '../../src/core/types.ts';
import { buildContext } from '../../src/pipeline/context.ts';
import { library, uriOf, type Files, type Library } from './library.ts';

const SETTINGS = { maxPassages: 5, maxChars: 15_000, maxTokens: null, neighbours: 1, parents: false };

/** Ten sections of one sentence each: one chunk a section. */
const page = (name: string): string =>
  Array.from(
    { length: 10 },
    (_, i) => `## ${name} ${i}\n\nThe ${name} number ${i} 😀 is here. It has a second sentence.\n`,
  ).join('\n');

const FILES: Files = { 'apple.md': page('apple'), 'pear.md': page('pear'), 'plum.md': page('plum') };

let docs: Library;
const count = (text: string): number => docs.parts.embedder?.countTokens(text) ?? 0;
/** Hits of given chunks, the better the earlier. */
const hitsOf = async (...wanted: readonly (readonly [string, number])[]): Promise<Hit[]> => {
  const hits: Hit[] = [];
  for (const [path, position] of wanted) {
    const { id } = await docs.document(path);
    const [chunk] = await docs.parts.store.neighbours(id, position, position + 1);
    if (chunk !== undefined) hits.push({ chunk, score: 1 / (hits.length + 1), scores: [], alsoAt: [] });
  }
  return hits;
};
const passagesOf = async (hits: readonly Hit[], change: Partial<typeof SETTINGS> = {}): Promise<readonly Passage[]> =>
  (await buildContext(hits, { ...SETTINGS, ...change }, docs.parts.store)).passages;
const numbers = ({ text }: Passage): readonly number[] => [...text.matchAll(/## \w+ (\d)/gu)].map(([, n]) => Number(n));

beforeAll(async () => {
  docs = await library(FILES);
});

describe('neighbours of one document', () => {
  test('stand around a hit', async () => {
    const [passage] = await passagesOf(await hitsOf(['apple.md', 4]));
    expect(numbers(passage as Passage)).toEqual([3, 4, 5]);
    expect((await passagesOf(await hitsOf(['apple.md', 4]), { neighbours: 0 })).map(numbers)).toEqual([[4]]);
    expect((await passagesOf(await hitsOf(['apple.md', 0]), { neighbours: 2 })).map(numbers)).toEqual([[0, 1, 2]]);
  });

  test('are one passage when they touch, at the rank of the best', async () => {
    const found = await passagesOf(await hitsOf(['apple.md', 4], ['pear.md', 1], ['apple.md', 5]));
    expect(found.map(numbers)).toEqual([
      [3, 4, 5, 6],
      [0, 1, 2],
    ]);
    expect(found[0]?.hits).toHaveLength(2);
  });

  test('and when their neighbours do: no text is in two passages', async () => {
    expect((await passagesOf(await hitsOf(['apple.md', 2], ['apple.md', 5]))).map(numbers)).toEqual([
      [1, 2, 3, 4, 5, 6],
    ]);
    expect((await passagesOf(await hitsOf(['apple.md', 2], ['apple.md', 6]))).map(numbers)).toEqual([
      [1, 2, 3],
      [5, 6, 7],
    ]);
  });

  test('a hit that closes the gap between two joins all three', async () => {
    const hits = await hitsOf(['apple.md', 1], ['apple.md', 3], ['apple.md', 2]);
    expect((await passagesOf(hits, { neighbours: 0 })).map(numbers)).toEqual([[1, 2, 3]]);
  });
});

describe('near-duplicates', () => {
  test('of other documents are one passage that keeps both addresses', async () => {
    const words =
      'The gateway listens on its port and writes a log of every request that it has seen since its start, which it keeps for a week and then removes again';
    const near = await library({
      'new.md': `# Ports\n\n${words} in 2026.`,
      'old.md': `# Ports\n\n${words} in 2025.`,
      'far.md': '# Ports\n\nA harbour.',
    });
    const { hits } = await near.search('gateway port');
    expect(hits).toHaveLength(3);
    const { passages } = await buildContext(hits, SETTINGS, near.parts.store);
    expect(passages.map(({ path }) => path)).toHaveLength(2);
    expect([passages[0]?.uri, ...(passages[0]?.alsoAt ?? [])].toSorted()).toEqual([uriOf('new.md'), uriOf('old.md')]);
  });

  test('sections that only look alike stay apart', async () => {
    expect(await passagesOf(await hitsOf(['apple.md', 1], ['pear.md', 1]))).toHaveLength(2);
  });
});

describe('for any hits and any budget', () => {
  const position = fc.tuple(fc.constantFrom(...Object.keys(FILES)), fc.integer({ min: 0, max: 9 }));
  const settings = fc.record({
    maxPassages: fc.integer({ min: 1, max: 6 }),
    maxChars: fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 400, max: 4000 })),
    neighbours: fc.integer({ min: 0, max: 3 }),
    maxTokens: fc.oneof(fc.constant(null), fc.integer({ min: 2, max: 500 })),
    parents: fc.boolean(),
  });

  // [S3-context-length]
  test('labels count from 1, places are exact, the budget holds, and no text comes twice', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(position, { maxLength: 12, selector: String }), settings, async (wanted, how) => {
        const hits = await hitsOf(...wanted);
        const { passages, documents } = await buildContext(hits, how, docs.parts.store, count);
        expect(passages.map(({ label }) => label)).toEqual(passages.map((_, i) => i + 1));
        expect(passages.length).toBeLessThanOrEqual(how.maxPassages);
        expect(passages.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(how.maxChars);
        expect(passages.reduce((sum, { text }) => sum + count(text), 0)).toBeLessThanOrEqual(how.maxTokens ?? Infinity);
        for (const { text, span, documentId } of passages) {
          expect(text).toBe(documents.get(documentId)?.text.slice(span.start, span.end));
          expect(text).not.toMatch(/\p{Surrogate}/u);
        }
        for (const one of passages)
          for (const other of passages)
            if (one !== other && one.documentId === other.documentId)
              expect(one.span.end <= other.span.start || other.span.end <= one.span.start).toBe(true);
        expect(passages.length > 0).toBe(hits.length > 0);
        expect(passages[0]?.hits[0]).toBe(hits[0]);
      }),
      { numRuns: 150 },
    );
  });

  test('the last passage is cut at the end of a sentence', async () => {
    const [passage] = await passagesOf(await hitsOf(['apple.md', 4]), { maxChars: 60, neighbours: 0 });
    expect(passage?.text).toBe('## apple 4\n\nThe apple number 4 😀 is here.');
    const hits = await hitsOf(['apple.md', 4]);
    const settings = { ...SETTINGS, maxTokens: 14, neighbours: 0 };
    const { passages } = await buildContext(hits, settings, docs.parts.store, count);
    expect(passages[0]?.text).toBe('## apple 4\n\nThe apple number 4 😀 is here.');
  });

  test('only the first is cut within a sentence; another that has room for none is left out', async () => {
    const hits = await hitsOf(['apple.md', 4], ['pear.md', 4]);
    const whole = hits[0]?.chunk.text.length ?? 0;
    expect((await passagesOf(hits, { maxChars: 20, neighbours: 0 })).map(({ text }) => text)).toEqual([
      '## apple 4\n\nThe',
    ]);
    expect(await passagesOf(hits, { maxChars: whole + 20, neighbours: 0 })).toHaveLength(1);
    expect(await passagesOf(hits, { maxChars: whole + 45, neighbours: 0 })).toHaveLength(2);
  });

  test('code and tables are cut between lines, and no passage ends with a heading', async () => {
    const rows = Array.from({ length: 30 }, (_, i) => `| key${i} | value ${i} |`).join('\n');
    const table = await library({ 'a.md': `# A\n\n| key | value |\n|---|---|\n${rows}\n\n## B\n\nA sentence of B.` });
    const { hits } = await table.search('key value sentence');
    const settings = { ...SETTINGS, neighbours: 1 };
    const cut = async (maxChars: number): Promise<string> =>
      (await buildContext(hits, { ...settings, maxChars }, table.parts.store)).passages[0]?.text ?? '';
    expect(await cut(100)).toMatch(/\| key\d+ \| value \d+ \|$/u);
    const { text } = await table.document('a.md');
    expect(await cut(text.indexOf('## B') + 6)).toMatch(/\| key29 \| value 29 \|$/u);
  });

  test('tokens are limited by the embedder only where there is one', async () => {
    const limited = { ...SETTINGS, maxTokens: 100 };
    await expect(buildContext([], limited, docs.parts.store)).rejects.toMatchObject({ code: 'setting-invalid' });
  });

  test('a document that is gone since gives no passage', async () => {
    const store = { ...docs.parts.store, document: async () => undefined };
    expect((await buildContext(await hitsOf(['apple.md', 1]), SETTINGS, store)).passages).toEqual([]);
  });
});
