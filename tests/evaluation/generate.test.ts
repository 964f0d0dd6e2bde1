/** `eval generate`: what the rules ask of real Markdown, what they refuse to ask, and what a model may write. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { WriteEvent, WriteRequest } from '../../src/core/contracts.ts';
import type { Document } from '../../src/core/types.ts';
import { generateByModel, type Writer } from '../../src/evaluation/generate/by-model.ts';
import { generateByRules, type Generated } from '../../src/evaluation/generate/by-rules.ts';
import { firstPerson, isIdentifier, pointsElsewhere } from '../../src/evaluation/generate/english.ts';
import { plainText } from '../../src/evaluation/generate/statements.ts';
import { labelIndex } from '../../src/evaluation/labels.ts';
import { parseQuestions } from '../../src/evaluation/questions.ts';
import { corpora, haveCorpora, parse } from '../parsers/parse.ts';
import { readdir, readFile } from 'node:fs/promises';

type Pages = Readonly<Record<string, string>>;

async function documentsOf(pages: Pages): Promise<Document[]> {
  return Promise.all(Object.entries(pages).map(([path, text]) => parse(text, { path })));
}

async function* each(documents: readonly Document[]): AsyncGenerator<Document> {
  yield* documents;
}

const generate = async (pages: Pages, count = 50, seed = 1): Promise<Generated> =>
  generateByRules(each(await documentsOf(pages)), { count, seed });

/** The questions by rule that one page gives. */
async function asked(text: string): Promise<Record<string, string>> {
  const { file } = await generate({ 'page.md': text });
  return Object.fromEntries(file.queries.map(({ query, generated }) => [generated.from.rule, query]));
}

describe('a question for the shape of a heading or sentence', () => {
  test.each([
    [
      'heading',
      '# Configuring Custom Ports\n\nThe gateway reads its port from the file gateway.toml.',
      'How do I configure custom ports?',
    ],
    [
      'heading',
      '# How to rotate your keys\n\nKeys are rotated by the command of the vault tool.',
      'How do I rotate my keys?',
    ],
    [
      'heading',
      '# Create a New Harbour\n\nHarbours are made on the page of the admiral only.',
      'How do I create a new harbour?',
    ],
    [
      'faq',
      '# Can I moor two ships at one pier?\n\nTwo ships may share a pier when both are small.',
      'Can I moor two ships at one pier?',
    ],
    [
      'identifier',
      '# harbour.maxShips\n\nThe number of ships that may be moored at once.',
      'What does harbour.maxShips do?',
    ],
    [
      'default',
      '# harbour.maxShips\n\n- **Type:** `number`\n- **Default:** `12 ships`',
      'What is the default value of harbour.maxShips?',
    ],
    ['purpose', 'To moor your ship overnight, ask the warden for a berth.', 'How do I moor my ship overnight?'],
    [
      'means',
      'You can change the berth of a ship by sending the warden a letter.',
      'How can I change the berth of a ship?',
    ],
    [
      'condition',
      'If you lose the mooring permit, ask the warden for a copy.',
      'What should I do if I lose the mooring permit?',
    ],
    [
      'condition',
      'If you leave the harbour at night, the toll is doubled.',
      'What happens if I leave the harbour at night?',
    ],
    ['event', 'When the tide gate closes, the pumps start within a minute.', 'What happens when the tide gate closes?'],
    [
      'ability',
      'The berth planner allows you to reserve a pier for the winter.',
      'What can I use to reserve a pier for the winter?',
    ],
    ['definition', 'A mooring buoy is the property of the harbour and of the warden.', 'What is a mooring buoy?'],
    ['state', 'The tide alarm is enabled by default.', 'Is the tide alarm enabled by default?'],
    [
      'reason',
      'The outer pier is closed in winter because ice damages its planks.',
      'Why is the outer pier closed in winter?',
    ],
    [
      'option',
      '| Option | Meaning |\n|---|---|\n| `--max-ships` | How many ships may be moored at once |',
      'What does --max-ships do?',
    ],
    [
      'cloze',
      'The warden keeps the list of all berths in `berths.csv` on the desk.',
      'What completes this sentence: “The warden keeps the list of all berths in … on the desk.”',
    ],
  ])('%s', async (rule, text, query) => {
    expect((await asked(text))[rule]).toBe(query);
  });

  test('the words of a title that are names keep their capitals', async () => {
    const text =
      '# Connecting Ships to Neptune Cloud\n\nAll ships report to Neptune by radio. Every ship of Neptune has one. See the Cloud of Neptune.';
    expect((await asked(text))['heading']).toBe('How do I connect ships to Neptune Cloud?');
  });

  test.each([
    ['points elsewhere', 'If you use it, the gateway stops and waits for a signal.'],
    ['says where the answer is', 'To moor your ship overnight, use the following form.'],
    ['ends in a colon', 'To moor your ship overnight, send the warden:'],
    ['invites', 'If you enjoy the harbour, we would love to hear about your stay.'],
    ['defines nothing', 'The new pier is a lot longer than all of the old ones.'],
    ['is code', '```\nTo moor your ship overnight, ask the warden for a berth.\n```'],
    ['is a quotation', '> To moor your ship overnight, ask the warden for a berth.'],
  ])('none where the sentence %s', async (_, text) => {
    expect(await asked(text)).toEqual({});
  });
});

const HARBOUR: Pages = {
  'docs/berths.md':
    '# Overview\n\nA berth is a place at the pier that is rented by the month.\n\n# Reserving a berth\n\nThe warden rents berths to captains on Mondays.\n',
  'docs/tolls.md':
    '# Overview\n\nA toll is a fee that every ship has to pay at the gate.\n\n# Paying the toll\n\nThe toll is paid in coins at the northern gate.\n',
  'docs/old/tolls.md': '# Collecting fees\n\nOld fees were collected by the watchman with a lantern.\n',
  'de/hafen.md':
    '---\nlang: de\n---\n# Der Hafen\n\nDer Hafen ist ein Ort, an dem die Schiffe im Winter liegen und auf das Fruehjahr warten.\n',
};

describe('the file', () => {
  test('is read by eval at once; every question is marked, and its quote is the document’s', async () => {
    const documents = await documentsOf(HARBOUR);
    const { file } = await generateByRules(each(documents), { count: 50, seed: 1 });
    expect(file).toMatchObject({ generated: true, by: 'rules', seed: 1 });
    const { questions } = parseQuestions(JSON.stringify(file), 'drafts.json');
    expect(questions).toHaveLength(file.queries.length);
    expect(questions.length).toBeGreaterThanOrEqual(4);
    const index = labelIndex(documents.map(({ uri }) => uri));
    for (const { relevant_docs, answer_quote, relevant_sections, generated } of file.queries) {
      const [uri, ...others] = index.match(relevant_docs[0] ?? '');
      expect(others).toEqual([]);
      const document = documents.find((candidate) => candidate.uri === uri);
      expect(document?.text).toContain(answer_quote);
      expect(document?.sections.map(({ title }) => title)).toEqual(expect.arrayContaining([...relevant_sections]));
      const line = document?.text.slice(0, document.text.indexOf(answer_quote)).split('\n').length;
      expect(generated).toMatchObject({ by: 'rules', from: { path: document?.path, lines: [line, line] } });
    }
  });

  test('a label is as long as it has to be to mean one document', async () => {
    const { file } = await generate(HARBOUR);
    const labels = new Set(file.queries.flatMap(({ relevant_docs }) => relevant_docs));
    expect(labels).toEqual(new Set(['docs/berths.md', 'docs/tolls.md', 'docs/old/tolls.md']));
    const twice = await documentsOf({ 'tolls.md': HARBOUR['docs/tolls.md'] ?? '' });
    const other: Document = {
      ...(twice[0] as Document),
      uri: 'file:///other/tolls.md',
      text: 'Other.',
      blocks: [],
      sections: [],
    };
    const { file: longer } = await generateByRules(each([...twice, other]), { count: 5, seed: 1 });
    expect(longer.queries[0]?.relevant_docs).toEqual(['docs/tolls.md']);
  });

  test('what several documents say, or are headed with, is not asked', async () => {
    const same =
      '# Closing the gate\n\nThe gate is closed by two men every evening.\n\nThe gate is supported in winter.\n';
    expect((await generate({ 'a.md': same, 'b.md': same })).file.queries).toEqual([]);
    const { file } = await generate(HARBOUR);
    expect(file.queries.filter(({ query }) => /overview/i.test(query))).toEqual([]);
  });

  test('other languages are left out, and counted', async () => {
    const { file, left } = await generate(HARBOUR);
    expect(left['other-language']).toBe(1);
    expect(file.queries.filter(({ relevant_docs }) => relevant_docs[0]?.startsWith('de/'))).toEqual([]);
  });

  test('the same seed gives the same bytes, another one other questions', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [
        `p${i}.md`,
        `# Mooring the ship${i}a\n\nThe ship${i}a is moored at its pier by two ropes.\n\nThe lamp${i}b is enabled by default.\n`,
      ]),
    );
    const [one, again, other] = [await generate(many, 10, 1), await generate(many, 10, 1), await generate(many, 10, 2)];
    expect(JSON.stringify(one)).toBe(JSON.stringify(again));
    expect(JSON.stringify(other.file.queries)).not.toBe(JSON.stringify(one.file.queries));
    // One of each document before a second of any.
    expect(one.used).toBe(10);
  });

  test('marks that open and do not close cost no time', async () => {
    const start = performance.now();
    for (const text of [
      '`'.repeat(50_000),
      '['.repeat(50_000),
      '*_'.repeat(25_000),
      'If you '.repeat(8_000),
      '<a'.repeat(25_000),
    ]) {
      plainText(text);
      await asked(text);
    }
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});

test('who speaks, what is a name, what points elsewhere', () => {
  expect(firstPerson('your ship lets you sail when you are ready')).toBe('my ship lets me sail when I am ready');
  expect(
    ['server.host', '--port', 'createServer()', 'DB_HOST', 'utf8Decode'].filter((text) => !isIdentifier(text)),
  ).toEqual([]);
  expect(['ship', 'well-known', 'Ahoy', 'e.g.', '1.2'].filter(isIdentifier)).toEqual([]);
  expect(pointsElsewhere('the option that sets a port')).toBe(false);
  expect(pointsElsewhere('use that option')).toBe(true);
  expect(plainText('**Set** [`a_b`](c.md) and ![x](y.png) <br> `<div>` snake_case _now_')).toBe(
    'Set a_b and <div> snake_case now',
  );
});

describe('by a model', () => {
  interface Scripted extends Writer {
    readonly requests: WriteRequest[];
  }

  const scripted = (reply: (passage: string) => string): Scripted => {
    const requests: WriteRequest[] = [];
    return {
      model: 'scripted',
      requests,
      async *write(request): AsyncGenerator<WriteEvent> {
        requests.push(request);
        // In two pieces, as models stream.
        const text = reply(request.input.split('\n').slice(1, -1).join('\n'));
        yield { type: 'text-delta', text: text.slice(0, 7) };
        yield { type: 'text-delta', text: text.slice(7) };
        yield { type: 'usage', usage: { inputTokens: 1, outputTokens: 1, costUsd: null } };
      },
    };
  };

  const LONG: Pages = {
    'a.md': `# Harbour\n\nThe warden rents berths to captains on Mondays. ${'The pier is long and made of oak. '.repeat(8)}\n`,
    'b.md': `# Tolls\n\nThe toll is paid in coins at the northern gate. ${'The gate is tall and made of iron. '.repeat(8)}\n`,
  };
  const QUOTES: Readonly<Record<string, string>> = {
    Harbour: 'The warden rents berths to captains on Mondays.',
    Tolls: 'The toll is paid in coins at the northern gate.',
  };
  const quoteIn = (passage: string): string => QUOTES[/^# (\w+)/.exec(passage)?.[1] ?? ''] ?? '';
  const one = (question: string, quote: string): string =>
    JSON.stringify({ questions: [{ question, quote, keywords: ['Mondays'] }] });
  const ask = async (writer: Writer, count = 10): Promise<Generated> =>
    generateByModel(each(await documentsOf(LONG)), writer, { count, seed: 1 });

  test('writes from a passage that is fenced as data', async () => {
    const writer = scripted((passage) =>
      one(`When does somebody get ${/# (\w+)/.exec(passage)?.[1]} dues?`, quoteIn(passage)),
    );
    const { file, used } = await ask(writer);
    expect(used).toBe(2);
    expect(file).toMatchObject({ generated: true, by: 'model', model: 'scripted' });
    expect(file.queries[0]).toMatchObject({
      query: 'When does somebody get Harbour dues?',
      relevant_docs: ['a.md'],
      relevant_sections: ['Harbour'],
      answer_quote: QUOTES['Harbour'],
      ideal_answer_keywords: ['Mondays'],
      generated: { by: 'model', from: { path: 'a.md', lines: [3, 3] } },
    });
    expect(parseQuestions(JSON.stringify(file), 'drafts.json').questions).toHaveLength(2);
    const [request] = writer.requests;
    const lines = request?.input.split('\n') ?? [];
    expect(lines[0]).toMatch(/^===== passage [0-9a-f]{16} =====$/);
    expect(lines.at(-1)).toBe(lines[0]);
    expect(request?.instructions).not.toContain('warden');
  });

  test.each([
    [
      'quote-not-found',
      (passage: string) => one('When are the berths rented out?', quoteIn(passage).replace('The', 'the')),
    ],
    ['unclear', (passage: string) => one('What does the passage say of berths?', quoteIn(passage))],
    ['reply-unreadable', () => 'Here are your questions: none.'],
    [
      'reply-unreadable',
      (passage: string) =>
        JSON.stringify({ questions: [{ question: 'When are berths rented?', quote: quoteIn(passage) }] }),
    ],
    ['reply-unreadable', (passage: string) => `${one('When are berths rented?', quoteIn(passage))} Anything else?`],
  ])('drops and counts: %s', async (reason, reply) => {
    const { file, left } = await ask(scripted(reply));
    expect(file.queries).toEqual([]);
    expect(left[reason]).toBe(2);
  });

  test('asks no more than it needs, and not for ever', async () => {
    const writer = scripted((passage) => one('When does one pay there, and where?', quoteIn(passage)));
    expect((await ask(writer, 1)).file.queries).toHaveLength(0);
    expect(writer.requests.length).toBeLessThanOrEqual(2);
    const good = scripted((passage) => one('When are ship dues collected?', quoteIn(passage)));
    expect((await ask(good, 1)).file.queries).toHaveLength(1);
    expect(good.requests).toHaveLength(1);
  });

  test('a question that was asked before is not asked again', async () => {
    const { file, left } = await ask(scripted((passage) => one('When are ship dues collected?', quoteIn(passage))));
    expect(file.queries).toHaveLength(1);
    expect(left['alike']).toBe(1);
  });
});

test.skipIf(!haveCorpora)('on the documentation of Vite (needs ../shared): 60 questions from all over it', async () => {
  const folder = join(corpora, 'md-vite', 'docs');
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.md')).sort();
  const documents: Document[] = [];
  for (const path of paths) {
    const text = await readFile(join(folder, path), 'utf8');
    if (text.replace(/^---[^]*?\n---/, '').trim() !== '') documents.push(await parse(text, { path }));
  }
  const { file, used } = await generateByRules(each(documents), { count: 60, seed: 1 });
  expect(file.queries).toHaveLength(60);
  expect(used).toBeGreaterThan(30);
  expect(new Set(file.queries.map(({ generated }) => generated.from.rule)).size).toBeGreaterThanOrEqual(9);
  const cloze = file.queries.filter(({ kind }) => kind === 'cloze');
  expect(cloze.length).toBeLessThanOrEqual(6);
  expect(file.queries.filter(({ query }) => /[[\]|<>{}*]|undefined/.test(query))).toEqual([]);
});
