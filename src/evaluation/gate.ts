/** Whether it became worse: an evaluation against an earlier one, or against the targets of a design. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { RagError } from '../core/errors.ts';
import { nearest } from '../text/nearest.ts';
import type { EvaluationReport, Figure, GateCheck, GateResult } from './types.ts';

/** How far a figure between 0 and 1 may fall, unless the baseline says otherwise. */
const TOLERANCE = 0.01;
/** By what share of it p95 may rise: machines differ, and so do minutes on one machine. */
const LATENCY_TOLERANCE = 1;
/** A rise that nobody feels is not one. */
const LATENCY_FELT_MS = 100;
const LATENCY = 'latencyMs.p95';
/** A citation that is not equal to its source is a defect, however rare. */
const NO_TOLERANCE: readonly string[] = ['citationsExact'];
/** Figures of rounded files are not below themselves. */
const ROUNDING = 1e-9;

const figures = z.record(z.string(), z.unknown());
const baselineSchema = z.object({
  questions: z.number().optional(),
  presets: z.record(
    z.string(),
    z.object({
      retrieval: figures,
      answers: figures.optional(),
      byKind: z.record(z.string(), figures).optional(),
      latencyMs: figures.optional(),
    }),
  ),
  tolerances: z.record(z.string(), z.number().min(0)).optional(),
});

export interface Baseline {
  readonly name: string;
  readonly questions: number | undefined;
  /** By preset and metric. Figures of kinds are among them (`byKind.paraphrase.mrr@10`). */
  readonly presets: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly tolerances: ReadonlyMap<string, number>;
}

/** Reads what `eval --json` printed, with or without `tolerances`. @throws RagError `file-invalid` */
export async function readBaseline(path: string): Promise<Baseline> {
  const hint = 'A baseline is what `footnote eval FILE --json` printed.';
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new RagError('file-invalid', `The baseline ${path} cannot be read.`, { hint, cause });
  });
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/u, ''));
  } catch (cause) {
    throw new RagError('file-invalid', `${path} is not JSON.`, { hint, cause });
  }
  const checked = baselineSchema.safeParse(value);
  if (!checked.success) {
    const issue = checked.error.issues[0];
    const place = issue === undefined || issue.path.length === 0 ? 'the file' : issue.path.join('.');
    throw new RagError('file-invalid', `${path} is no baseline: ${place}: ${issue?.message ?? 'not valid'}.`, { hint });
  }
  const presets = new Map(Object.entries(checked.data.presets).map(([name, preset]) => [name, figuresOf(preset)]));
  if (presets.size === 0) throw new RagError('file-invalid', `${path} holds no preset.`, { hint });
  const tolerances = new Map(Object.entries(checked.data.tolerances ?? {}));
  const known = [...new Set([...presets.values()].flatMap((preset) => [...preset.keys()]))];
  for (const metric of tolerances.keys()) {
    if (known.includes(metric)) continue;
    const near = nearest(metric, known);
    throw new RagError('file-invalid', `${path}: there is no figure "${metric}" to tolerate.`, {
      hint: near === undefined ? `It has: ${known.join(', ')}` : `Did you mean ${near}?`,
    });
  }
  return { name: path, questions: checked.data.questions, presets, tolerances };
}

/**
 * A figure fails when it fell by more than its tolerance; p95 when it rose by more than its share, and by 100 ms; a
 * preset or figure of the baseline when it is missing now. Figures of kinds rest on few questions, and are judged
 * where the baseline tolerates something of them.
 */
export function gateAgainst(baseline: Baseline, report: EvaluationReport): GateResult {
  const checks = [...baseline.presets].flatMap(([preset, before]) => {
    const now = report.presets[preset];
    const measured = now === undefined ? undefined : figuresOf(now);
    return [...before]
      .filter(([metric]) => !metric.startsWith('byKind.') || baseline.tolerances.has(metric))
      .map(([metric, figure]): GateCheck => {
        const tolerance = baseline.tolerances.get(metric) ?? defaultTolerance(metric);
        const seen = measured?.get(metric) ?? null;
        const common = { preset, metric, baseline: figure, now: seen, tolerance };
        if (measured === undefined) return { ...common, passed: false, message: `${preset} was not measured` };
        if (seen === null) return { ...common, passed: false, message: `${metric} was not measured` };
        const passed =
          metric === LATENCY
            ? seen <= figure * (1 + tolerance) || seen - figure <= LATENCY_FELT_MS
            : seen >= figure - tolerance - ROUNDING;
        return { ...common, passed, message: passed ? null : metric === LATENCY ? 'rose' : 'fell' };
      });
  });
  const { questions } = baseline;
  if (questions !== undefined && questions !== report.questions) {
    checks.push(otherQuestions(questions, report.questions));
  }
  return { name: baseline.name, passed: checks.every(({ passed }) => passed), checks };
}

const otherQuestions = (before: number, now: number): GateCheck => ({
  preset: '',
  metric: 'questions',
  baseline: before,
  now,
  tolerance: 0,
  passed: false,
  message: 'the baseline was measured on other questions',
});

function defaultTolerance(metric: string): number {
  if (metric === LATENCY) return LATENCY_TOLERANCE;
  return NO_TOLERANCE.includes(metric) ? 0 : TOLERANCE;
}

/** "Key Metrics" of design 000 (lines 722–728): each has to be passed, not only reached. */
const DESIGN_TARGETS: readonly (readonly [metric: string, target: number])[] = [
  ['recall@30', 0.9],
  ['mrr@10', 0.7],
  ['ndcg@5', 0.8],
  [LATENCY, 5000],
  ['cacheHitRate', 0.4],
];

/** The targets of design 000, for every preset of the run. What has no cache yet is not judged by its hits. */
export function gateDesign(report: EvaluationReport): GateResult {
  const checks = Object.entries(report.presets).flatMap(([preset, now]) => {
    const measured = figuresOf(now);
    return DESIGN_TARGETS.map(([metric, target]): GateCheck => {
      const seen = (metric === 'cacheHitRate' ? now.cacheHitRate : measured.get(metric)) ?? null;
      const common = { preset, metric, baseline: target, now: seen, tolerance: null };
      if (seen === null && metric === 'cacheHitRate') {
        return { ...common, passed: true, message: 'not judged: there is no cache of answers in this version' };
      }
      if (seen === null) return { ...common, passed: false, message: `${metric} was not measured` };
      const passed = metric === LATENCY ? seen < target : seen > target;
      return { ...common, passed, message: passed ? null : 'misses the target' };
    });
  });
  return { name: 'design', passed: checks.every(({ passed }) => passed), checks };
}

/** What a report, or a file that says to be one, holds of a preset. */
interface Figures {
  readonly retrieval: object;
  readonly answers?: object | undefined;
  readonly byKind?: object | undefined;
  readonly latencyMs?: object | undefined;
}

/** The figures of a preset that were measured, by metric. */
function figuresOf(preset: Figures): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const add = (metric: string, value: unknown): void => {
    if (typeof value === 'number' && Number.isFinite(value)) found.set(metric, value);
  };
  for (const [metric, value] of entries(preset.retrieval)) add(metric, value);
  for (const [metric, value] of entries(preset.answers)) {
    if (metric === 'citationsExact') add(metric, shareExact(value));
    else if (metric === 'abstention') entries(value).forEach(([name, inner]) => add(`${metric}.${name}`, inner));
    else add(metric, value);
  }
  for (const [kind, figuresOfKind] of entries(preset.byKind)) {
    for (const [metric, value] of entries(figuresOfKind)) {
      if (metric !== 'questions') add(`byKind.${kind}.${metric}`, value);
    }
  }
  for (const [name, value] of entries(preset.latencyMs)) if (name === 'p95') add(LATENCY, value);
  return found;
}

const entries = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : [];

function shareExact(exact: unknown): Figure {
  const { checked, equal } = (exact ?? {}) as { readonly checked?: unknown; readonly equal?: unknown };
  return typeof checked === 'number' && typeof equal === 'number' && checked > 0 ? equal / checked : null;
}
