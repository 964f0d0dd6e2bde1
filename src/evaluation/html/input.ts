/** What the page is made of. */
import type { Settings } from '../../core/settings.ts';
import type { Evaluation } from '../evaluate.ts';
import type { Comparison, QuestionResult } from '../types.ts';
import type { Sighting } from './sighting.ts';

export interface PageInput {
  /** The question file or BEIR folder, as the user named it. */
  readonly target: string;
  readonly date: Date;
  /** Of Footnote. */
  readonly version: string;
  readonly evaluation: Evaluation;
  /** In the order in which they were named. */
  readonly presets: readonly PagePreset[];
  /** By preset: one for each question, in the order of the results. */
  readonly sightings: ReadonlyMap<string, readonly Sighting[]>;
}

export interface PagePreset {
  readonly name: string;
  readonly settings: Settings;
  readonly index: PageIndex | null;
  /** The command that repeats a search of this preset. */
  readonly command: (query: string) => string;
}

/** What a preset was measured on. */
export interface PageIndex {
  readonly folder: string;
  readonly documents: number;
  readonly chunks: number;
  readonly model: string | null;
}

/** One question, with what each preset made of it. */
export interface Row {
  /** 0-based, in the order of the file; also names its place in the page. */
  readonly index: number;
  readonly views: readonly View[];
}

export interface View {
  readonly preset: string;
  readonly result: QuestionResult;
  readonly sighting: Sighting;
}

/** What differences of questions are measured by, in every list of wins and losses. */
export const MAIN_METRIC = 'ndcg@10';

/** Below this p a difference is marked. */
export const SIGNIFICANT = 0.05;

const METRIC_NAMES: Readonly<Record<string, string>> = {
  'mrr@10': 'MRR@10',
  'ndcg@5': 'nDCG@5',
  'ndcg@10': 'nDCG@10',
  'recall@5': 'recall@5',
  'recall@30': 'recall@30',
  'hit@1': 'hit@1',
  'precision@5': 'precision@5',
  quoteHit: 'quote hit',
  keywordRecall: 'keyword recall',
  citesRelevant: 'cites a relevant document',
  citationPrecision: 'citation precision',
  citationRecall: 'citation recall',
  answeredAnswerable: 'answered, of the answerable',
  'abstention.precision': 'refusals that were right',
  'abstention.recall': 'refused, of the unanswerable',
  'abstention.auroc': 'AUROC of confidence',
};

export const metricName = (metric: string): string => METRIC_NAMES[metric] ?? metric;

export type Pair = readonly [a: string, b: string];

/** Those that were compared, in that order and direction. */
export function comparedPairs(comparisons: readonly Comparison[]): Pair[] {
  return [...new Map(comparisons.map(({ a, b }) => [JSON.stringify([a, b]), [a, b] as const])).values()];
}

export function rowsOf({ evaluation, presets, sightings }: PageInput): Row[] {
  const first = evaluation.results.get(presets[0]?.name ?? '') ?? [];
  return first.map((_, index) => ({
    index,
    views: presets.flatMap(({ name }) => {
      const result = evaluation.results.get(name)?.[index];
      const sighting = sightings.get(name)?.[index];
      return result === undefined || sighting === undefined ? [] : [{ preset: name, result, sighting }];
    }),
  }));
}

export const mainFigure = ({ result }: View): number | null => result.retrieval?.[MAIN_METRIC] ?? null;

/** How far apart the presets are on a question: 0 when all did the same, up to 1; an outcome that differs counts. */
export function spread({ views }: Row): number {
  const figures = views.flatMap((view) => mainFigure(view) ?? []);
  const apart = figures.length === 0 ? 0 : Math.max(...figures) - Math.min(...figures);
  const outcomes = new Set(views.map(({ result }) => result.answer?.outcome));
  return Math.max(apart, outcomes.size > 1 ? 0.05 : 0);
}

/** The best that any preset did on a question; 1 for one that the documents do not answer. */
export const best = ({ views }: Row): number => Math.max(...views.map((view) => mainFigure(view) ?? 1));
