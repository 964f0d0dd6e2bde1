/**
 * What is measured on a question and averaged over those that it applies to. One list, so that the figures of the
 * report, their intervals and the comparisons cannot disagree about which questions count.
 */
import { RETRIEVAL_METRICS, type AnswerResult, type QuestionResult } from './types.ts';

export interface Measure {
  /** As in `intervals`, `comparisons` and a gate's tolerances: `ndcg@10`, `quoteHit`, `abstention.recall`. */
  readonly metric: string;
  /** null where it does not apply. */
  readonly of: (result: QuestionResult) => number | null;
  /**
   * Whether it applies to the same questions whatever the system does, so that two systems can be compared on it
   * question by question. What is a share of the answers given, or of the refusals, has another denominator each time.
   */
  readonly paired: boolean;
}

export const isAnswered = (answer: AnswerResult): boolean => answer.outcome === 'answered';

/** Of the answer to a question that the documents answer. */
const ofAnswerable =
  (measure: (answer: AnswerResult) => number | null): Measure['of'] =>
  ({ answer, answerable }) =>
    answer !== null && answerable ? measure(answer) : null;

export const MEASURES: readonly Measure[] = [
  ...RETRIEVAL_METRICS.map((metric): Measure => ({
    metric,
    of: ({ retrieval }) => retrieval?.[metric] ?? null,
    paired: true,
  })),
  { metric: 'quoteHit', of: ({ answer }) => answer?.quoteHit ?? null, paired: true },
  { metric: 'keywordRecall', of: ({ answer }) => answer?.keywordRecall ?? null, paired: true },
  { metric: 'citationPrecision', of: ({ answer }) => answer?.citationPrecision ?? null, paired: false },
  { metric: 'citationRecall', of: ({ answer }) => answer?.citationRecall ?? null, paired: false },
  { metric: 'citesRelevant', of: ofAnswerable((answer) => Number(answer.citesRelevant)), paired: true },
  { metric: 'answeredAnswerable', of: ofAnswerable((answer) => Number(isAnswered(answer))), paired: true },
  {
    metric: 'abstention.precision',
    of: ({ answer, answerable }) => (answer === null || isAnswered(answer) ? null : Number(!answerable)),
    paired: false,
  },
  {
    metric: 'abstention.recall',
    of: ({ answer, answerable }) => (answer === null || answerable ? null : Number(!isAnswered(answer))),
    paired: true,
  },
];

/** @throws Error for a name that is not in the list. */
export function measureNamed(metric: string): Measure {
  const found = MEASURES.find((measure) => measure.metric === metric);
  if (found === undefined) throw new Error(`no measure is called ${metric}`);
  return found;
}

/** The values of the questions that the measure applies to. */
export function valuesOf(results: readonly QuestionResult[], measure: Measure): number[] {
  return results.flatMap((result) => measure.of(result) ?? []);
}

/** Confidence of every answer that has one, and whether it cites a relevant document: what AUROC is about. */
export interface Confidence {
  readonly confidence: number;
  readonly right: boolean;
}

export function confidencesOf(results: readonly QuestionResult[]): Confidence[] {
  return results.flatMap(({ answer }) =>
    answer === null || answer.confidence === null ? [] : { confidence: answer.confidence, right: answer.citesRelevant },
  );
}
