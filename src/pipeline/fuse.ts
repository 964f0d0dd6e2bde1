/**
 * Several ranked lists become one. Scores of different legs are not comparable; only this file combines them.
 * RRF: Cormack et al. 2009. Weighted min–max and the weights by coverage: measured, see `docs/how-it-works.md`.
 */
import type { FuseSettings } from '../core/settings.ts';
import type { StageScore } from '../core/types.ts';
import type { Run, StepResult } from './retrieve.ts';

export interface FusedHit {
  readonly chunkId: string;
  readonly score: number;
  /** What each leg said of it, in the order of the legs. */
  readonly scores: readonly StageScore[];
}

type How = Pick<FuseSettings, 'method' | 'k'>;

/**
 * The steps of a route, one behind the other: of each its first `topK`, then of each the rest. An earlier step's hits
 * stay ahead: every later one adds 1 to their score, which is more than fusion gives.
 */
export function fuseSteps(results: readonly StepResult[], how: How, depth: number): FusedHit[] {
  const lists = results.map(({ step, runs }) => {
    const fused = fuse(runs, how, depth);
    const topK = step.topK ?? fused.length;
    return { first: fused.slice(0, topK), rest: fused.slice(topK) };
  });
  const [only] = lists;
  if (lists.length < 2 && only !== undefined) return [...only.first, ...only.rest];
  const parts = [...lists.map(({ first }) => first), ...lists.map(({ rest }) => rest)];
  const seen = new Set<string>();
  return parts.flatMap((part, index) =>
    part.flatMap((hit) => {
      if (seen.has(hit.chunkId)) return [];
      seen.add(hit.chunkId);
      return [{ ...hit, score: hit.score + parts.length - 1 - index }];
    }),
  );
}

/**
 * Neither the order of the runs matters, nor runs that found nothing.
 *
 * @param depth Only so many hits of each list score; in min–max the last of them counts as 0. What a deeper search
 *   adds comes behind them, so that it ranks like a shallow one.
 */
export function fuse(runs: readonly Run[], how: How, depth: number): FusedHit[] {
  const lists = runs.filter((run) => run.hits.length > 0).sort((a, b) => compareLegs(a, b));
  const weights = WEIGHTS[how.method](lists);
  const found = new Map<string, Entry>();
  lists.forEach((run, list) => {
    const weight = lists.length === 1 ? 1 : (weights[list] as number);
    const contribution = CONTRIBUTIONS[how.method](run, depth, how.k);
    run.hits.forEach((hit, index) => {
      const entry = found.get(hit.chunkId) ?? { chunkId: hit.chunkId, score: 0, tie: 0, behind: 0, scores: [] };
      const rank = index + 1;
      if (rank <= depth) {
        entry.score += weight * contribution(hit.score, rank);
        entry.tie += 1 / (60 + rank);
      } else entry.behind += 1 / (60 + rank);
      entry.scores.push({ stage: run.leg, rank, score: hit.score });
      found.set(hit.chunkId, entry);
    });
  });
  return [...found.values()].sort(compare).map(({ chunkId, score, scores }) => ({ chunkId, score, scores }));
}

interface Entry extends FusedHit {
  score: number;
  /** Reciprocal ranks within the depth: they order equal scores. */
  tie: number;
  /** Reciprocal ranks behind it: they order what no list has within the depth. */
  behind: number;
  readonly scores: StageScore[];
}

const compare = (a: Entry, b: Entry): number =>
  b.score - a.score || b.tie - a.tie || (a.tie === 0 ? b.behind - a.behind : 0) || (a.chunkId < b.chunkId ? -1 : 1);

/** In a fixed order, so that sums come out the same whatever the order of the runs. */
const compareLegs = (a: Run, b: Run): number => order(a) - order(b) || (a.leg < b.leg ? -1 : a.leg > b.leg ? 1 : 0);

const ORDER = ['keyword', 'dense', 'heading', 'sparse', 'late-interaction'];
const order = ({ leg }: Run): number => (ORDER.includes(leg) ? ORDER.indexOf(leg) : ORDER.length);

type Contribution = (score: number, rank: number) => number;

const CONTRIBUTIONS: Readonly<Record<FuseSettings['method'], (run: Run, depth: number, k: number) => Contribution>> = {
  rrf: (_run, _depth, k) => (_score, rank) => 1 / (k + rank),
  weighted: overDepth,
  coverage: overDepth,
  'min-max': minMax,
  relative: relativeToBest,
};

const own = (runs: readonly Run[]): readonly number[] => runs.map(({ weight, share }) => weight * share);

const WEIGHTS: Readonly<Record<FuseSettings['method'], (runs: readonly Run[]) => readonly number[]>> = {
  // Ranks alone, as the formula has it; only what was expanded counts less.
  rrf: (runs) => runs.map(({ share }) => share),
  weighted: own,
  coverage: weightsByCoverage,
  'min-max': own,
  relative: own,
};

/**
 * (s − floor) / (best − floor), at least 0; the floor is the last score within the depth. A keyword list that ends
 * early has found all there is: its floor is 0.
 */
function overDepth(run: Run, depth: number): Contribution {
  const best = run.hits[0]?.score ?? 0;
  const last = run.hits[Math.min(depth, run.hits.length) - 1]?.score ?? 0;
  const floor = run.kind === 'keyword' && run.hits.length < depth ? 0 : last;
  const range = best - floor;
  // A list of zeros (no chunk has a heading) says nothing; one of equal scores says the same of all.
  return (score) => (range > 0 ? Math.max(0, (score - floor) / range) : Number(best > 0));
}

/** (s − worst) / (best − worst) over the list as it is; equal scores are 1 (seed 003 and its program). */
function minMax({ hits }: Run, depth: number): Contribution {
  const best = hits[0]?.score ?? 0;
  const worst = hits[Math.min(depth, hits.length) - 1]?.score ?? 0;
  return (score) => (best > worst ? (score - worst) / (best - worst) : 1);
}

/** Score / best score, at least 0: how far a hit is behind the first, whatever the list's length. */
function relativeToBest({ hits }: Run): Contribution {
  const best = hits[0]?.score ?? 0;
  return (score) => (best > 0 ? Math.max(0, score / best) : 0);
}

/**
 * The fewer of the question's known words any one of the first keyword hits holds, the more the vectors count:
 * w = .2 + .6 (1 − coverage), shared .65 / .35 between text and headings. Other legs keep their weight.
 */
function weightsByCoverage(runs: readonly Run[]): readonly number[] {
  const keyword = runs.find(({ leg }) => leg === 'keyword');
  const coverage = Math.max(0, ...(keyword?.coverage ?? []).slice(0, 3));
  const dense = 0.2 + 0.6 * (1 - coverage);
  const weights = new Map([
    ['keyword', 1 - dense],
    ['dense', 0.65 * dense],
    ['heading', 0.35 * dense],
  ]);
  return runs.map(({ leg, weight, share }) => weights.get(leg) ?? weight * share);
}
