/** The JSON that other programs rely on: exactly the fields of the contract, whatever the engine adds inside. */
import type { SearchResult } from '../core/results.ts';
import type { Answer, AnswerEvent, Citation, Hit, LineRange, Metadata, Passage } from '../core/types.ts';

/** Where the chunker notes the lines of a chunk; shown as `lines`, not as metadata of the document. */
const LINE_KEYS: readonly string[] = ['lineStart', 'lineEnd'];

export function searchJson(result: SearchResult): Record<string, unknown> {
  const { query, hits, timings, warnings, explanation, whyNot } = result;
  return {
    query,
    hits: hits.map((hit, index) => hitJson(hit, index + 1)),
    timings,
    warnings,
    ...(explanation === undefined ? {} : { explanation }),
    ...(whyNot === undefined ? {} : { whyNot }),
  };
}

function hitJson(hit: Hit, rank: number): Record<string, unknown> {
  const { chunk } = hit;
  return {
    rank,
    score: hit.score,
    chunkId: chunk.id,
    documentId: chunk.documentId,
    uri: chunk.uri,
    path: chunk.path,
    alsoAt: hit.alsoAt,
    title: chunk.title,
    headingPath: chunk.headingPath,
    url: chunk.url ?? null,
    span: chunk.span,
    lines: linesOf(chunk.metadata),
    page: null,
    text: chunk.text,
    metadata: Object.fromEntries(Object.entries(chunk.metadata).filter(([key]) => !LINE_KEYS.includes(key))),
    scores: hit.scores,
  };
}

export function linesOf(metadata: Metadata): LineRange | null {
  const [start, end] = LINE_KEYS.map((key) => metadata[key]);
  return typeof start === 'number' && typeof end === 'number' ? { start, end } : null;
}

export function answerJson(answer: Answer): Record<string, unknown> {
  return {
    id: answer.id,
    conversationId: answer.conversationId,
    outcome: answer.outcome,
    question: answer.question,
    text: answer.text,
    confidence: answer.confidence,
    citations: answer.citations.map(citationJson),
    passages: answer.passages.map(passageJson),
    verification: answer.verification,
    conflicts: answer.conflicts,
    preset: answer.preset,
    generator: answer.generator,
    cache: answer.cache,
    usage: answer.usage,
    timings: answer.timings,
    warnings: answer.warnings,
  };
}

export function eventJson(event: AnswerEvent): Record<string, unknown> {
  switch (event.type) {
    case 'passages-available':
      return { type: event.type, passages: event.passages.map(passageJson) };
    case 'citation-available':
      return { type: event.type, citation: citationJson(event.citation) };
    case 'answer-end':
      return { type: event.type, answer: answerJson(event.answer) };
    case 'answer-start':
    case 'stage-end':
    case 'text-delta':
    case 'claim-checked':
    case 'warning':
    case 'answer-error':
      return { ...event };
  }
}

function citationJson(citation: Citation): Record<string, unknown> {
  return Object.fromEntries(Object.entries(citation).filter(([key]) => key !== 'documentId'));
}

const passageJson = ({ label, uri, text }: Passage): Record<string, unknown> => ({ label, uri, text });
