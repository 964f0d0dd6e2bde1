import { resolveSettings } from '../../config/resolve.ts';
import { RagError } from '../../core/errors.ts';
import type { Settings } from '../../core/settings.ts';
import { evaluatePresets } from '../../evaluate-presets.ts';
import { bestVariant } from '../../evaluation/best.ts';
import { allPairs } from '../../evaluation/compare.ts';
import type { Evaluation } from '../../evaluation/evaluate.ts';
import { gateAgainst, gateDesign, readBaseline } from '../../evaluation/gate.ts';
import { formatEvaluation } from '../../evaluation/table.ts';
import type { BestPoint, EvaluationReport, GateResult } from '../../evaluation/types.ts';
import type { Grid } from '../../vary.ts';
import { findIndexFolder } from '../../workspace.ts';
import { preparePage } from '../evaluation-page.ts';
import { interruptible } from '../interrupt.ts';
import type { GlobalOptions } from '../options.ts';
import { noteWarning, writeJson, writeOut } from '../output.ts';
import { terminalProgress } from '../progress.ts';
import { indexOption, openSession } from '../session.ts';

interface EvalOptions extends GlobalOptions {
  readonly vary?: readonly string[];
  readonly gate?: string;
  readonly html?: string;
  readonly perQuestion?: boolean;
}

const STOPPED = 'stopped; indexes that were built for the evaluation are kept, and used by the next footnote eval';

/** Exit code 1: the gate failed. */
export async function evaluateCommand(target: string, options: EvalOptions): Promise<number> {
  if (options.perQuestion === true && options.json !== true) {
    throw new RagError('setting-invalid', '--per-question is part of the JSON', {
      hint: 'footnote eval FILE --json --per-question',
    });
  }
  // What is wrong with the gate or the grid is said before anything is measured.
  const gate = await gateOf(options.gate);
  const { folder } = findIndexFolder(process.cwd(), indexOption(options));
  const grid = await gridOf(options);
  const page = options.html === undefined ? undefined : await preparePage(options.html, target, grid, options);
  const progress = terminalProgress();
  const evaluation = await interruptible(STOPPED, (signal) =>
    evaluatePresets({
      target,
      folder,
      presets: grid.presets,
      pairs: grid.pairs,
      optional: new Set(
        grid.varied.flatMap(({ baseline, points }) => [...points.keys()].filter((n) => n !== baseline)),
      ),
      signal,
      ...page,
      onIngest({ source, done, total }) {
        progress.update(`indexing ${source}`, done, total);
      },
      onProgress({ preset, done, total }) {
        progress.update(`${preset}: questions`, done, total);
      },
    }),
  ).finally(progress.clear);
  const report = await completed(evaluation.report, grid, gate);
  await page?.write({ ...evaluation, report });
  if (options.json === true) {
    await writeJson(options.perQuestion === true ? withQuestions(report, evaluation.results) : report);
  } else {
    report.warnings.forEach(noteWarning);
    await writeOut(formatEvaluation(report));
  }
  return report.gate?.passed === false ? 1 : 0;
}

type Gate = (report: EvaluationReport) => GateResult;

async function gateOf(name: string | undefined): Promise<Gate | undefined> {
  if (name === undefined || name === 'design') return name === undefined ? undefined : gateDesign;
  const baseline = await readBaseline(name);
  return (report) => gateAgainst(baseline, report);
}

async function gridOf(options: EvalOptions): Promise<Grid> {
  const presets = await presetsOf(options);
  // The schema takes a while to load: only where it is needed.
  if (options.vary !== undefined) return (await import('../../vary.ts')).varyPresets(presets, options.vary);
  const named = [...new Map(presets.map((settings) => [settings.preset, settings]))];
  return {
    presets: named.map(([name, settings]) => ({ name, settings })),
    pairs: allPairs(named.map(([name]) => name)),
    varied: [],
    warnings: [],
  };
}

async function completed(report: EvaluationReport, grid: Grid, gate: Gate | undefined): Promise<EvaluationReport> {
  return {
    ...report,
    warnings: [...grid.warnings, ...report.warnings],
    ...(grid.varied.length === 0 ? {} : { vary: await bestPoints(report, grid) }),
    ...(gate === undefined ? {} : { gate: gate(report) }),
  };
}

async function bestPoints(report: EvaluationReport, { varied }: Grid): Promise<BestPoint[]> {
  const { settingsToPaste } = await import('../../vary.ts');
  return varied.flatMap(({ baseline, points }) => {
    const found = bestVariant(report, baseline, [...points.keys()]);
    if (found === undefined) return [];
    const settings = points.get(found.best) ?? new Map<string, unknown>();
    return [{ ...found, settings: Object.fromEntries(settings), ...settingsToPaste(settings) }];
  });
}

/** What every figure was computed from, for other programs. */
function withQuestions(report: EvaluationReport, results: Evaluation['results']): unknown {
  const presets = Object.entries(report.presets).map(([name, preset]) => {
    return [name, { ...preset, perQuestion: results.get(name) }] as const;
  });
  return { ...report, presets: Object.fromEntries(presets) };
}

/** Presets that are named are measured as they are, on an index of their own; without one it is the index as it is. */
async function presetsOf(options: GlobalOptions): Promise<readonly Settings[]> {
  const names = (options.preset ?? '').split(',').flatMap((name) => name.trim() || []);
  if (names.length === 0)
    return [(await openSession({ ...options, preset: undefined }, { index: false })).resolved.settings];
  const request = { cwd: process.cwd(), env: process.env, addsSources: false };
  const resolved = await Promise.all(
    names.map((preset) =>
      resolveSettings({ ...request, flags: { preset, config: options.config, asDesigned: options.asDesigned } }),
    ),
  );
  // Each says the same of the same environment.
  resolved[0]?.warnings.forEach(noteWarning);
  return resolved.map(({ settings }) => settings);
}
