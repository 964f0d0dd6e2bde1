/** The question becomes the queries of each leg: what to search, how deep, and how the lists will be fused. */
import type { CallOptions, StoreQuery } from '../core/contracts.ts';
import { RagError } from '../core/errors.ts';
import type { SearchRequest } from '../core/results.ts';
import type { FuseSettings, SearchMode } from '../core/settings.ts';
import type { Warning } from '../core/types.ts';
import type { SearchParts } from './parts.ts';

export type Leg = 'keyword' | 'dense' | 'heading';

export interface Plan {
  readonly query: string;
  readonly mode: SearchMode;
  readonly legs: readonly { readonly leg: Leg; readonly query: StoreQuery }[];
  readonly fuse: FuseSettings;
  /** Length of the lists that min–max normalises over, whatever the depth of this search. */
  readonly depth: number;
  readonly top: number;
  readonly warnings: readonly Warning[];
}

const MAX_QUESTION_CHARS = 100_000;

/** @param depth How many hits each leg returns; at least the settings' own. */
export async function plan(
  request: SearchRequest,
  parts: SearchParts,
  depth: number,
  options: CallOptions = {},
): Promise<Plan> {
  const { settings, embedder } = parts;
  const query = request.query.trim();
  if (query === '')
    throw new RagError('question-invalid', 'the question is empty', {
      hint: 'ask in words: footnote ask "How do I …?"',
    });
  if (query.length > MAX_QUESTION_CHARS) {
    throw new RagError(
      'question-invalid',
      `the question has ${String(query.length)} characters; at most ${String(MAX_QUESTION_CHARS)} are read`,
      { hint: 'ask a shorter question' },
    );
  }
  const warnings: Warning[] = [];
  const alpha = request.alpha ?? settings.fuse.alpha;
  let mode = request.mode ?? (alpha === 1 ? 'dense' : alpha === 0 ? 'keyword' : settings.retrieve.mode);
  if (embedder === undefined && mode !== 'keyword') {
    if (mode === 'dense')
      throw new RagError('setting-invalid', 'this index has no vectors to search', {
        hint: 'use --mode keyword, or set embed.use and run footnote ingest --rebuild',
      });
    warnings.push({ code: 'no-dense-leg', message: 'this index has no vectors: only keywords are searched' });
    mode = 'keyword';
  }
  const topK = Math.max(depth, settings.retrieve.depth);
  const filter = request.filter === undefined ? {} : { filter: request.filter };
  const legs: Plan['legs'][number][] = [];
  if (mode !== 'dense')
    legs.push({ leg: 'keyword', query: { leg: 'keyword', text: query, ...settings.retrieve.bm25, topK, ...filter } });
  if (mode !== 'keyword' && embedder !== undefined) {
    const [vector] = await embedder.embed([query], 'query', options);
    if (vector === undefined) throw new RagError('internal', 'the embedder returned no vector');
    legs.push({ leg: 'dense', query: { leg: 'dense', space: 'dense', vector, topK, ...filter } });
    if (settings.embed.headings && settings.fuse.weights.heading > 0) {
      legs.push({ leg: 'heading', query: { leg: 'dense', space: 'heading', vector, topK, ...filter } });
    }
  }
  const fuse =
    alpha === null
      ? settings.fuse
      : { ...settings.fuse, method: 'weighted' as const, weights: withAlpha(settings.fuse.weights, alpha) };
  return {
    query,
    mode,
    legs,
    fuse,
    depth: settings.retrieve.depth,
    top: request.top ?? settings.retrieve.topK,
    warnings,
  };
}

/** The dense legs together get `alpha`, in their own proportion; the keyword leg gets the rest. */
function withAlpha(weights: FuseSettings['weights'], alpha: number): FuseSettings['weights'] {
  const dense = weights.dense + weights.heading;
  const share = dense > 0 ? weights.dense / dense : 1;
  return { ...weights, keyword: 1 - alpha, dense: alpha * share, heading: alpha * (1 - share) };
}
