/** A tiny engine over a fixed list of documents: what it finds and answers is written in the test. */
import type { Answer, Citation, Hit } from '../../src/core/types.ts';
import type { EvaluatedEngine } from '../../src/evaluation/types.ts';

export interface Scripted {
  /** Addresses of the hits, best first; a document may occur several times. */
  readonly hits: readonly string[];
  readonly answer?: Answer;
}

export const hit = (uri: string): Hit => ({
  chunk: {
    id: uri,
    documentId: uri,
    sourceId: 's',
    position: 0,
    span: { start: 0, end: 0 },
    text: '',
    context: '',
    uri,
    path: uri,
    title: '',
    headingPath: [],
    type: 'markdown',
    language: 'en',
    tokenCount: 0,
    parentIds: [],
    metadata: {},
  },
  score: 1,
  scores: [],
  alsoAt: [],
});

export function citation(uri: string, quote: string, more: Partial<Citation> = {}): Citation {
  return {
    label: 1,
    answerSpan: { start: 0, end: 0 },
    documentId: uri,
    uri,
    path: uri,
    title: '',
    headingPath: [],
    url: null,
    quote,
    span: { start: 0, end: quote.length },
    lines: { start: 1, end: 1 },
    page: null,
    revision: 'r1',
    commit: null,
    alsoAt: [],
    support: 'supported',
    ...more,
  };
}

export function answer(text: string, citations: readonly Citation[] = [], more: Partial<Answer> = {}): Answer {
  return {
    id: 'a',
    conversationId: null,
    outcome: 'answered',
    question: '',
    text,
    confidence: null,
    citations,
    passages: [],
    verification: { unknownLabels: [], uncited: [], unsupported: [], contradicted: [] },
    conflicts: [],
    preset: 'p',
    generator: 'g',
    cache: 'miss',
    usage: { inputTokens: 0, outputTokens: 0, costUsd: null },
    timings: {},
    warnings: [],
    ...more,
  };
}

export const refusal = (confidence: number | null = null): Answer =>
  answer('The documents do not say.', [], { outcome: 'insufficient-context', confidence });

/** `documents`: address → text, all at revision `r1`. `script`: question → what happens. */
export function fakeEngine(
  documents: Readonly<Record<string, string>>,
  script: Readonly<Record<string, Scripted>>,
): Required<EvaluatedEngine> {
  const scripted = (question: string): Scripted => {
    const found = script[question];
    if (found === undefined) throw new Error(`not in the script: ${question}`);
    return found;
  };
  return {
    search: (request) =>
      Promise.resolve({ query: request.query, hits: scripted(request.query).hits.map(hit), timings: {}, warnings: [] }),
    ask: (request) => Promise.resolve(scripted(request.question).answer ?? refusal()),
    uris: () => Promise.resolve(Object.keys(documents)),
    document: (id) =>
      Promise.resolve(documents[id] === undefined ? undefined : { text: documents[id], revision: 'r1' }),
  };
}
