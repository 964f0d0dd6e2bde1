/** The legs are run, step by step where the plan has steps; what is too far away is left out. */
import type { CallOptions, LegRun } from '../core/contracts.ts';
import { lateInteractionRun } from './late-interaction-leg.ts';
import type { LegKind } from './legs.ts';
import type { SearchParts } from './parts.ts';
import type { Plan, PlannedStep } from './plan.ts';
import { aboveThreshold } from './threshold.ts';
import type { Withheld } from './threshold.ts';

export interface Run extends LegRun {
  readonly leg: string;
  readonly kind: LegKind;
  readonly weight: number;
  /** 1, or less for a leg that searches what was added to the question. */
  readonly share: number;
}

export interface StepResult {
  readonly step: PlannedStep;
  readonly runs: readonly Run[];
  /** What the threshold left out. */
  readonly withheld: readonly Withheld[];
}

/** One result for each step that was taken. A step is taken when the ones before found fewer than it says. */
export async function retrieve(plan: Plan, parts: SearchParts, options: CallOptions = {}): Promise<StepResult[]> {
  const results: StepResult[] = [];
  const found = new Set<string>();
  for (const step of plan.steps) {
    if (step.whenFewerThan !== null && found.size >= step.whenFewerThan) continue;
    const result = await runStep(plan, step, parts, options);
    results.push(result);
    const ids = new Set(result.runs.flatMap(({ hits }) => hits.map(({ chunkId }) => chunkId)));
    for (const id of [...ids].filter((each) => !found.has(each)).slice(0, step.topK ?? Infinity)) found.add(id);
  }
  return results;
}

/** All legs at once; then, if wanted, the comparison word by word of what they found. */
async function runStep(plan: Plan, step: PlannedStep, parts: SearchParts, options: CallOptions): Promise<StepResult> {
  const legs = await Promise.all(
    step.legs.map(async ({ query, ...leg }) => ({
      ...leg,
      ...(await parts.store.search(query, options)),
    })),
  );
  const { runs, withheld } = await aboveThreshold(legs, parts);
  const { retrieve: settings, fuse } = parts.settings;
  if (!settings.lateInteraction || fuse.weights.lateInteraction === 0) return { step, runs, withheld };
  const compared = await lateInteractionRun(plan.query, runs, plan.depth, parts, options);
  return { step, runs: [...runs, { ...compared, weight: fuse.weights.lateInteraction }], withheld };
}

/** The runs of all steps: what confidence and explanations look at. */
export const allRuns = (results: readonly StepResult[]): readonly Run[] => results.flatMap(({ runs }) => runs);
