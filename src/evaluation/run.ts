/** Puts labelled questions to an engine, one after the other, and measures each. */
import type { CallOptions } from '../core/contracts.ts';
import { RagError } from '../core/errors.ts';
import type { SearchResult } from '../core/results.ts';
import type { Answer, Warning } from '../core/types.ts';
import { measureAnswer, readBackCitations } from './answers.ts';
import { gainsOf, labelIndex, resolveJudgments, type RelevantDocuments } from './labels.ts';
import { hitAt, ndcgAt, precisionAt, recallAt, reciprocalRankAt } from './metrics.ts';
import type { AnswerResult, EvaluatedEngine, Question, QuestionResult, RetrievalMetric } from './types.ts';

/** Distinct documents that every search must reach: the deepest metric is recall@30. */
export const DOCUMENT_DEPTH = 30;

/** Labels without a document that are listed one by one; the rest are counted. */
const LISTED = 20;

export interface RunOptions extends CallOptions {
  /** Whether to ask as well as to search; false for collections that judge documents only. */
  readonly ask: boolean;
  readonly onProgress?: (done: number, total: number) => void;
  /** Milliseconds from any start. */
  readonly now?: () => number;
  /** Told everything that was seen of each question; its searches are explained then. */
  readonly onObserved?: (observation: Observation) => void;
}

/** What a question's result was computed from: too large to keep of every question as it is. */
export interface Observation {
  readonly question: Question;
  readonly relevant: ReturnType<typeof resolveJudgments>;
  /** With its explanation. */
  readonly found: SearchResult;
  /** null where only retrieval is measured. */
  readonly answer: Answer | null;
  readonly result: QuestionResult;
}

export interface Run {
  /** In the order of the questions. */
  readonly results: readonly QuestionResult[];
  readonly warnings: readonly Warning[];
  /** Addresses of the documents that were searched. */
  readonly uris: readonly string[];
}

/** @throws RagError what the engine throws, and `aborted`. */
export async function evaluateQuestions(
  engine: EvaluatedEngine,
  questions: readonly Question[],
  options: RunOptions,
): Promise<Run> {
  const uris = await engine.uris();
  const index = labelIndex(uris);
  const unmatched = new Set<string>();
  const results: QuestionResult[] = [];
  for (const question of questions) {
    if (options.signal?.aborted) throw new RagError('aborted', 'The evaluation was stopped.');
    const relevant = resolveJudgments(question.judgments, index);
    for (const label of relevant.unmatched) unmatched.add(label);
    results.push(await evaluateQuestion(engine, question, relevant, options));
    options.onProgress?.(results.length, questions.length);
  }
  return { results, warnings: toWarnings([...unmatched]), uris };
}

async function evaluateQuestion(
  engine: EvaluatedEngine,
  question: Question,
  relevant: Observation['relevant'],
  options: RunOptions,
): Promise<QuestionResult> {
  const call = options.signal === undefined ? {} : { signal: options.signal };
  const clock = options.now ?? (() => performance.now());
  const answerable = relevant.ideal.length > 0;

  const searchStart = clock();
  const request = { query: question.query, distinctDocuments: DOCUMENT_DEPTH };
  // What is timed is never explained: explaining reads chunks that a plain search leaves alone.
  const explain = options.onObserved !== undefined && options.ask;
  let found = await engine.search({ ...request, explain }, call);
  let latencyMs = clock() - searchStart;
  const documents = [...new Set(found.hits.map((hit) => hit.chunk.uri))].slice(0, DOCUMENT_DEPTH);

  let answer: Answer | null = null;
  let measured: AnswerResult | null = null;
  if (options.ask) {
    const askStart = clock();
    answer = await engine.ask({ question: question.query }, call);
    latencyMs = clock() - askStart;
    const uris = new Set(relevant.grades.keys());
    measured = measureAnswer(question, answer, { answerable, uris }, await readBackCitations(engine, answer));
  }
  const { id, query, kind, protocol } = question;
  const retrieval = answerable ? measureRetrieval(documents, relevant) : null;
  if (options.onObserved !== undefined && !explain) found = await engine.search({ ...request, explain: true }, call);
  const result: QuestionResult = {
    id,
    query,
    kind,
    protocol,
    answerable,
    documents,
    retrieval,
    answer: measured,
    latencyMs,
  };
  options.onObserved?.({ question, relevant, found, answer, result });
  return result;
}

function measureRetrieval(documents: readonly string[], relevant: RelevantDocuments): Record<RetrievalMetric, number> {
  const gains = gainsOf(documents, relevant);
  const { ideal } = relevant;
  return {
    'recall@5': recallAt(gains, ideal, 5),
    'recall@30': recallAt(gains, ideal, 30),
    'mrr@10': reciprocalRankAt(gains, 10),
    'ndcg@5': ndcgAt(gains, ideal, 5),
    'ndcg@10': ndcgAt(gains, ideal, 10),
    'hit@1': hitAt(gains, 1),
    'precision@5': precisionAt(gains, 5),
  };
}

function toWarnings(labels: readonly string[]): Warning[] {
  const code = 'label-unmatched';
  const warnings: Warning[] = labels.slice(0, LISTED).map((label) => ({
    code,
    message: `No indexed document matches the label ${label}; it counts as missed.`,
  }));
  if (labels.length > LISTED) {
    warnings.push({
      code,
      message: `${labels.length - LISTED} more labels match no indexed document.`,
      hint: 'Is this the index that the questions were written for? `footnote status` lists its sources.',
    });
  }
  return warnings;
}
