/** question → plan → retrieve → fuse → hits: the first half of an answer, and the whole of `search`. */
import type { CallOptions } from '../core/contracts.ts';
import type { SearchRequest, SearchResult } from '../core/results.ts';
import { explain } from './explain.ts';
import { fuse } from './fuse.ts';
import { loadHits } from './hits.ts';
import { inOneGeneration } from './one-generation.ts';
import type { SearchParts } from './parts.ts';
import { plan } from './plan.ts';
import { retrieve } from './retrieve.ts';
import { stopwatch } from './stopwatch.ts';
import { whyNot } from './why-not.ts';

export function search(request: SearchRequest, parts: SearchParts, options: CallOptions = {}): Promise<SearchResult> {
  return inOneGeneration(parts.store, () => searchOnce(request, parts, options));
}

async function searchOnce(request: SearchRequest, parts: SearchParts, options: CallOptions): Promise<SearchResult> {
  const watch = stopwatch();
  const most = request.distinctDocuments ?? request.top ?? parts.settings.retrieve.topK;
  for (let depth = Math.max(most, parts.settings.retrieve.depth); ; depth *= 4) {
    const planned = await watch.time('plan', () => plan(request, parts, depth, options));
    const runs = await watch.time('retrieve', () => retrieve(planned, parts.store, options));
    const fused = await watch.time('fuse', () => fuse(runs, planned.fuse, planned.depth));
    const hits = await watch.time('load', () =>
      loadHits(fused, parts.store, { top: planned.top, distinctDocuments: request.distinctDocuments }),
    );
    const found =
      request.distinctDocuments === undefined ? hits.length : new Set(hits.map((hit) => hit.chunk.documentId)).size;
    // Deeper when merging or one large document used the lists up; not when the legs have nothing more.
    if (found < most && runs.some((run) => run.hits.length >= depth) && depth < MAX_DEPTH) continue;
    return {
      query: planned.query,
      hits,
      timings: watch.timings(),
      warnings: [...planned.warnings, ...parts.warnings],
      ...(request.explain === true
        ? { explanation: await explain(planned, runs, fused, hits, parts, watch.timings()) }
        : {}),
      ...(request.whyNot === undefined
        ? {}
        : { whyNot: await whyNot(request.whyNot, request, planned, runs, hits, parts) }),
    };
  }
}

const MAX_DEPTH = 100_000;
