/** Which stage lost a document, and which setting would bring it back: `--why-not URI`. */
import type { DocumentSummary } from '../core/contracts.ts';
import { matchesFilter } from '../core/filter.ts';
import type { SearchRequest, WhyNot } from '../core/results.ts';
import type { Chunk } from '../core/types.ts';
import { fuseSteps } from './fuse.ts';
import type { SearchParts } from './parts.ts';
import { plan } from './plan.ts';
import { allRuns, retrieve } from './retrieve.ts';
import type { StepResult } from './retrieve.ts';
import type { Trace } from './trace.ts';

/** Deep enough to rank nearly anything that matches at all. */
const DEEP = 10_000;

export async function whyNot(uri: string, request: SearchRequest, trace: Trace, parts: SearchParts): Promise<WhyNot> {
  const { store } = parts;
  const summary = documentAt(uri, await store.documents());
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
  const deep = await deepSteps(request, parts);
  const ranks = ranksOf(summary, chunks, trace, deep);
  const returned = ranks['returned'] ?? null;
  if (returned !== null)
    return {
      uri: summary.uri,
      verdict: 'returned',
      stage: null,
      reason: `it is hit ${String(returned)}`,
      ranks,
      setting: null,
    };
  return { uri: summary.uri, verdict: 'lost', ranks, ...reasonOf(chunks, ranks, request, trace, parts) };
}

/** By address as it is or decoded, or by path. */
function documentAt(uri: string, documents: readonly DocumentSummary[]): DocumentSummary | undefined {
  const wanted = uri.normalize('NFC');
  return documents.find((each) => each.uri === wanted || each.path === wanted || decoded(each.uri) === wanted);
}

async function deepSteps(request: SearchRequest, parts: SearchParts): Promise<readonly StepResult[]> {
  const { query, mode, alpha, filter } = request;
  const deep: SearchRequest = {
    query,
    ...(mode === undefined ? {} : { mode }),
    ...(alpha === undefined ? {} : { alpha }),
    ...(filter === undefined ? {} : { filter }),
  };
  return retrieve(await plan(deep, parts, DEEP), parts);
}

/** Best rank of any of its chunks: in each leg and after fusion as deep as can be, then as this search had it. */
function ranksOf(
  summary: DocumentSummary,
  chunks: readonly Chunk[],
  trace: Trace,
  deep: readonly StepResult[],
): Record<string, number | null> {
  const own = new Set(chunks.map(({ id }) => id));
  const rankIn = <T>(list: readonly T[], isOwn: (item: T) => boolean): number | null => {
    const index = list.findIndex(isOwn);
    return index < 0 ? null : index + 1;
  };
  const byChunk = ({ chunkId }: { readonly chunkId: string }): boolean => own.has(chunkId);
  const byHit = ({ chunk, alsoAt }: Trace['hits'][number]): boolean =>
    chunk.documentId === summary.id || alsoAt.includes(summary.uri);
  const ranks: Record<string, number | null> = {};
  for (const { leg, hits } of allRuns(deep)) {
    const [before, now] = [ranks[leg] ?? null, rankIn(hits, byChunk)];
    ranks[leg] = before === null ? now : Math.min(before, now ?? before);
  }
  return {
    ...ranks,
    fuse: rankIn(fuseSteps(deep, trace.plan.fuse, trace.plan.depth), byChunk),
    adjust: rankIn(trace.adjusted.hits, byChunk),
    merge: rankIn(trace.loaded, byHit),
    rerank: rankIn(trace.reranked.hits, byHit),
    returned: rankIn(trace.hits, byHit),
  };
}

/** The first stage that lost it, in the order of the stages. */
function reasonOf(
  chunks: readonly Chunk[],
  ranks: Readonly<Record<string, number | null>>,
  { filter }: SearchRequest,
  { plan: planned, steps }: Trace,
  { settings }: SearchParts,
): Pick<WhyNot, 'stage' | 'reason' | 'setting'> {
  const lost = (stage: string, reason: string, setting: string | null): ReturnType<typeof reasonOf> => ({
    stage,
    reason,
    setting,
  });
  if (chunks.length === 0) return lost('chunk', 'the document has no text to search (empty, or a draft)', null);
  if (filter !== undefined && !chunks.some((chunk) => matchesFilter(chunk, filter)))
    return lost('filter', 'the filter leaves it out', '--filter');
  const open = planned.steps.filter(
    (step) => step.filter === undefined || chunks.some((chunk) => matchesFilter(chunk, step.filter ?? {})),
  );
  if (open.length === 0)
    return lost(
      'route',
      `the route ${planned.route ?? 'of the question'} searches other documents`,
      routeSetting(planned.route),
    );
  if (!open.some((step) => steps.some((taken) => taken.step.legs === step.legs)))
    return lost('route', 'the steps before its own had found enough', 'query.routes: whenFewerThan');
  const own = new Set(chunks.map(({ id }) => id));
  const withheld = steps.flatMap((step) => step.withheld).find((hit) => own.has(hit.chunkId) && !hit.secondChance);
  if (ranks['fuse'] === null && withheld !== undefined)
    return lost(
      'threshold',
      `its best cosine is ${withheld.score.toFixed(3)}, below ${String(settings.adjust.minCosine)}`,
      `adjust.minCosine (now ${String(settings.adjust.minCosine)})`,
    );
  if (ranks['fuse'] === null)
    return lost('retrieve', 'no leg found it: it shares no word with the question and its vector is far away', null);
  if (ranks['adjust'] === null)
    return lost(
      'retrieve',
      `no leg ranks it within its first ${String(planned.depth)}`,
      `retrieve.depth (now ${String(planned.depth)})`,
    );
  if (ranks['merge'] !== null && ranks['merge'] !== undefined && ranks['merge'] <= planned.top)
    return lost(
      'rerank',
      `it was ${String(ranks['merge'])} before reranking, and ${String(ranks['rerank'])} after`,
      'rerank.use: none, rerank.weight, or adjust.diversity: 1',
    );
  const rank = ranks['merge'] ?? ranks['adjust'] ?? ranks['fuse'];
  return lost(
    'top',
    `its best chunk has rank ${String(rank)}; ${String(planned.top)} hits are shown`,
    `--top ${String(rank)}`,
  );
}

const routeSetting = (route: string | null): string =>
  route === null ? 'query.filters: false' : `query.routes: ${route}`;

function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}
