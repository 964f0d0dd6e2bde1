/** From results by question to the figures of a preset. */
import { intervalsOf } from './intervals.ts';
import { confidencesOf, isAnswered, measureNamed, valuesOf } from './measures.ts';
import { auroc, mean, percentile } from './metrics.ts';
import {
  RETRIEVAL_METRICS,
  type AnswerResult,
  type CitationsExact,
  type Figure,
  type KindReport,
  type Percentiles,
  type PresetReport,
  type QuestionResult,
  type RetrievalMetric,
} from './types.ts';

export function reportPreset(results: readonly QuestionResult[]): PresetReport {
  const answers = answersOf(results);
  return {
    retrieval: Object.fromEntries(RETRIEVAL_METRICS.map((metric) => [metric, figure(results, metric)])) as Record<
      RetrievalMetric,
      Figure
    >,
    answers: {
      quoteHit: figure(results, 'quoteHit'),
      keywordRecall: figure(results, 'keywordRecall'),
      citationPrecision: figure(results, 'citationPrecision'),
      citationRecall: figure(results, 'citationRecall'),
      citesRelevant: figure(results, 'citesRelevant'),
      answeredAnswerable: figure(results, 'answeredAnswerable'),
      citationsExact: sumExact(answers),
      abstention: {
        precision: figure(results, 'abstention.precision'),
        recall: figure(results, 'abstention.recall'),
        auroc: aurocOf(results),
      },
    },
    byKind: byKind(results),
    answerWords: percentiles(answers.filter(isAnswered).map((answer) => answer.words)),
    latencyMs: percentiles(results.map((result) => result.latencyMs)),
    cacheHitRate: null,
    intervals: intervalsOf(results),
  };
}

const answersOf = (results: readonly QuestionResult[]): AnswerResult[] =>
  results.flatMap((result) => result.answer ?? []);

const figure = (results: readonly QuestionResult[], metric: string): Figure =>
  mean(valuesOf(results, measureNamed(metric)));

/** Confidence of answers that cite a relevant document against that of all others. */
function aurocOf(results: readonly QuestionResult[]): Figure {
  const confidences = confidencesOf(results);
  const of = (wanted: boolean): number[] =>
    confidences.filter(({ right }) => right === wanted).map(({ confidence }) => confidence);
  return auroc(of(true), of(false));
}

function byKind(results: readonly QuestionResult[]): Record<string, KindReport> {
  const kinds = [...new Set(results.flatMap((result) => result.kind ?? []))];
  return Object.fromEntries(kinds.map((kind) => [kind, reportKind(results.filter((result) => result.kind === kind))]));
}

function reportKind(results: readonly QuestionResult[]): KindReport {
  return {
    questions: results.length,
    'mrr@10': figure(results, 'mrr@10'),
    'ndcg@10': figure(results, 'ndcg@10'),
    'recall@30': figure(results, 'recall@30'),
    quoteHit: figure(results, 'quoteHit'),
    citesRelevant: figure(results, 'citesRelevant'),
    refused: mean(answersOf(results).map((answer) => Number(!isAnswered(answer)))),
    intervals: intervalsOf(results, ['mrr@10', 'ndcg@10']),
  };
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
