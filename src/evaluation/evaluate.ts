/** Measures one or several presets on the same labelled questions. */
import type { CallOptions } from '../core/contracts.ts';
import type { Warning } from '../core/types.ts';
import { readDataset } from './questions.ts';
import { reportPreset } from './report.ts';
import { evaluateQuestions } from './run.ts';
import type { Observation } from './run.ts';
import type { Dataset, EvaluationReport, OpenedEngine, PresetReport, QuestionResult } from './types.ts';

export interface EvaluateRequest extends CallOptions {
  /** A question file or a BEIR folder. */
  readonly target: string;
  readonly presets: readonly string[];
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
  const results = new Map<string, readonly QuestionResult[]>();
  const reports: [string, PresetReport][] = [];
  const warnings: Warning[] = [...dataset.warnings];
  for (const preset of new Set(request.presets)) {
    const run = await evaluatePreset(preset, dataset, request);
    results.set(preset, run.results);
    reports.push([preset, reportPreset(run.results)]);
    // Every preset misses the same labels: each is said once.
    warnings.push(...run.warnings.filter((warning) => !warnings.some((said) => said.message === warning.message)));
  }
  const answerable = dataset.questions.filter(isAnswerable).length;
  const presets = Object.fromEntries(reports);
  return { report: { questions: dataset.questions.length, answerable, presets, comparisons: [], warnings }, results };
}

async function evaluatePreset(
  preset: string,
  dataset: Dataset,
  request: EvaluateRequest,
): ReturnType<typeof evaluateQuestions> {
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

function isAnswerable({ judgments }: Dataset['questions'][number]): boolean {
  return judgments.by === 'uri' || judgments.labels.length > 0;
}
