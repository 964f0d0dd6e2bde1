/** question → plan → retrieve → fuse → adjust → load → rerank → diversify: the first half of an answer, and `search`. */
import type { CallOptions } from '../core/contracts.ts';
import type { SearchRequest, SearchResult } from '../core/results.ts';
import { adjust } from './adjust.ts';
import { diversify } from './diversify.ts';
import { explain } from './explain.ts';
import { fuseSteps } from './fuse.ts';
import { loadHits } from './hits.ts';
import { inOneGeneration } from './one-generation.ts';
import type { SearchParts } from './parts.ts';
import { plan } from './plan.ts';
import { candidatesWanted, rerank } from './rerank.ts';
import { retrieve } from './retrieve.ts';
import { stopwatch } from './stopwatch.ts';
import { thresholdWarnings } from './threshold.ts';
import type { Trace } from './trace.ts';
import { whyNot } from './why-not.ts';

export function search(request: SearchRequest, parts: SearchParts, options: CallOptions = {}): Promise<SearchResult> {
  return inOneGeneration(parts.store, () => searchOnce(request, parts, options));
}

async function searchOnce(request: SearchRequest, parts: SearchParts, options: CallOptions): Promise<SearchResult> {
  const trace = await traceSearch(request, parts, options);
  const { plan: planned, reranked, hits, timings } = trace;
  return {
    query: planned.query,
    hits,
    timings,
    warnings: [...planned.warnings, ...thresholdWarnings(parts), ...reranked.warnings, ...parts.warnings],
    ...(request.explain === true ? { explanation: await explain(trace, parts) } : {}),
    ...(request.whyNot === undefined ? {} : { whyNot: await whyNot(request.whyNot, request, trace, parts) }),
  };
}

/** Everything that a search did, stage by stage. */
export async function traceSearch(
  request: SearchRequest,
  parts: SearchParts,
  options: CallOptions = {},
): Promise<Trace> {
  const { settings, store } = parts;
  const watch = stopwatch();
  const most = request.distinctDocuments ?? request.top ?? settings.retrieve.topK;
  for (let depth = Math.max(most, settings.retrieve.depth); ; depth *= 4) {
    const planned = await watch.time('plan', () => plan(request, parts, depth, options));
    const steps = await watch.time('retrieve', () => retrieve(planned, parts, options));
    const fused = await watch.time('fuse', () => fuseSteps(steps, planned.fuse, planned.depth));
    const adjusted = await watch.time('adjust', () => adjust(fused, planned.analysis, parts, options));
    const top = Math.max(planned.top, candidatesWanted(parts));
    const loaded = await watch.time('load', () =>
      loadHits(adjusted.hits, store, { top, distinctDocuments: request.distinctDocuments }),
    );
    const found =
      request.distinctDocuments === undefined ? loaded.length : new Set(loaded.map((hit) => hit.chunk.documentId)).size;
    // Deeper when merging or one large document used the lists up; not when the legs have nothing more.
    const exhausted = steps.every(({ runs }) => runs.every((run) => run.hits.length < depth));
    if (found < most && !exhausted && depth < MAX_DEPTH) continue;
    const reranked = await watch.time('rerank', () => rerank(planned, loaded, parts, options));
    const diverse = await watch.time('diversify', () =>
      diversify(reranked.hits, settings.adjust.diversity, parts.analyzer),
    );
    const hits = request.distinctDocuments === undefined ? diverse.slice(0, planned.top) : diverse;
    return { plan: planned, steps, fused, adjusted, loaded, reranked, hits, timings: watch.timings() };
  }
}

const MAX_DEPTH = 100_000;
