/** Measures of one answer against what is labelled about its question. */
import type { Answer, Citation, Span } from '../core/types.ts';
import { containsFolded, fold } from './fold.ts';
import type { AnswerResult, CitationsExact, EvaluatedEngine, Question } from './types.ts';

/** Words of the answer, and citations, in which `quoteHit` looks. */
const QUOTE_WORDS = 150;
const QUOTE_CITATIONS = 3;
/** A citation that is only a part of the labelled quote must be longer than this to count. */
const QUOTE_PART_CHARS = 40;

/** An answer's own `[1]` after a word or another label: a mark of ours, not a word of the answer. */
const LABEL = /(?<=[\s\].,;:!?])\[\d+\]/g;

/** `relevant` are the addresses of the question's relevant documents; empty for one that has no answer. */
export function measureAnswer(
  question: Question,
  answer: Answer,
  relevant: { readonly answerable: boolean; readonly uris: ReadonlySet<string> },
  citationsExact: CitationsExact | null,
): AnswerResult {
  const answered = answer.outcome === 'answered';
  const isRelevant = (citation: Citation): boolean => relevant.uris.has(citation.uri);
  const { answerable } = relevant;
  return {
    outcome: answer.outcome,
    confidence: answer.confidence,
    words: withoutLabels(answer.text).match(/\S+/g)?.length ?? 0,
    cached: answer.cache !== 'miss',
    quoteHit: answerable && question.quotes.length > 0 ? Number(answered && hitsQuote(answer, question.quotes)) : null,
    keywordRecall:
      answerable && question.keywords.length > 0 ? (answered ? keywordRecall(answer, question.keywords) : 0) : null,
    citationPrecision: answerable && answered ? citationPrecision(answer, isRelevant) : null,
    citationRecall: answerable && answered ? citationRecall(answer, isRelevant) : null,
    citesRelevant: answered && answer.citations.some(isRelevant),
    citationsExact,
  };
}

/**
 * Whether one of the quotes is in the first 150 words of the answer or in one of its first three citations, or one
 * of these citations, longer than 40 characters, lies inside a quote. Everything is folded first.
 */
export function hitsQuote(answer: Pick<Answer, 'text' | 'citations'>, quotes: readonly string[]): boolean {
  const cited = answer.citations.slice(0, QUOTE_CITATIONS).map((citation) => citation.quote);
  const places = [firstWords(answer.text), firstWords(withoutLabels(answer.text)), ...cited];
  return quotes.some(
    (quote) =>
      places.some((place) => containsFolded(place, quote)) ||
      cited.some((part) => fold(part).length > QUOTE_PART_CHARS && containsFolded(quote, part)),
  );
}

/** Share of the keywords that occur, folded, in the whole answer text or in the quote of any of its citations. */
export function keywordRecall(answer: Pick<Answer, 'text' | 'citations'>, keywords: readonly string[]): number {
  const places = [answer.text, ...answer.citations.map((citation) => citation.quote)];
  return keywords.filter((keyword) => places.some((place) => containsFolded(place, keyword))).length / keywords.length;
}

/** Share of the citations whose document is relevant; an answer that cites nothing has 0. */
export function citationPrecision(
  answer: Pick<Answer, 'citations'>,
  isRelevant: (citation: Citation) => boolean,
): number {
  const { citations } = answer;
  return citations.length === 0 ? 0 : citations.filter(isRelevant).length / citations.length;
}

/**
 * Share of the answer's sentences that have at least one supported citation to a relevant document. The sentences
 * are those that the citations and `verification.uncited` stand on; words outside of both count as one more each.
 */
export function citationRecall(
  answer: Pick<Answer, 'text' | 'citations' | 'verification'>,
  isRelevant: (citation: Citation) => boolean,
): number {
  const sentences = sentenceSpans(answer);
  if (sentences.length === 0) return 0;
  const proven = answer.citations.filter((citation) => citation.support === 'supported' && isRelevant(citation));
  const covered = sentences.filter((sentence) => proven.some(({ answerSpan }) => overlaps(answerSpan, sentence)));
  return covered.length / sentences.length;
}

function sentenceSpans(answer: Pick<Answer, 'text' | 'citations' | 'verification'>): Span[] {
  const listed = mergeOverlapping([
    ...answer.citations.map((citation) => citation.answerSpan),
    ...answer.verification.uncited,
  ]);
  const gaps: Span[] = [];
  let end = 0;
  for (const span of [...listed, { start: answer.text.length, end: answer.text.length }]) {
    // Between sentences there are labels and punctuation; words there belong to a sentence that was not listed.
    const between = ` ${answer.text.slice(end, span.start)}`;
    if (/[\p{L}\p{N}]/u.test(withoutLabels(between))) gaps.push({ start: end, end: span.start });
    end = span.end;
  }
  return [...listed, ...gaps];
}

function mergeOverlapping(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push(span);
    else merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
  }
  return merged;
}

const overlaps = (a: Span, b: Span): boolean => a.start < b.end && b.start < a.end;

/** Reads every citation of an answer back; `null` when the engine cannot read documents. */
export async function readBackCitations(engine: EvaluatedEngine, answer: Answer): Promise<CitationsExact | null> {
  if (engine.document === undefined) return null;
  let equal = 0;
  for (const { documentId, span, quote, revision } of answer.citations) {
    const document = await engine.document(documentId);
    if (document?.revision === revision && document.text.slice(span.start, span.end) === quote) equal += 1;
  }
  return { checked: answer.citations.length, equal };
}

const withoutLabels = (text: string): string => text.replace(LABEL, '');

function firstWords(text: string): string {
  let count = 0;
  for (const word of text.matchAll(/\S+/g)) {
    count += 1;
    if (count === QUOTE_WORDS) return text.slice(0, word.index + word[0].length);
  }
  return text;
}
