import { beforeAll, describe, expect, test } from 'vitest';
import type { Generator, GeneratorEvent, Source } from '../../src/core/contracts.ts';
import type { Answer, AnswerEvent, RawDocument } from '../../src/core/types.ts';
import { sha256 } from '../../src/core/identity.ts';
import { openOnce } from '../../src/drivers.ts';
import { answer } from '../../src/pipeline/answer.ts';
import { ingest } from '../../src/pipeline/ingest.ts';
import type { AnswerParts } from '../../src/pipeline/parts.ts';
import { presetNamed } from '../../src/presets/presets.ts';

const FILES: Readonly<Record<string, string>> = {
  'sessions.md':
    '# Sessions\n\nA session ends after thirty minutes without a request. You can change it.\n\n## Limits\n\nTo limit sessions:\n\n1. Open **Security**.\n2. Set the number of sessions per user.\n\n| key | default |\n|---|---|\n| `session.max` | 3 |\n| `session.idle` | 30 min |\n',
  'copy/sessions.md':
    '# Sessions\n\nA session ends after thirty minutes without a request. You can change it.\n\n## Limits\n\nTo limit sessions:\n\n1. Open **Security**.\n2. Set the number of sessions per user.\n\n| key | default |\n|---|---|\n| `session.max` | 3 |\n| `session.idle` | 30 min |\n',
  'backup.md': '# Backups\n\nBackups run at night. Restore one with:\n\n```sh\nrestore --from yesterday\n```\n',
};

let parts: AnswerParts;
const changed = new Set<string>();

beforeAll(async () => {
  const settings = { ...presetNamed('default'), preset: 'default', sources: [], store: { use: 'memory' as const } };
  const drivers = openOnce(settings);
  const store = await drivers.memoryStore();
  await ingest([folder()], { ...(await drivers.ingesting()), store });
  parts = {
    ...(await drivers.searching()),
    store,
    warnings: [],
    generator: await drivers.generator(),
    newId: () => 'id',
    sourceOf: async () => folder(),
  };
});

function folder(): Source {
  const uriOf = (path: string): string => `file:///docs/${path}`;
  return {
    id: 'docs',
    address: 'docs',
    async *changes() {
      for (const [path, text] of Object.entries(FILES)) {
        const raw: RawDocument = {
          sourceId: 'docs',
          uri: uriOf(path),
          path,
          revision: sha256(text),
          mediaType: 'text/markdown',
          body: new TextEncoder().encode(text),
          metadata: {},
        };
        yield { type: 'upsert', uri: raw.uri, path, stamp: '', read: async () => raw };
      }
    },
    siblings: () => ({ read: async () => undefined }),
    currentRevision: async (uri) => {
      const path = uri.slice('file:///docs/'.length);
      return changed.has(path) ? 'other' : sha256(FILES[path] ?? '');
    },
  };
}

async function ask(
  question: string,
  over: Partial<AnswerParts> = {},
): Promise<{ events: AnswerEvent[]; answer: Answer }> {
  const events: AnswerEvent[] = [];
  for await (const event of answer({ question }, { ...parts, ...over })) events.push(event);
  const last = events.at(-1);
  if (last?.type !== 'answer-end') throw new Error(`ended with ${last?.type ?? 'nothing'}`);
  return { events, answer: last.answer };
}

const scripted = (...events: GeneratorEvent[]): Generator => ({
  model: 'scripted',
  async *generate() {
    yield* events;
  },
});

const QUESTIONS = [
  'When does a session end?',
  'How do I limit sessions per user?',
  'session.max default',
  'How do I restore a backup?',
];

describe.each(QUESTIONS)('%s', (question) => {
  // [S1-answer-citations] [S4-attribute] [S4-citations-returned] [S2-response-sources] [S4-answer-flow]
  test('every quote is the text at its span in the store, every answerSpan a statement of the answer', async () => {
    const { answer } = await ask(question);
    expect(answer.outcome).toBe('answered');
    expect(answer.citations.length).toBeGreaterThan(0);
    for (const { documentId, quote, span, revision, answerSpan, lines } of answer.citations) {
      const document = await parts.store.document(documentId);
      expect(quote).toBe(document?.text.slice(span.start, span.end));
      expect(revision).toBe(document?.revision);
      expect(lines.start).toBe(document?.text.slice(0, span.start).split('\n').length);
      expect(answer.text.slice(answerSpan.start, answerSpan.end).trim()).not.toBe('');
      expect(answer.text.slice(answerSpan.end)).toMatch(/^\s(\[\d+\])+/);
    }
  });

  test('one terminal event, the last; the text is what was streamed; the same bytes again', async () => {
    const { events, answer } = await ask(question);
    expect(events.filter(({ type }) => type === 'answer-end' || type === 'answer-error')).toHaveLength(1);
    expect(events[0]?.type).toBe('answer-start');
    const streamed = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('');
    expect(streamed).toBe(answer.text);
    const again = (await ask(question)).answer;
    expect({ ...again, timings: {} }).toEqual({ ...answer, timings: {} });
  });
});

test('a copy of the page is another address of the same hit', async () => {
  const { answer } = await ask('When does a session end?');
  const addresses = answer.passages.map(({ uri, alsoAt }) => [uri, ...alsoAt].sort());
  expect(addresses[0]).toEqual(['file:///docs/copy/sessions.md', 'file:///docs/sessions.md']);
});

test('words that are not at their place, and labels that do not exist, are not shown', async () => {
  const statement = (label: number, end: number): GeneratorEvent => ({
    type: 'quoted-statement',
    text: 'Sessions never end.',
    quotes: [{ label, span: { start: 0, end } }],
  });
  const { answer, events } = await ask('When does a session end?', {
    generator: scripted(statement(9, 5), statement(1, 0)),
  });
  expect(answer.outcome).toBe('insufficient-context');
  expect(answer.citations).toEqual([]);
  expect(answer.text).not.toContain('never');
  expect(answer.warnings.map(({ code }) => code)).toEqual(['citation-mismatch', 'citation-mismatch']);
  expect(events.some(({ type }) => type === 'citation-available')).toBe(false);
});

test('a document that changed between answer and proof proves nothing', async () => {
  const store = { ...parts.store };
  let reads = 0;
  store.document = async (id) => {
    const document = await parts.store.document(id);
    // The generator is shown the document as it was; what is read back for the proof is another text.
    if (document === undefined || reads++ === 0) return document;
    const text = document.text.toUpperCase();
    return { ...document, text, contentHash: sha256(text) };
  };
  const { answer } = await ask('How do I restore a backup?', { store });
  expect(answer.citations.every(({ quote }) => quote === quote.toUpperCase())).toBe(true);
  expect(answer.warnings.some(({ code }) => code === 'citation-mismatch')).toBe(true);
});

test('a statement is supported only when it is its quotes', async () => {
  const { answer: honest } = await ask('When does a session end?');
  expect(honest.citations.every(({ support }) => support === 'supported')).toBe(true);
  const [first] = honest.citations;
  const reworded: GeneratorEvent = {
    type: 'quoted-statement',
    text: 'Sessions last half an hour.',
    quotes: [{ label: first!.label, span: first!.span }],
  };
  const { answer } = await ask('When does a session end?', { generator: scripted(reworded) });
  expect(answer.citations.map(({ support }) => support)).toEqual(['not-checked']);
});

test('a cited file that has changed since is said to be newer than the index', async () => {
  changed.add('backup.md');
  const { answer } = await ask('How do I restore a backup?');
  changed.clear();
  expect(answer.warnings.filter(({ code }) => code === 'source-newer').map(({ uri }) => uri)).toEqual([
    'file:///docs/backup.md',
  ]);
});

test('what the documents do not hold is refused, without citations', async () => {
  const { answer } = await ask('Which wine goes with grilled octopus?');
  expect(answer).toMatchObject({ outcome: 'insufficient-context', citations: [] });
  expect(answer.confidence).toBeLessThan(0.5);
});

test('a withdrawn question ends in an error', async () => {
  const events = answer({ question: 'When does a session end?' }, parts, { signal: AbortSignal.abort() });
  await expect(async () => {
    for await (const event of events) expect(event.type).not.toBe('answer-end');
  }).rejects.toMatchObject({ code: 'aborted' });
});
