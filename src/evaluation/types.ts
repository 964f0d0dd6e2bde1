/** What an evaluation reads (questions, judgments, an engine) and what it gives back. */
import type { CallOptions } from '../core/contracts.ts';
import type { AskRequest, SearchRequest, SearchResult } from '../core/results.ts';
import type { Answer, Outcome, Warning } from '../core/types.ts';

/** The part of the engine that is measured. */
export interface EvaluatedEngine {
  search(request: SearchRequest, options?: CallOptions): Promise<SearchResult>;
  ask(request: AskRequest, options?: CallOptions): Promise<Answer>;
  /** Addresses of all indexed documents: labels are resolved against them. */
  uris(): Promise<readonly string[]>;
  /** Reads a stored document back; without it `citationsExact` is null. */
  document?(id: string): Promise<{ readonly text: string; readonly revision: string } | undefined>;
}

/** An engine that the evaluation has been lent by its caller, and gives back. */
export interface OpenedEngine extends EvaluatedEngine {
  close(): Promise<void>;
}

/** Which documents answer a question: by the end of their address, or by exact address and grade (BEIR). */
export type Judgments =
  | { readonly by: 'label'; readonly labels: readonly string[]; readonly equivalents: readonly string[] }
  | { readonly by: 'uri'; readonly grades: ReadonlyMap<string, number> };

export interface Question {
  /** The file's own id, else its place in the file: `#1`. */
  readonly id: string;
  readonly query: string;
  readonly kind: string | null;
  /** The protocol or version that the question is about, where the file names one. */
  readonly protocol: string | null;
  readonly judgments: Judgments;
  /** Sentences any of which answers the question; empty when none is labelled. */
  readonly quotes: readonly string[];
  readonly keywords: readonly string[];
}

/** Labelled questions, and for BEIR the folder whose corpus they are about. */
export interface Dataset {
  readonly questions: readonly Question[];
  /** Folder with `corpus.jsonl`, which has to be indexed first (`beirSource`); null: the documents already indexed. */
  readonly beirFolder: string | null;
  readonly warnings: readonly Warning[];
}

export const RETRIEVAL_METRICS = [
  'recall@5',
  'recall@30',
  'mrr@10',
  'ndcg@5',
  'ndcg@10',
  'hit@1',
  'precision@5',
] as const;
export type RetrievalMetric = (typeof RETRIEVAL_METRICS)[number];

/** What was measured on one question; the aggregates are means and percentiles of these. */
export interface QuestionResult {
  readonly id: string;
  readonly query: string;
  readonly kind: string | null;
  readonly protocol: string | null;
  readonly answerable: boolean;
  /** Addresses of distinct documents in the order of their first hit, at most 30. */
  readonly documents: readonly string[];
  /** null for a question that the documents do not answer. */
  readonly retrieval: Readonly<Record<RetrievalMetric, number>> | null;
  /** null where only retrieval is measured (BEIR). */
  readonly answer: AnswerResult | null;
  /** Of `ask`, or of `search` where only retrieval is measured. */
  readonly latencyMs: number;
}

/** Measures that do not apply to the question are null. */
export interface AnswerResult {
  readonly outcome: Outcome;
  readonly confidence: number | null;
  readonly words: number;
  readonly cached: boolean;
  /** 0 or 1. */
  readonly quoteHit: number | null;
  readonly keywordRecall: number | null;
  readonly citationPrecision: number | null;
  readonly citationRecall: number | null;
  /** Whether it is an answer that cites at least one relevant document. */
  readonly citesRelevant: boolean;
  readonly citationsExact: CitationsExact | null;
}

/** How many citations were read back, and how many of their quotes equal their span at their revision. */
export interface CitationsExact {
  readonly checked: number;
  readonly equal: number;
}

/** null where nothing was measured. */
export type Figure = number | null;

/** Lower and upper end, 95 %. */
export type Interval = readonly [number, number];

export interface KindReport {
  readonly questions: number;
  readonly 'mrr@10': Figure;
  readonly 'ndcg@10': Figure;
  readonly 'recall@30': Figure;
  readonly quoteHit: Figure;
  readonly citesRelevant: Figure;
  /** Share with an outcome other than `answered`. */
  readonly refused: Figure;
  /** Of `mrr@10` and `ndcg@10`. */
  readonly intervals: Readonly<Record<string, Interval>>;
}

export interface PresetReport {
  readonly retrieval: Readonly<Record<RetrievalMetric, Figure>>;
  readonly answers: {
    readonly quoteHit: Figure;
    readonly keywordRecall: Figure;
    readonly citationPrecision: Figure;
    readonly citationRecall: Figure;
    /** Share of the answerable questions whose answer cites at least one relevant document. */
    readonly citesRelevant: Figure;
    /** Share of the answerable questions that were answered at all. */
    readonly answeredAnswerable: Figure;
    readonly citationsExact: CitationsExact | null;
    readonly abstention: { readonly precision: Figure; readonly recall: Figure; readonly auroc: Figure };
  };
  readonly byKind: Readonly<Record<string, KindReport>>;
  /** Length of the answers given, refusals left out. */
  readonly answerWords: Percentiles;
  readonly latencyMs: Percentiles;
  /** null: there is no cache of answers yet. */
  readonly cacheHitRate: Figure;
  /** By metric: those of `retrieval`, and those of `answers` (`quoteHit`, `abstention.auroc`). */
  readonly intervals: Readonly<Record<string, Interval>>;
}

export interface Percentiles {
  readonly p50: Figure;
  readonly p95: Figure;
}

/** Two presets on the same questions. */
export interface Comparison {
  readonly a: string;
  readonly b: string;
  readonly metric: string;
  /** Mean of a − b over the questions. */
  readonly difference: number;
  readonly interval: Interval;
  /** Two-sided, corrected over all comparisons of the run (Holm). */
  readonly p: number;
  /** Of this test alone. */
  readonly pRaw: number;
  /** To how many the metric applies. */
  readonly questions: number;
}

/** The best point of a grid (`--vary`) beside the preset as it was. */
export interface BestPoint {
  /** What the best is the best by. */
  readonly metric: string;
  readonly baseline: string;
  readonly best: string;
  readonly values: { readonly best: number; readonly baseline: number };
  /** `p` is corrected over the points of the grid; null where the best is the baseline. */
  readonly comparison: Pick<Comparison, 'difference' | 'interval' | 'p'> | null;
  /** Whether the difference may well be chance: p ≥ .05. */
  readonly withinNoise: boolean;
  /** What sets the best: by dotted key, as a line of `footnote.yaml` each, and as environment variables. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly yaml: readonly string[];
  readonly environment: readonly string[];
}

export interface GateCheck {
  readonly preset: string;
  readonly metric: string;
  /** The figure of the baseline, or the design's target. */
  readonly baseline: number;
  /** null: not measured now. */
  readonly now: Figure;
  /** How far it may fall; for latencies by what share it may rise. null: a target, to be passed. */
  readonly tolerance: number | null;
  readonly passed: boolean;
  /** Why it failed, or was not judged. */
  readonly message: string | null;
}

export interface GateResult {
  /** The file, or `design`. */
  readonly name: string;
  readonly passed: boolean;
  readonly checks: readonly GateCheck[];
}

/** What `eval --json` prints. */
export interface EvaluationReport {
  readonly questions: number;
  readonly answerable: number;
  readonly presets: Readonly<Record<string, PresetReport>>;
  readonly comparisons: readonly Comparison[];
  readonly warnings: readonly Warning[];
  /** With `--vary`: one for each preset that was varied. */
  readonly vary?: readonly BestPoint[];
  /** With `--gate`. */
  readonly gate?: GateResult;
}
