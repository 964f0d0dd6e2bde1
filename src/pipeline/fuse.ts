/**
 * Several ranked lists become one. Scores of different legs are not comparable; only this file combines them.
 * RRF: Cormack et al. 2009. Weighted min–max and the weights by coverage: measured, see `docs/how-it-works.md`.
 */
import type { FuseSettings } from '../core/settings.ts';
import type { StageScore } from '../core/types.ts';
import type { Leg } from './plan.ts';
import type { Run } from './retrieve.ts';

export interface FusedHit {
  readonly chunkId: string;
  readonly score: number;
  /** What each leg said of it, in the order of the legs. */
  readonly scores: readonly StageScore[];
}

/**
 * Neither the order of the runs matters, nor runs that found nothing.
 *
 * @param depth Only so many hits of each list score; in min–max the last of them counts as 0. What a deeper search
 *   adds comes behind them, so that it ranks like a shallow one.
 */
export function fuse(runs: readonly Run[], settings: FuseSettings, depth: number): FusedHit[] {
  const lists = LEGS.flatMap((leg) => runs.filter((run) => run.leg === leg && run.hits.length > 0));
  const weights = settings.method === 'coverage' ? weightsByCoverage(lists) : settings.weights;
  const found = new Map<string, Entry>();
  for (const run of lists) {
    const contribution =
      settings.method === 'rrf'
        ? reciprocalRank(settings.k)
        : minMax(run, depth, lists.length === 1 ? 1 : weights[run.leg]);
    run.hits.forEach((hit, index) => {
      const entry = found.get(hit.chunkId) ?? { chunkId: hit.chunkId, score: 0, tie: 0, behind: 0, scores: [] };
      const rank = index + 1;
      if (rank <= depth) {
        entry.score += contribution(hit.score, rank);
        entry.tie += 1 / (60 + rank);
      } else entry.behind += 1 / (60 + rank);
      entry.scores.push({ stage: run.leg, rank, score: hit.score });
      found.set(hit.chunkId, entry);
    });
  }
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

const NONE = { sparse: 0, lateInteraction: 0, also: [] };

const LEGS: readonly Leg[] = ['keyword', 'dense', 'heading'];

const reciprocalRank =
  (k: number) =>
  (_score: number, rank: number): number =>
    1 / (k + rank);

/** (s − floor) / (best − floor), at least 0; a keyword list that ends early has found all there is: its floor is 0. */
function minMax(run: Run, depth: number, weight: number): (score: number) => number {
  const best = run.hits[0]?.score ?? 0;
  const last = run.hits[Math.min(depth, run.hits.length) - 1]?.score ?? 0;
  const floor = run.leg === 'keyword' && run.hits.length < depth ? 0 : last;
  const range = best - floor;
  // A list of zeros (no chunk has a heading) says nothing; one of equal scores says the same of all.
  return (score) => weight * (range > 0 ? Math.max(0, (score - floor) / range) : Number(best > 0));
}

/**
 * The fewer of the question's known words any one of the first keyword hits holds, the more the vectors count:
 * w = .2 + .6 (1 − coverage), shared .65 / .35 between text and headings.
 */
function weightsByCoverage(runs: readonly Run[]): FuseSettings['weights'] {
  const keyword = runs.find((run) => run.leg === 'keyword');
  const coverage = Math.max(0, ...(keyword?.coverage ?? []).slice(0, 3));
  const dense = 0.2 + 0.6 * (1 - coverage);
  return { ...NONE, keyword: 1 - dense, dense: 0.65 * dense, heading: 0.35 * dense };
}
