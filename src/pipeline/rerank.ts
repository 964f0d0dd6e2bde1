/** A second, closer look at the best hits. It is skipped where it cannot matter, and never costs an answer. */
import type { CallOptions } from '../core/contracts.ts';
import { RagError, toPublicError } from '../core/errors.ts';
import type { Hit, Warning } from '../core/types.ts';
import { words } from '../text/words.ts';
import type { SearchParts } from './parts.ts';
import { passageText } from './passage-text.ts';
import type { Plan } from './plan.ts';
import { poolSize } from './pool.ts';

export interface Reranked {
  readonly hits: readonly Hit[];
  /** The model that reranked; null where none did. */
  readonly model: string | null;
  readonly candidates: number;
  /** Why not, where it was not done. */
  readonly skipped: string | null;
  readonly warnings: readonly Warning[];
}

export async function rerank(
  plan: Plan,
  hits: readonly Hit[],
  parts: SearchParts,
  options: CallOptions = {},
): Promise<Reranked> {
  const settings = parts.settings.rerank;
  const candidates = candidateCount(hits, parts);
  const skipped = reasonToSkip(hits, parts);
  if (skipped !== null) return { hits, model: null, candidates, skipped, warnings: [] };
  const light = words(plan.query).length < settings.lightBelowWords;
  const pool = hits.slice(0, candidates);
  const { texts, warnings } = cut(
    pool.map(({ chunk }) => passageText(chunk)),
    settings.maxChars,
  );
  try {
    const reranker = light ? await parts.lateInteraction() : await parts.reranker();
    if (reranker === undefined) return { hits, model: null, candidates, skipped: 'no reranker is set', warnings: [] };
    const scored = await reranker.rerank(plan.query, texts, { ...options, topK: texts.length });
    if (!scored.every(({ score }) => Number.isFinite(score))) throw noNumbers(reranker.model);
    return {
      hits: [...inNewOrder(pool, scored, settings.weight), ...behind(hits.slice(candidates))],
      model: reranker.model,
      candidates,
      skipped: null,
      warnings,
    };
  } catch (error) {
    options.signal?.throwIfAborted();
    const { message, hint } = toPublicError(error);
    const warning = {
      code: 'rerank-failed',
      message: `the hits are not reranked, their order is that of the search: ${message}`,
      ...(hint === undefined ? {} : { hint }),
    };
    return { hits, model: null, candidates, skipped: message, warnings: [warning] };
  }
}

/** As local cross-encoders give on some accelerators (seed 000, line 404): an order made of them would be any order. */
const noNumbers = (model: string): RagError =>
  new RagError('driver-unavailable', `${model} gave scores that are no numbers`, {
    hint: 'run it on another device: models.device: cpu',
  });

/** How many hits a search must have at hand before it ends. */
export const candidatesWanted = ({ settings }: Pick<SearchParts, 'settings'>): number =>
  settings.rerank.use === 'none' ? 0 : settings.rerank.candidates;

function candidateCount(hits: readonly Hit[], { settings }: SearchParts): number {
  const most = Math.min(settings.rerank.candidates, hits.length);
  return settings.adjust.pool === 'dynamic'
    ? poolSize(
        hits.map(({ score }) => score),
        most,
      )
    : most;
}

function reasonToSkip(hits: readonly Hit[], { settings }: SearchParts): string | null {
  const { use, skip, skipAbove } = settings.rerank;
  const [first] = hits;
  if (use === 'none') return 'no reranker is set';
  if (first === undefined || hits.length < 2) return 'there is nothing to reorder';
  if (skip === 'score' && first.score > skipAbove)
    return `the first score, ${first.score.toFixed(3)}, is above ${String(skipAbove)}`;
  if (skip === 'agreement' && agree(first)) return 'the keyword and the dense leg agree on the first hit';
  return null;
}

/** Both kinds of search have it first: a reranker has little to put right there. */
function agree({ scores }: Hit): boolean {
  const first = (stage: string): boolean => scores.some((score) => score.stage === stage && score.rank === 1);
  return first('keyword') && first('dense');
}

/** Shortened at a word's end where that is near; what was cut is told. */
function cut(
  texts: readonly string[],
  maxChars: number | null,
): { readonly texts: readonly string[]; readonly warnings: readonly Warning[] } {
  if (maxChars === null) return { texts, warnings: [] };
  const long = texts.filter((text) => text.length > maxChars).length;
  const message = `${String(long)} of ${String(texts.length)} candidates are longer than ${String(maxChars)} characters: the reranker reads their beginning`;
  return {
    texts: texts.map((text) => (text.length > maxChars ? beginning(text, maxChars) : text)),
    warnings:
      long === 0 ? [] : [{ code: 'rerank-cut', message, hint: 'rerank.maxChars: null gives it the whole text' }],
  };
}

function beginning(text: string, maxChars: number): string {
  const head = text.slice(0, maxChars);
  const space = head.lastIndexOf(' ');
  return space > 0.8 * maxChars ? head.slice(0, space) : head.replace(/[\ud800-\udbff]$/u, '');
}

/**
 * By weight × the reranker's score + (1 − weight) × the fused one, both min–max over the candidates. Hits that the
 * reranker does not name follow in their order: none is lost, none is doubled.
 */
function inNewOrder(
  pool: readonly Hit[],
  scored: readonly { readonly index: number; readonly score: number }[],
  weight: number,
): readonly Hit[] {
  const named = new Map<number, number>();
  for (const { index, score } of scored) if (pool[index] !== undefined && !named.has(index)) named.set(index, score);
  const [fusedShare, ownShare] = [minMaxOf(pool.map(({ score }) => score)), minMaxOf([...named.values()])];
  const order = [...named]
    .sort(([a, one], [b, other]) => other - one || a - b)
    .map(([index, score], rank) => {
      const hit = pool[index] as Hit;
      const value = weight * ownShare(score) + (1 - weight) * fusedShare(hit.score);
      return {
        index,
        hit: { ...hit, score: value, scores: [...hit.scores, { stage: 'rerank', rank: rank + 1, score }] },
      };
    })
    .sort((a, b) => b.hit.score - a.hit.score || a.index - b.index)
    .map(({ hit }) => hit);
  const left = pool.flatMap((hit, index) => (named.has(index) ? [] : [{ ...hit, score: 0 }]));
  return [...order, ...left];
}

/** What was not reranked keeps its order, below what was: its scores begin at 0. */
const behind = (hits: readonly Hit[]): readonly Hit[] =>
  hits.map((hit) => ({ ...hit, score: hit.score - (hits[0] as Hit).score }));

function minMaxOf(values: readonly number[]): (value: number) => number {
  const [best, worst] = [Math.max(...values), Math.min(...values)];
  return (value) => (best > worst ? (value - worst) / (best - worst) : 1);
}
