/** Measures one or several presets on the same labelled questions, and compares them. */
import type { CallOptions } from '../core/contracts.ts';
import { isRagError } from '../core/errors.ts';
import type { Warning } from '../core/types.ts';
import { allPairs, comparePairs, type Pair } from './compare.ts';
import { readDataset } from './questions.ts';
import { reportPreset } from './report.ts';
import { evaluateQuestions, type Observation, type Run } from './run.ts';
import type { Dataset, EvaluationReport, OpenedEngine, QuestionResult } from './types.ts';

export interface EvaluateRequest extends CallOptions {
  /** A question file or a BEIR folder. */
  readonly target: string;
  readonly presets: readonly string[];
  /** Which of them to compare; default: each with each. */
  readonly pairs?: readonly Pair[];
  /** Those that are left out, with a warning, when their settings are refused on opening. */
  readonly optional?: ReadonlySet<string>;
  /** Opens a preset's index; one over `dataset.beirFolder` when that is set. It is closed when it was measured. */
  readonly openEngine: (preset: string, dataset: Dataset) => Promise<OpenedEngine>;
  readonly onProgress?: (progress: { readonly preset: string; readonly done: number; readonly total: number }) => void;
  /** Told everything that was seen of each question (`--html`). */
  readonly onObserved?: (preset: string, observation: Observation) => void;
}

export interface Evaluation {
  readonly report: EvaluationReport;
  /** By preset and question: what intervals and paired comparisons are computed from. */
  readonly results: ReadonlyMap<string, readonly QuestionResult[]>;
}

/** @throws RagError `file-invalid` for the target; whatever opening, searching and asking throw. */
export async function evaluate(request: EvaluateRequest): Promise<Evaluation> {
  const dataset = await readDataset(request.target);
  const runs = new Map<string, Run>();
  const refused: Warning[] = [];
  for (const preset of new Set(request.presets)) {
    try {
      runs.set(preset, await runPreset(preset, dataset, request));
    } catch (error) {
      if (request.optional?.has(preset) !== true || !isRagError(error) || error.code !== 'setting-invalid') throw error;
      refused.push({ code: 'point-invalid', message: `${preset} was left out: ${error.message}` });
    }
  }

  const results = new Map([...runs].map(([preset, run]) => [preset, run.results]));
  const pairs = request.pairs ?? allPairs([...results.keys()]);
  const reports = [...results].map(([preset, measured]) => [preset, reportPreset(measured)] as const);
  return {
    report: {
      questions: dataset.questions.length,
      answerable: dataset.questions.filter(isAnswerable).length,
      presets: Object.fromEntries(reports),
      comparisons: comparePairs(
        results,
        pairs.filter((pair) => pair.every((preset) => results.has(preset))),
      ),
      warnings: [...warningsOf(dataset, runs), ...refused],
    },
    results,
  };
}

async function runPreset(preset: string, dataset: Dataset, request: EvaluateRequest): Promise<Run> {
  const engine = await request.openEngine(preset, dataset);
  const total = dataset.questions.length;
  const { onObserved } = request;
  try {
    return await evaluateQuestions(engine, dataset.questions, {
      ask: dataset.beirFolder === null,
      onProgress: (done) => request.onProgress?.({ preset, done, total }),
      ...(onObserved === undefined ? {} : { onObserved: (seen: Observation) => onObserved(preset, seen) }),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
  } finally {
    await engine.close();
  }
}

/** Every preset misses the same labels: each is said once. */
function warningsOf(dataset: Dataset, runs: ReadonlyMap<string, Run>): Warning[] {
  const all = [...dataset.warnings, ...[...runs.values()].flatMap((run) => run.warnings), ...otherDocuments(runs)];
  return [...new Map(all.map((warning) => [warning.message, warning])).values()];
}

/** A comparison says something of the presets only when both searched the same documents. */
function otherDocuments(runs: ReadonlyMap<string, Run>): Warning[] {
  const [first, ...others] = [...runs].map(([preset, { uris }]) => ({ preset, uris: new Set(uris) }));
  if (first === undefined) return [];
  return others
    .filter(({ uris }) => uris.size !== first.uris.size || [...uris].some((uri) => !first.uris.has(uri)))
    .map(({ preset, uris }) => ({
      code: 'documents-differ',
      message: `${preset} searched other documents (${uris.size}) than ${first.preset} (${first.uris.size}).`,
      hint: '`footnote ingest` brings the index up to date with its sources; so does eval for those that it builds.',
    }));
}

function isAnswerable({ judgments }: Dataset['questions'][number]): boolean {
  return judgments.by === 'uri' || judgments.labels.length > 0;
}
