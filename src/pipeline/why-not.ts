/** Which stage lost a document: `--why-not URI`. */
import { matchesFilter } from '../core/filter.ts';
import type { SearchRequest, WhyNot } from '../core/results.ts';
import type { Hit } from '../core/types.ts';
import { fuse } from './fuse.ts';
import type { SearchParts } from './parts.ts';
import type { Plan } from './plan.ts';
import { plan } from './plan.ts';
import type { Run } from './retrieve.ts';
import { retrieve } from './retrieve.ts';

/** Deep enough to rank nearly anything that matches at all. */
const DEEP = 10_000;

export async function whyNot(
  uri: string,
  request: SearchRequest,
  planned: Plan,
  runs: readonly Run[],
  hits: readonly Hit[],
  parts: SearchParts,
): Promise<WhyNot> {
  const { store } = parts;
  const wanted = uri.normalize('NFC');
  const summary = (await store.documents()).find(
    (d) => d.uri === wanted || d.path === wanted || decoded(d.uri) === wanted,
  );
  if (summary === undefined) {
    return {
      uri,
      verdict: 'not-indexed',
      stage: 'ingest',
      reason: 'no document of the index has this address',
      ranks: {},
      setting: 'footnote status lists what is indexed',
    };
  }
  const chunks = await store.neighbours(summary.id, 0, summary.chunks);
  const own = new Set(chunks.map((chunk) => chunk.id));
  const rankIn = (list: readonly { readonly chunkId: string }[]): number | null => {
    const index = list.findIndex((hit) => own.has(hit.chunkId));
    return index < 0 ? null : index + 1;
  };
  const returned = hits.findIndex((hit) => hit.chunk.documentId === summary.id || hit.alsoAt.includes(summary.uri));
  const unfiltered: SearchRequest = {
    query: request.query,
    ...(request.mode === undefined ? {} : { mode: request.mode }),
    ...(request.alpha === undefined ? {} : { alpha: request.alpha }),
  };
  const deepPlan = await plan(
    request.filter === undefined ? unfiltered : { ...unfiltered, filter: request.filter },
    parts,
    DEEP,
  );
  const deepRuns = await retrieve(deepPlan, store);
  const deepFused = fuse(deepRuns, deepPlan.fuse, deepPlan.depth);
  const ranks: Record<string, number | null> = Object.fromEntries(deepRuns.map((run) => [run.leg, rankIn(run.hits)]));
  ranks['fuse'] = rankIn(deepFused);
  ranks['merge'] = returned < 0 ? null : returned + 1;
  const lost = (stage: string, reason: string, setting: string | null): WhyNot => ({
    uri: summary.uri,
    verdict: 'lost',
    stage,
    reason,
    ranks,
    setting,
  });

  if (returned >= 0)
    return {
      uri: summary.uri,
      verdict: 'returned',
      stage: null,
      reason: `it is hit ${String(returned + 1)}`,
      ranks,
      setting: null,
    };
  if (chunks.length === 0) return lost('chunk', 'the document has no text to search (empty, or a draft)', null);
  const { filter } = request;
  if (filter !== undefined && !chunks.some((chunk) => matchesFilter(chunk, filter)))
    return lost('filter', 'the filter leaves it out', '--filter');
  if (ranks['fuse'] === null)
    return lost('retrieve', 'no leg found it: it shares no word with the question and its vector is far away', null);
  const inLegs = runs.some((run) => rankIn(run.hits) !== null);
  if (!inLegs)
    return lost(
      'retrieve',
      `no leg ranks it within its first ${String(planned.depth)}`,
      `retrieve.depth (now ${String(planned.depth)})`,
    );
  return lost(
    'top',
    `its best chunk has rank ${String(ranks['fuse'])} after fusion; ${String(planned.top)} hits are shown`,
    `--top ${String(ranks['fuse'])}`,
  );
}

function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}
