import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Passage } from '../../src/core/types.ts';
import { unitsOf, type Unit } from '../../src/generators/extractive/units.ts';
import { buildContext } from '../../src/pipeline/context.ts';
import { library, type Files, type Library } from '../pipeline/library.ts';

const countWords = (text: string): number => text.split(/\s+/u).filter((word) => word !== '').length;

/** The units of a page, all of it in one passage. */
async function units(text: string, path = 'page.md'): Promise<readonly Unit[]> {
  const docs = await library({ [path]: text });
  const { id } = await docs.document(path);
  const chunks = await docs.parts.store.neighbours(id, 0, 1000);
  const hits = chunks.map((chunk, i) => ({ chunk, score: 1 / (i + 1), scores: [], alsoAt: [] }));
  const { passages, documents } = await buildContext(hits, docs.parts.settings.context, docs.parts.store);
  return unitsOf(passages, documents);
}
const textOf = ({ document, span }: Unit): string => document.text.slice(span.start, span.end);
const companyOf = (unit: Unit): readonly string[] =>
  unit.with.map(({ start, end }) => unit.document.text.slice(start, end));

describe('units', () => {
  test('are sentences, list items, rows and code, in the order of the page', async () => {
    const found = await units(
      '# A\n\nOne two. Three four.\n\n- five\n- six\n\n| k | v |\n|---|---|\n| a | b |\n\n> Seven.\n\n```\neight\n```\n',
    );
    expect(found.map((unit) => [unit.kind, textOf(unit)])).toEqual([
      ['sentence', 'One two.'],
      ['sentence', 'Three four.'],
      ['list-item', '- five'],
      ['list-item', '- six'],
      ['table-row', '| a | b |'],
      ['sentence', '> Seven.'],
      ['code', '```\neight\n```'],
    ]);
  });

  test('a list or code takes along the line that introduces it', async () => {
    const found = await units(
      '# A\n\nWords. Do this:\n\n1. one\n2. two\n\nText.\n\n```\ncode\n```\n\nRun **this**:\n\n```\nmore\n```',
    );
    const company = Object.fromEntries(found.map((unit) => [textOf(unit), companyOf(unit)]));
    expect(company['1. one']).toEqual(['Do this:']);
    expect(company['2. two']).toEqual(['Do this:']);
    expect(company['```\ncode\n```']).toEqual([]);
    expect(company['```\nmore\n```']).toEqual(['Run **this**:']);
  });

  test('a nested item takes along the item above it', async () => {
    const found = await units('- outer\n  - inner\n    - innermost\n- other\n');
    expect(found.map((unit) => [textOf(unit).trim(), companyOf(unit).map((text) => text.trim())])).toEqual([
      ['- outer', []],
      ['- inner', ['- outer']],
      ['- innermost', ['- inner']],
      ['- other', []],
    ]);
  });

  test('a row takes along the head of its table, with any line ends', async () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const found = await units(['| k | v |', '|---|---|', '| a | b |', '| c | d |'].join(end));
      expect(found.map((unit) => [textOf(unit), companyOf(unit)])).toEqual([
        ['| a | b |', ['| k | v |']],
        ['| c | d |', ['| k | v |']],
      ]);
    }
  });

  test('each place is a unit once, and lies in its passage with all its company', async () => {
    const piece = fc.constantFrom(
      ...[
        'One two three.',
        'Four: five.',
        'Do this:',
        '- item',
        '  - inner',
        '1. step',
        '| a | b |\n|---|---|\n| c | d |',
      ],
      ...[
        '```\ncode\n```',
        '> quoted. Twice.',
        '## Heading',
        '    indented',
        '',
        '<b>html</b>',
        ':::note',
        '数据。库！',
      ],
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 12 }),
        fc.integer({ min: 20, max: 200 }),
        async (pieces, maxChars) => {
          const docs = await library({ 'page.md': pieces.join('\n\n') });
          const { hits } = await docs.search('one two three four five item code step', { top: 5 });
          const settings = { maxPassages: 3, maxChars, maxTokens: null, neighbours: 1, parents: false };
          const { passages, documents } = await buildContext(hits, settings, docs.parts.store);
          const places = new Set<string>();
          for (const unit of unitsOf(passages, documents)) {
            const passage = passages.find(({ label }) => label === unit.label) as Passage;
            for (const { start, end } of [unit.span, ...unit.with]) {
              expect(start).toBeGreaterThanOrEqual(passage.span.start);
              expect(end).toBeLessThanOrEqual(passage.span.end);
              expect(end).toBeGreaterThan(start);
            }
            expect(textOf(unit).trim()).toBe(textOf(unit));
            expect(places.has(`${unit.span.start}`)).toBe(false);
            places.add(`${unit.span.start}`);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('an answer', () => {
  const ask = async (files: Files, question: string): Promise<string> =>
    (await (await library(files)).ask(question, { confidence: undefined })).answer.text;

  test('shows code as it stands: nothing of it looks like Markdown', async () => {
    const code = 'const handler = handlers[name](event) as Array<string>; // ![x](y)';
    const fence = (mark: string): string => `# Call\n\nCall the handler:\n\n${mark}\n${code}\n${mark}\n`;
    const question = 'How is the handler of an event called?';
    for (const text of [fence('```'), fence('~~~'), fence('````'), `# Call\n\nCall the handler:\n\n    ${code}\n`])
      expect(await ask({ 'page.md': text }, question)).toContain(code);
    expect(await ask({ 'page.ts': `${code}\n` }, question)).toContain(code);
    expect(await ask({ 'page.txt': `The handler of an event is called so: ${code}\n` }, question)).toContain(code);
  });

  test('in prose shows links and tags as people read them', async () => {
    const text = '# Ports\n\nThe [port](ports.md) of the <b>gateway</b> is `a[b](c)`. ![A picture](a.png)\n';
    expect(await ask({ 'page.md': text }, 'What is the port of the gateway?')).toMatch(
      /^The port of the gateway is `a\[b\]\(c\)`\. +\[1\]$/u,
    );
  });

  test('quotes no words twice but what introduces them', async () => {
    const items = Array.from(
      { length: 12 },
      (_, i) => `- The port ${i} of the gateway is for its part number ${i}, said at length.`,
    );
    const docs = await library({ 'page.md': `# Ports\n\nThe ports of the gateway:\n\n${items.join('\n')}\n` });
    const { answer } = await docs.ask('Which ports has the gateway?', { confidence: undefined });
    const seen = answer.citations.flatMap(({ quote }) => quote.split('\n')).filter((line) => line.startsWith('- '));
    expect(new Set(seen).size).toBe(seen.length);
  });
});

describe('length', () => {
  const long = (words: number, name: string): string => `${name} gateway port ${'word '.repeat(words)}ends.`;
  const page = Array.from(
    { length: 30 },
    (_, i) => `## Port ${i}\n\n${long(5 + 7 * (i % 9), `Part ${i}`)} ${long(12, 'And')}`,
  ).join('\n\n');

  /** Words of each statement of an answer. */
  async function lengths(docs: Library, question: string): Promise<readonly number[]> {
    const { answer } = await docs.ask(question, { confidence: undefined });
    const statements = new Map(
      answer.citations.map(({ answerSpan: { start, end } }) => [start, answer.text.slice(start, end)]),
    );
    return [...statements.values()].map(countWords);
  }
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

  test.each([10, 40, 120, 400])(
    'is below %s words before the last statement, which is one paragraph at most',
    async (maxWords) => {
      const docs = await library({ 'page.md': page }, { generate: { use: 'extractive', maxWords } });
      const found = await lengths(docs, 'Which part has the gateway port?');
      expect(found.length).toBeGreaterThan(0);
      expect(found.length).toBeLessThanOrEqual(6);
      expect(sum(found.slice(0, -1))).toBeLessThan(maxWords);
      expect(sum(found)).toBeLessThanOrEqual(maxWords + 70);
    },
  );

  test('one that cannot be cut is given whole', async () => {
    const code = Array.from({ length: 60 }, (_, i) => `gateway port ${i};`).join('\n');
    const docs = await library(
      { 'page.md': `# Code\n\n\`\`\`\n${code}\n\`\`\`\n` },
      { generate: { use: 'extractive', maxWords: 10 } },
    );
    expect(await lengths(docs, 'gateway port')).toEqual([182]);
  });
});

describe('what is no answer', () => {
  test.each([
    ['headings alone', '# Gateway port\n\n## Port of the gateway\n'],
    ['pictures alone', '# Gateway\n\n![gateway port](port.png)\n'],
    ['tags alone', '# Gateway\n\n<div class="gateway port">\n\n</div>\n'],
  ])('%s', async (_, text) => {
    const { answer } = await (await library({ 'page.md': text })).ask('gateway port', { confidence: undefined });
    expect(answer).toMatchObject({ outcome: 'insufficient-context', citations: [] });
  });
});
