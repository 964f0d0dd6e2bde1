/** What `--explain` shows: for each stage its settings, its candidates with rank, score and reason, and its time. */
import type { Explanation } from '../core/results.ts';
import type { Hit } from '../core/types.ts';
import { assess } from './confidence.ts';
import type { SearchParts } from './parts.ts';
import { allRuns } from './retrieve.ts';
import type { Run, StepResult } from './retrieve.ts';
import type { Trace } from './trace.ts';

const SHOWN = 30;

type Stage = Explanation['stages'][number];
type Scored = { readonly chunkId: string; readonly score: number; readonly reason?: string };

export async function explain(trace: Trace, parts: SearchParts): Promise<Explanation> {
  const { plan, steps, fused, adjusted, loaded, reranked, hits, timings } = trace;
  const { settings } = parts;
  const runs = allRuns(steps);
  const chunks = await chunksOf([...runs.map(({ hits: found }) => found), fused, withheldOf(steps)], parts);
  const stage = (name: string, time: string, detail: Stage['detail'], list: readonly Scored[] = []): Stage => ({
    stage: name,
    milliseconds: timings[time] ?? 0,
    detail,
    candidates: list.slice(0, SHOWN).map(({ chunkId, score, reason }, index) => {
      const chunk = chunks.get(chunkId);
      return {
        chunkId,
        path: chunk?.path ?? '',
        section: chunk?.headingPath.join(' > ') ?? '',
        rank: index + 1,
        score,
        ...(reason === undefined ? {} : { reason }),
      };
    }),
  });
  const { confidence, answerable, features } = assess(plan.query, runs, hits, parts);
  const merged = loaded
    .filter((hit) => hit.alsoAt.length > 0)
    .map((hit) => ({ uri: hit.chunk.uri, alsoAt: hit.alsoAt }));
  return {
    stages: [
      stage('plan', 'plan', {
        query: plan.query,
        mode: plan.mode,
        ...plan.analysis,
        route: plan.route,
        clarification: plan.clarification,
        expansions: plan.expansion.queries,
        steps: plan.steps.map(({ filter, topK, whenFewerThan, legs }) => ({
          taken: steps.some(({ step }) => step.legs === legs),
          ...(filter === undefined ? {} : { filter }),
          topK,
          whenFewerThan,
          legs: legs.map(({ leg }) => leg),
        })),
      }),
      ...steps.flatMap(({ runs: own }, step) =>
        own.map((run) => stage(stageName(run, step, steps), 'retrieve', runDetail(run, parts), run.hits)),
      ),
      ...(settings.adjust.minCosine === null
        ? []
        : [
            stage(
              'threshold',
              'retrieve',
              {
                minCosine: settings.adjust.minCosine,
                model: settings.adjust.minCosineModel,
                below: withheldOf(steps).length,
              },
              withheldOf(steps),
            ),
          ]),
      stage('fuse', 'fuse', { ...plan.fuse, weights: weightsOf(runs), candidates: fused.length }, fused),
      stage(
        'adjust',
        'adjust',
        { adjusted: adjusted.factors.size },
        adjusted.hits.map((hit) => {
          const reasons = adjusted.factors.get(hit.chunkId)?.reasons;
          return reasons === undefined ? hit : { ...hit, reason: reasons.join(', ') };
        }),
      ),
      stage('merge', 'load', { loaded: loaded.length, merged }, loaded.map(scored)),
      stage(
        'rerank',
        'rerank',
        { model: reranked.model, candidates: reranked.candidates, skipped: reranked.skipped },
        reranked.hits.map(scored),
      ),
      stage('diversify', 'diversify', { lambda: settings.adjust.diversity, returned: hits.length }, hits.map(scored)),
      stage('confidence', 'confidence', {
        confidence,
        answerable,
        threshold: settings.confidence.threshold,
        ...features,
      }),
    ],
  };
}

const scored = (hit: Hit): Scored => ({ chunkId: hit.chunk.id, score: hit.score });

const withheldOf = (steps: readonly StepResult[]): readonly Scored[] =>
  steps.flatMap(({ withheld }) =>
    withheld.map(({ leg, chunkId, score, secondChance }) => ({
      chunkId,
      score,
      reason: secondChance ? `${leg}: kept, its neighbour is above` : `${leg}: left out`,
    })),
  );

/** The same leg in several steps of a route is told apart. */
const stageName = ({ leg }: Run, step: number, steps: readonly StepResult[]): string =>
  steps.length > 1 ? `${leg} (step ${String(step + 1)})` : leg;

const runDetail = (run: Run, parts: SearchParts): Stage['detail'] => ({
  hits: run.hits.length,
  weight: run.weight * run.share,
  ...(run.kind === 'dense' ? { model: modelOf(run, parts) } : {}),
  ...(run.terms === undefined ? {} : { terms: run.terms }),
  ...(run.coverage === undefined ? {} : { coverage: run.coverage }),
});

/** Whose vectors a leg compared: an index may have adapted the built-in model. */
function modelOf({ leg }: Run, { embedder, also }: SearchParts): string | undefined {
  const [space] = leg.split(' ');
  return (also.find(({ name }) => name === space)?.embedder ?? embedder)?.model;
}

const weightsOf = (runs: readonly Run[]): Readonly<Record<string, number>> =>
  Object.fromEntries(runs.map(({ leg, weight, share }) => [leg, weight * share]));

async function chunksOf(
  lists: readonly (readonly Scored[])[],
  { store }: SearchParts,
): Promise<ReadonlyMap<string, Hit['chunk']>> {
  const shown = new Set(lists.flatMap((list) => list.slice(0, SHOWN).map(({ chunkId }) => chunkId)));
  return new Map((await store.chunks([...shown])).map((chunk) => [chunk.id, chunk]));
}
