/** What `--explain` shows: for each stage its settings, its candidates with rank and score, and its time. */
import type { Explanation } from '../core/results.ts';
import type { Hit } from '../core/types.ts';
import { assess } from './confidence.ts';
import type { FusedHit } from './fuse.ts';
import type { SearchParts } from './parts.ts';
import type { Plan } from './plan.ts';
import type { Run } from './retrieve.ts';

const SHOWN = 30;

export async function explain(
  plan: Plan,
  runs: readonly Run[],
  fused: readonly FusedHit[],
  hits: readonly Hit[],
  parts: SearchParts,
  timings: Readonly<Record<string, number>>,
): Promise<Explanation> {
  const shown = new Set(
    [...runs.flatMap((run) => run.hits.slice(0, SHOWN)), ...fused.slice(0, SHOWN)].map((hit) => hit.chunkId),
  );
  const chunks = new Map((await parts.store.chunks([...shown])).map((chunk) => [chunk.id, chunk]));
  const candidates = (
    list: readonly { readonly chunkId: string; readonly score: number }[],
  ): Explanation['stages'][number]['candidates'] =>
    list.slice(0, SHOWN).map(({ chunkId, score }, index) => {
      const chunk = chunks.get(chunkId);
      return {
        chunkId,
        path: chunk?.path ?? '',
        section: chunk?.headingPath.join(' > ') ?? '',
        rank: index + 1,
        score,
      };
    });
  const merged = hits.filter((hit) => hit.alsoAt.length > 0).map((hit) => ({ uri: hit.chunk.uri, alsoAt: hit.alsoAt }));
  const { confidence, answerable, features } = assess(plan.query, runs, hits, parts);
  return {
    stages: [
      {
        stage: 'plan',
        milliseconds: timings['plan'] ?? 0,
        detail: { query: plan.query, mode: plan.mode, legs: plan.legs.map(({ leg }) => leg) },
        candidates: [],
      },
      ...runs.map((run) => ({
        stage: run.leg,
        milliseconds: timings['retrieve'] ?? 0,
        detail: {
          hits: run.hits.length,
          ...(run.terms === undefined ? {} : { terms: run.terms }),
          ...(run.coverage === undefined ? {} : { coverage: run.coverage }),
        },
        candidates: candidates(run.hits),
      })),
      {
        stage: 'fuse',
        milliseconds: timings['fuse'] ?? 0,
        detail: { ...plan.fuse, candidates: fused.length },
        candidates: candidates(fused),
      },
      {
        stage: 'merge',
        milliseconds: timings['load'] ?? 0,
        detail: { returned: hits.length, merged },
        candidates: candidates(hits.map((hit) => ({ chunkId: hit.chunk.id, score: hit.score }))),
      },
      {
        stage: 'confidence',
        milliseconds: 0,
        detail: { confidence, answerable, threshold: parts.settings.confidence.threshold, ...features },
        candidates: [],
      },
    ],
  };
}
