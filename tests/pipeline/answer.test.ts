/** What every answer keeps, whatever the documents, the question and the generator. */
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { GeneratorEvent, QuotedSpan } from '../../src/core/contracts.ts';
import { RagError } from '../../src/core/errors.ts';
import type { AnswerEvent } from '../../src/core/types.ts';
import { answer, collect } from '../../src/pipeline/answer.ts';
import { comparableText } from '../../src/text/comparable.ts';
import { lineRange, lineStarts } from '../../src/text/lines.ts';
import { library, saying, type Asked, type Files, type Library } from './library.ts';

const PAGES: Files = {
  'ports.md': [
    '# Ports',
    'The gateway listens on port 8787. Set `DB_PORT` to choose another port for the database.',
    '## Steps\n\nTo change the port of the gateway:\n\n1. Open the configuration file.\n2. Set `gateway.port` to another number.\n3. Start the gateway again.',
    '## Settings\n\n| key | default | meaning |\n|---|---|---|\n| `gateway.port` | 8787 | port of the gateway |\n| `gateway.host` | 127.0.0.1 | address of the gateway |',
    '```yaml\ngateway:\n  port: 9000\n```',
  ].join('\n\n'),
  'backup.md':
    '# Backup\n\nA backup runs at night and is kept for a week. Restore one with:\n\n```sh\nrestore --from yesterday\n```\n',
  'logs.md':
    '# Logs\r\n\r\nThe gateway writes its log to the console.\r\nThe [level](https://example.org) is `info`.\r\n',
};

const QUESTIONS = [
  'Which port does the gateway listen on?',
  'How do I change the port of the gateway?',
  'gateway.host default',
  'How is a backup restored?',
  'Where does the gateway write its log?',
  'What is the level of the log?',
];

let docs: Library;
beforeAll(async () => {
  docs = await library(PAGES);
});

const codes = ({ answer }: Asked): readonly string[] => answer.warnings.map(({ code }) => code);

/** The promises of CONTRACT.md about one answer and its events. */
async function check({ events, answer }: Asked): Promise<void> {
  const terminal = events.filter(({ type }) => type === 'answer-end' || type === 'answer-error');
  expect(terminal).toEqual([events.at(-1)]);
  expect(events[0]?.type).toBe('answer-start');
  expect(events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('')).toBe(answer.text);
  const cited = events.flatMap((event) => (event.type === 'citation-available' ? [event.citation] : []));
  expect(cited).toEqual(answer.citations);
  expect(events.flatMap((event) => (event.type === 'warning' ? [event.warning] : []))).toEqual(answer.warnings);
  expect(answer.outcome === 'answered').toBe(answer.citations.length > 0);
  for (const citation of answer.citations) {
    const document = await docs.parts.store.document(citation.documentId);
    const { span, quote, lines } = citation;
    expect(quote).toBe(document?.text.slice(span.start, span.end));
    expect(quote).toHaveLength(span.end - span.start);
    expect(citation.revision).toBe(document?.revision);
    const passage = answer.passages.find(({ label }) => label === citation.label);
    expect(passage?.documentId).toBe(citation.documentId);
    expect(passage?.text).toContain(quote);
    expect(lines).toEqual(lineRange(lineStarts(document?.text ?? ''), span));
  }
}

/** The statements of an answer: what its citations and marks stand behind. */
const statements = ({ answer }: Asked): readonly string[] =>
  [...new Set(answer.citations.map(({ answerSpan }) => `${answerSpan.start}-${answerSpan.end}`))].map((key) => {
    const [start, end] = key.split('-').map(Number);
    return answer.text.slice(start, end);
  });

describe('without a model', () => {
  test.each(QUESTIONS)('%s', async (question) => {
    const asked = await docs.ask(question);
    expect(asked.answer.outcome).toBe('answered');
    await check(asked);
    // The text is its statements, each with the labels of its quotes, and nothing else.
    const shown = statements(asked);
    const marked = shown.map((text) => {
      const labels = asked.answer.citations
        .filter(({ answerSpan }) => asked.answer.text.slice(answerSpan.start, answerSpan.end) === text)
        .map(({ label }) => `[${label}]`);
      return `${text}${text.endsWith('```') ? '\n' : ' '}${[...new Set(labels)].join('')}`;
    });
    expect(asked.answer.text).toBe(marked.join('\n\n'));
    for (const { quote, support, answerSpan } of asked.answer.citations) {
      expect(support).toBe('supported');
      expect(comparableText(asked.answer.text.slice(answerSpan.start, answerSpan.end))).toContain(
        comparableText(quote),
      );
    }
  });

  test('the same question gives the same bytes', async () => {
    for (const question of QUESTIONS) {
      const plain = async (): Promise<string> => JSON.stringify({ ...(await docs.ask(question)).answer, timings: {} });
      expect(await plain()).toBe(await plain());
    }
  });

  // [S4-context-only] [S2-cited-answers]
  test('the words cited are those that answer', async () => {
    const quotes = async (question: string): Promise<string> =>
      (await docs.ask(question)).answer.citations.map(({ quote }) => quote).join('\n');
    expect(await quotes('Which port does the gateway listen on?')).toContain('The gateway listens on port 8787.');
    expect(await quotes('gateway.host default')).toContain('| `gateway.host` | 127.0.0.1 | address of the gateway |');
    expect(await quotes('How is a backup restored?')).toContain('restore --from yesterday');
  });

  test('a link is shown without its target, and is still supported', async () => {
    const { answer } = await docs.ask('What is the level of the log?');
    const level = answer.citations.find(({ quote }) => quote.includes('[level]'));
    expect(level).toMatchObject({ support: 'supported' });
    expect(answer.text).toContain('The level is `info`.');
  });

  test('a filter confines the answer', async () => {
    const { answer } = await docs.ask('Where does the gateway write its log?', {}, { filter: { path: 'backup.md' } });
    expect(answer.citations.filter(({ path }) => path !== 'backup.md')).toEqual([]);
  });
});

describe('what the documents do not answer', () => {
  test.each(['Which wine goes with grilled octopus?', 'Who won the cup in 1954?'])('%s', async (question) => {
    const asked = await docs.ask(question);
    await check(asked);
    expect(asked.answer).toMatchObject({ outcome: 'insufficient-context', citations: [], generator: 'extractive' });
    expect(asked.answer.text).toBe('The documents do not answer this question.');
    expect(asked.answer.confidence).toBeLessThan(0.5);
  });

  test('an empty index answers nothing', async () => {
    const empty = await library({});
    const asked = await empty.ask('Which port?');
    expect(asked.answer).toMatchObject({ outcome: 'insufficient-context', passages: [], citations: [] });
  });

  test('nor does a filter that leaves nothing', async () => {
    const { answer } = await docs.ask('Which port?', {}, { filter: { path: 'missing.md' } });
    expect(answer).toMatchObject({ outcome: 'insufficient-context', passages: [], citations: [] });
  });

  test('without a fitted confidence there is none, with a warning', async () => {
    const asked = await docs.ask('Which port does the gateway listen on?', { confidence: undefined });
    await check(asked);
    expect(asked.answer.confidence).toBeNull();
    expect(codes(asked)).toEqual(['confidence-not-fitted']);
  });
});

describe('whatever a generator says', () => {
  const question = 'Which port does the gateway listen on?';
  const say = (text: string, ...quotes: readonly QuotedSpan[]): GeneratorEvent => ({
    type: 'quoted-statement',
    text,
    quotes,
  });

  // [S0-future-validation] [S1-answer-sources]
  test('nothing wrong is shown: every citation is exact, every loss is a warning', async () => {
    const { answer: plain } = await docs.ask(question);
    const place = fc.oneof(
      fc.record({ start: fc.integer({ min: -5, max: 700 }), end: fc.integer({ min: -5, max: 700 }) }),
      fc.constantFrom(...plain.citations.map(({ span }) => span), ...plain.passages.map(({ span }) => span)),
      fc.constantFrom(
        { start: 0.5, end: 3.5 },
        { start: NaN, end: 3 },
        { start: 0, end: Infinity },
        { start: 9, end: 9 },
      ),
    );
    const quote = fc.record({ label: fc.integer({ min: -1, max: 4 }), span: place });
    const statement = fc.tuple(
      fc.constantFrom('Port 1.', '', 'A [7] mark.', 'Two\n\nlines.', '😀'),
      fc.array(quote, { maxLength: 3 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(statement, { maxLength: 4 }), async (said) => {
        const asked = await docs.ask(question, {
          generator: saying(...said.map(([text, quotes]) => say(text, ...quotes))),
        });
        await check(asked);
        const lost = codes(asked).filter((code) => code === 'citation-mismatch').length;
        const shown = asked.events.filter(({ type }) => type === 'claim-checked').length;
        expect(lost + shown).toBe(said.length);
        const labels = new Set(asked.answer.passages.map(({ label }) => label));
        const unknown = said
          .flatMap(([, quotes]) => quotes.map(({ label }) => label))
          .filter((label) => !labels.has(label));
        expect(new Set(asked.answer.verification.unknownLabels)).toEqual(new Set(unknown));
        for (const { support } of asked.answer.citations) expect(support).toBe('not-checked');
      }),
      { numRuns: 150 },
    );
  });

  test('an unknown label is reported', async () => {
    const asked = await docs.ask(question, {
      generator: saying(say('Port 8787.', { label: 7, span: { start: 0, end: 5 } })),
    });
    expect(asked.answer).toMatchObject({ outcome: 'insufficient-context', verification: { unknownLabels: [7] } });
    expect(codes(asked)).toEqual(['citation-mismatch']);
  });

  test('one wrong quote of several loses the statement', async () => {
    const [right] = (await docs.ask(question)).answer.citations;
    if (right === undefined) throw new Error('no citation');
    const wrong = { label: right.label, span: { start: 0, end: 10_000 } };
    const asked = await docs.ask(question, {
      generator: saying(say(right.quote, right, wrong), say(right.quote, right)),
    });
    expect(codes(asked)).toEqual(['citation-mismatch']);
    expect(asked.answer.text).toBe(`${right.quote} [${right.label}]`);
  });

  test('usage and warnings are passed on', async () => {
    const usage = { inputTokens: 3, outputTokens: 5, costUsd: 0.1 };
    const warning = { code: 'slow', message: 'it was slow' };
    const [right] = (await docs.ask(question)).answer.citations;
    if (right === undefined) throw new Error('no citation');
    const asked = await docs.ask(question, {
      generator: saying(say(right.quote, right), { type: 'usage', usage }, { type: 'warning', warning }),
    });
    expect(asked.answer).toMatchObject({ usage, warnings: [warning] });
    await check(asked);
  });

  test('a failure of its own ends the stream with an error, the last event', async () => {
    const events: AnswerEvent[] = [];
    const error = new RagError('driver-unavailable', 'the model does not answer', { hint: 'start it' });
    const failing: AsyncIterator<GeneratorEvent> = { next: () => Promise.reject(error) };
    const generator = { model: 'failing', generate: () => ({ [Symbol.asyncIterator]: () => failing }) };
    for await (const event of answer({ question }, { ...docs.parts, generator })) events.push(event);
    expect(events.at(-1)).toEqual({
      type: 'answer-error',
      error: { code: 'driver-unavailable', message: 'the model does not answer', hint: 'start it' },
    });
    expect(events.filter(({ type }) => type === 'answer-end' || type === 'answer-error')).toHaveLength(1);
    await expect(collect(answer({ question }, { ...docs.parts, generator }))).rejects.toMatchObject({
      code: 'driver-unavailable',
      hint: 'start it',
    });
  });
});

describe('questions', () => {
  test.each(['', '  \n', 'x'.repeat(100_001)])('that are none are refused', async (question) => {
    await expect(collect(answer({ question }, docs.parts))).rejects.toMatchObject({ code: 'question-invalid' });
  });

  // [S0-answer-generator] [S0-event-sources] [S0-event-done]
  test('any text gets an answer with its promises kept', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }), async (question) => {
        if (question.trim() !== '') await check(await docs.ask(question));
      }),
      { numRuns: 30 },
    );
  });
});
