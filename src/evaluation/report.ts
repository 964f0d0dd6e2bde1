/** From results by question to the figures of a preset. */
import { auroc, mean, percentile } from './metrics.ts';
import {
  RETRIEVAL_METRICS,
  type AnswerResult,
  type CitationsExact,
  type KindReport,
  type Percentiles,
  type PresetReport,
  type QuestionResult,
  type RetrievalMetric,
} from './types.ts';

export function reportPreset(results: readonly QuestionResult[]): PresetReport {
  const answers = results.flatMap((result) => result.answer ?? []);
  return {
    retrieval: retrievalMeans(results),
    answers: answerMeans(results),
    byKind: byKind(results),
    answerWords: percentiles(answers.filter(isAnswered).map((answer) => answer.words)),
    latencyMs: percentiles(results.map((result) => result.latencyMs)),
    cacheHitRate: share(answers, (answer) => answer.cached),
    intervals: {},
  };
}

function retrievalMeans(results: readonly QuestionResult[]): PresetReport['retrieval'] {
  const entries = RETRIEVAL_METRICS.map((metric) => [metric, retrievalMean(results, metric)] as const);
  return Object.fromEntries(entries) as Record<RetrievalMetric, number | null>;
}

function retrievalMean(results: readonly QuestionResult[], metric: RetrievalMetric): number | null {
  return mean(results.flatMap((result) => result.retrieval?.[metric] ?? []));
}

function answerMeans(results: readonly QuestionResult[]): PresetReport['answers'] {
  const answers = results.flatMap((result) => result.answer ?? []);
  const answerable = results.filter((result) => result.answerable).flatMap((result) => result.answer ?? []);
  return {
    quoteHit: meanOf(answers, 'quoteHit'),
    keywordRecall: meanOf(answers, 'keywordRecall'),
    citationPrecision: meanOf(answers, 'citationPrecision'),
    citationRecall: meanOf(answers, 'citationRecall'),
    citesRelevant: share(answerable, (answer) => answer.citesRelevant),
    answeredAnswerable: share(answerable, isAnswered),
    citationsExact: sumExact(answers),
    abstention: abstention(results),
  };
}

/** Refusals against the questions without an answer; confidence of answers that cite a relevant document against all others. */
function abstention(results: readonly QuestionResult[]): PresetReport['answers']['abstention'] {
  const asked = results.flatMap(({ answerable, answer }) => (answer === null ? [] : { answerable, answer }));
  const refused = asked.filter(({ answer }) => !isAnswered(answer));
  const unanswerable = asked.filter(({ answerable }) => !answerable);
  const confidences = (right: boolean): number[] =>
    asked.filter(({ answer }) => answer.citesRelevant === right).flatMap(({ answer }) => answer.confidence ?? []);
  return {
    precision: share(refused, ({ answerable }) => !answerable),
    recall: share(unanswerable, ({ answer }) => !isAnswered(answer)),
    auroc: auroc(confidences(true), confidences(false)),
  };
}

function byKind(results: readonly QuestionResult[]): Record<string, KindReport> {
  const kinds = [...new Set(results.flatMap((result) => result.kind ?? []))];
  return Object.fromEntries(kinds.map((kind) => [kind, reportKind(results.filter((result) => result.kind === kind))]));
}

function reportKind(results: readonly QuestionResult[]): KindReport {
  const answers = results.flatMap((result) => result.answer ?? []);
  const answerable = results.filter((result) => result.answerable).flatMap((result) => result.answer ?? []);
  return {
    questions: results.length,
    'mrr@10': retrievalMean(results, 'mrr@10'),
    'ndcg@10': retrievalMean(results, 'ndcg@10'),
    'recall@30': retrievalMean(results, 'recall@30'),
    quoteHit: meanOf(answers, 'quoteHit'),
    citesRelevant: share(answerable, (answer) => answer.citesRelevant),
    refused: share(answers, (answer) => !isAnswered(answer)),
  };
}

const isAnswered = (answer: AnswerResult): boolean => answer.outcome === 'answered';

type Measure = 'quoteHit' | 'keywordRecall' | 'citationPrecision' | 'citationRecall';

/** Over the answers to which the measure applies. */
function meanOf(answers: readonly AnswerResult[], measure: Measure): number | null {
  return mean(answers.flatMap((answer) => answer[measure] ?? []));
}

function share<T>(items: readonly T[], holds: (item: T) => boolean): number | null {
  return mean(items.map((item) => Number(holds(item))));
}

function sumExact(answers: readonly AnswerResult[]): CitationsExact | null {
  const counted = answers.flatMap((answer) => answer.citationsExact ?? []);
  if (counted.length === 0) return null;
  const total = (count: keyof CitationsExact): number => counted.reduce((sum, exact) => sum + exact[count], 0);
  return { checked: total('checked'), equal: total('equal') };
}

function percentiles(values: readonly number[]): Percentiles {
  return { p50: percentile(values, 50), p95: percentile(values, 95) };
}
