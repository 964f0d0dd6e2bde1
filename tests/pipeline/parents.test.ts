/** What was found in small pieces is read in whole sections (seed 002, "Two-Tier Chunking"). */
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Hit, Passage } from '../../src/core/types.ts';
import { buildContext } from '../../src/pipeline/context.ts';
import { presetSettings } from '../../src/presets/preset-settings.ts';
import { library, type Library } from './library.ts';

const SETTINGS = { maxPassages: 5, maxChars: 15_000, maxTokens: null, neighbours: 0, parents: true };
const CHUNK = {
  ...presetSettings('default').chunk,
  use: 'two-tier',
  ...{ maxTokens: 8192, maxChars: 200, overlapChars: 40, parentChars: 700 },
} as const;

const prose = (name: string, sentences: number): string =>
  Array.from({ length: sentences }, (_, i) => `Sentence ${i} of ${name} is here.`).join(' ');
const FILES = {
  'guide.md': `# Guide\n\n${prose('intro', 4)}\n\n## Ports\n\n${prose('ports', 18)}\n\n## Hosts\n\n${prose('hosts', 18)}\n`,
  'cats.txt': `Cats\n\n${prose('cats', 9)}\n\n${prose('kittens', 9)}\n\n${prose('dogs', 9)}\n`,
  'code.md': `# Code\n\n${prose('code', 30)}\n\n\`\`\`\n${'const a = 1;\n'.repeat(40)}\`\`\`\n`,
};

let docs: Library;
beforeAll(async () => {
  docs = await library(FILES, { chunk: CHUNK });
});

/** Every chunk of a file, in order. */
async function chunksOf(path: string): Promise<readonly Hit[]> {
  const { id } = await docs.document(path);
  const chunks = await docs.parts.store.neighbours(id, 0, 1000);
  return chunks.map((chunk) => ({ chunk, score: 1, scores: [], alsoAt: [] }));
}
const passagesOf = async (hits: readonly Hit[], change: Partial<typeof SETTINGS> = {}): Promise<readonly Passage[]> =>
  (await buildContext(hits, { ...SETTINGS, ...change }, docs.parts.store)).passages;
const holding = async (path: string, words: string): Promise<Hit> =>
  (await chunksOf(path)).find(({ chunk }) => chunk.text.includes(words)) as Hit;

// [S2-context-loader] [S2-parent-context]
test('a hit becomes its section, under the path of that section', async () => {
  const hit = await holding('guide.md', 'Sentence 9 of ports');
  const [passage, ...others] = await passagesOf([hit]);
  expect(others).toEqual([]);
  expect(passage?.text).toBe(`## Ports\n\n${prose('ports', 18)}`);
  expect(passage?.headingPath).toEqual(['Guide', 'Ports']);
  expect(passage?.hits).toEqual([hit]);
});

test('several hits of a section are one passage, at the rank of the best', async () => {
  const hits = [
    await holding('guide.md', 'Sentence 15 of ports'),
    await holding('cats.txt', 'Sentence 4 of cats'),
    await holding('guide.md', 'Sentence 5 of ports'),
  ];
  const passages = await passagesOf(hits);
  expect(passages.map(({ path }) => path)).toEqual(['guide.md', 'cats.txt']);
  expect(passages[0]?.hits).toEqual([hits[0], hits[2]]);
});

test('a hit in two sections is two passages, first the one that it is most of', async () => {
  const hit = (await chunksOf('guide.md')).find(({ chunk }) => chunk.parentIds.length === 2) as Hit;
  const passages = await passagesOf([hit]);
  expect(passages.map(({ headingPath }) => headingPath.join(' > ')).toSorted()).toEqual(
    hit.chunk.metadata['parent_paths'],
  );
  const shared = passages.map(
    ({ span }) => Math.min(span.end, hit.chunk.span.end) - Math.max(span.start, hit.chunk.span.start),
  );
  expect(shared).toEqual(shared.toSorted((a, b) => b - a));
});

test('paragraphs of plain text that follow one another are one passage', async () => {
  const hits = (await chunksOf('cats.txt')).filter(({ chunk }) => chunk.text.includes('kittens'));
  const [passage, ...others] = await passagesOf(hits);
  expect(others).toEqual([]);
  expect(passage?.headingPath).toEqual(['Paragraph 1 to Paragraph 3']);
  expect(passage?.text).toBe(FILES['cats.txt'].trim());
  const [one] = await passagesOf([await holding('cats.txt', 'Sentence 4 of cats')]);
  expect(one?.headingPath).toEqual(['Paragraph 1']);
});

describe('a section that has not enough room', () => {
  test('is cut so that what was found is in it', async () => {
    const hit = await holding('guide.md', 'Sentence 16 of ports');
    const [passage] = await passagesOf([hit], { maxChars: 300 });
    expect(passage?.text).toContain(hit.chunk.text);
    expect(passage?.text.length).toBeLessThanOrEqual(300);
    expect(passage?.text.endsWith('.')).toBe(true);
  });

  test('in tokens, too', async () => {
    const hit = await holding('guide.md', 'Sentence 16 of ports');
    const count = (text: string): number => docs.parts.embedder?.countTokens(text) ?? 0;
    const settings = { ...SETTINGS, maxTokens: 70 };
    const { passages } = await buildContext([hit], settings, docs.parts.store, count);
    expect(passages[0]?.text).toContain('Sentence 16 of ports is here.');
    expect(count(passages[0]?.text ?? '')).toBeLessThanOrEqual(70);
  });
});

test('ids that the document does not have are not believed: the hit stands for itself', async () => {
  const hit = await holding('guide.md', 'Sentence 9 of ports');
  const { documentId } = hit.chunk;
  for (const id of ['', 'nonsense', `${documentId}:0-999999`, `${documentId}:0-3`, `${'0'.repeat(24)}:0-500`]) {
    const [passage] = await passagesOf([{ ...hit, chunk: { ...hit.chunk, parentIds: [id] } }]);
    expect(passage?.text).toBe(hit.chunk.text);
  }
});

test('where chunks have no parents, their neighbours are shown', async () => {
  const plain = await library(FILES);
  const { hits } = await plain.search('ports');
  const first = hits.slice(0, 1);
  const asked = { ...SETTINGS, neighbours: 1 };
  const [parents, neighbours] = [
    await buildContext(first, asked, plain.parts.store),
    await buildContext(first, { ...asked, parents: false }, plain.parts.store),
  ];
  expect(parents.passages).toEqual(neighbours.passages);
});

test('for any hits and any budget: no text twice, all exact, never more than the budget', async () => {
  const all = (await Promise.all(Object.keys(FILES).map(chunksOf))).flat();
  const count = (text: string): number => docs.parts.embedder?.countTokens(text) ?? 0;
  const settings = fc.record({
    maxPassages: fc.integer({ min: 1, max: 6 }),
    maxChars: fc.integer({ min: 1, max: 3000 }),
    maxTokens: fc.oneof(fc.constant(null), fc.integer({ min: 2, max: 600 })),
    neighbours: fc.integer({ min: 0, max: 2 }),
    parents: fc.boolean(),
  });
  const some = fc.uniqueArray(fc.integer({ min: 0, max: all.length - 1 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(some, settings, async (wanted, how) => {
      const hits = wanted.map((i) => all[i] as Hit);
      const { passages, documents } = await buildContext(hits, how, docs.parts.store, count);
      expect(passages.length).toBeGreaterThan(0);
      expect(passages.length).toBeLessThanOrEqual(how.maxPassages);
      expect(passages.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(how.maxChars);
      expect(passages.reduce((sum, { text }) => sum + count(text), 0)).toBeLessThanOrEqual(how.maxTokens ?? Infinity);
      expect(passages[0]?.hits[0]).toBe(hits[0]);
      for (const [i, one] of passages.entries()) {
        expect(one.text).toBe(documents.get(one.documentId)?.text.slice(one.span.start, one.span.end));
        for (const other of passages.slice(i + 1))
          expect(
            one.documentId !== other.documentId || one.span.end <= other.span.start || other.span.end <= one.span.start,
          ).toBe(true);
      }
    }),
    { numRuns: 150 },
  );
});
