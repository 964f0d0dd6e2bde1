/** Whether an adapted model pays: pairs held back from the training, ranked in the preset's own fusion, with and without. */
import { setImmediate } from 'node:timers/promises';
import type { CallOptions } from '../core/contracts.ts';
import type { Settings } from '../core/settings.ts';
import type { Chunk, LegHit } from '../core/types.ts';
import { reciprocalRankAt } from '../evaluation/metrics.ts';
import { fuse } from '../pipeline/fuse.ts';
import { withAlpha } from '../pipeline/legs.ts';
import { passageText } from '../pipeline/passage-text.ts';
import type { Run } from '../pipeline/retrieve.ts';
import { embedPieces, embedText, pieceCounts } from '../static-model/static-model.ts';
import type { StaticModel } from '../static-model/static-model.ts';
import { createAnalyzer } from '../text/analyze.ts';
import type { HeldBack, HeldBackPair } from './held-back.ts';
import { trainingKernel } from './kernel.ts';
import { smallBm25 } from './small-bm25.ts';

export interface CheckResult {
  /** MRR@10 of the held-back pairs with the model in use and with the adapted one. */
  readonly without: number;
  readonly with: number;
  readonly better: boolean;
}

/**
 * Better means: by more than chance (one-sided, at 5 %) and by more than nothing. The mean difference has to be so many
 * standard errors above 0, and so large.
 */
const STANDARD_ERRORS = 1.64;
const LEAST_GAIN = 0.005;

const RANKS = 10;

export interface CheckRequest extends CallOptions {
  readonly heldBack: readonly HeldBack[];
  readonly settings: Pick<Settings, 'analyze' | 'embed' | 'retrieve' | 'fuse'>;
}

export async function check(request: CheckRequest, inUse: StaticModel, adapted: StaticModel): Promise<CheckResult> {
  const ranks: (readonly [without: number, with_: number])[] = [];
  for (const each of request.heldBack) ranks.push(...(await reciprocalRanks(each, request, [inUse, adapted])));
  const count = Math.max(1, ranks.length);
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / count;
  const differences = ranks.map(([before, after]) => after - before);
  const gain = mean(differences);
  const variance = mean(differences.map((difference) => (difference - gain) ** 2));
  return {
    without: mean(ranks.map(([before]) => before)),
    with: mean(ranks.map(([, after]) => after)),
    better: gain >= LEAST_GAIN && gain >= STANDARD_ERRORS * Math.sqrt(variance / count),
  };
}

/** 1 / rank of each pair's answer with each of two models, 0 beyond the first ten. */
async function reciprocalRanks(
  { chunks, sections, pairs }: HeldBack,
  { settings, signal }: CheckRequest,
  models: readonly [StaticModel, StaticModel],
): Promise<(readonly [number, number])[]> {
  const analyzer = createAnalyzer(settings.analyze);
  const questions = pairs.map(({ question }) => question);
  const bm25 = smallBm25(chunks, questions, settings.retrieve.bm25, analyzer);
  const [first, second] = models.map((model) => vectorLegs(chunks, model, settings)) as [VectorLegs, VectorLegs];
  const places = new Map(chunks.map(({ id }, i) => [id, i]));
  const ranks: (readonly [number, number])[] = [];
  for (const [i, pair] of pairs.entries()) {
    const own = places.get(pair.answer.id) as number;
    const isLeftOut = (index: number): boolean => index !== own && sections[index] === sections[own];
    const keyword = bm25.search(pair.question, pair.answer, isLeftOut);
    const rank = (legs: VectorLegs): number => reciprocalRank(pair.answer.id, keyword, legs(pair, isLeftOut), settings);
    ranks.push([rank(first), rank(second)]);
    if (i % 10 === 9) await setImmediate();
    signal?.throwIfAborted();
  }
  return ranks;
}

interface VectorHits {
  readonly dense: readonly LegHit[];
  readonly heading: readonly LegHit[];
}

type VectorLegs = (pair: HeldBackPair, isLeftOut: (index: number) => boolean) => VectorHits;

/** The two lists of a pair's question, with the vectors of its answer as it is without the question's words. */
function vectorLegs(chunks: readonly Chunk[], model: StaticModel, settings: CheckRequest['settings']): VectorLegs {
  const width = model.dimensions;
  const columns = Math.ceil(chunks.length / 4) * 4;
  const sizes = [4 * columns * width, 4 * width, 4 * columns] as const;
  const kernel = trainingKernel([sizes[0], sizes[0], sizes[1], sizes[2]]);
  const [texts, headings] = [kernel.allocate(sizes[0]), kernel.allocate(sizes[0])];
  const [question, scores] = [kernel.allocate(sizes[1]), kernel.allocate(sizes[2])];
  const byContext = new Map<string, Float32Array>();
  const headingOf = (context: string): Float32Array => {
    const known = byContext.get(context) ?? embedText(context, model);
    byContext.set(context, known);
    return known;
  };
  chunks.forEach((chunk, i) => {
    const at = 4 * i * width;
    kernel.floats(texts + at, width).set(embedPieces(pieceCounts(passageText(chunk), model), model));
    kernel.floats(headings + at, width).set(headingOf(chunk.context));
  });
  const { depth } = settings.retrieve;
  return ({ question: text, answer }, isLeftOut) => {
    const vector = embedText(text, model);
    kernel.floats(question, width).set(vector);
    const list = (matrix: number, ownVector: Float32Array): LegHit[] => {
      kernel.dots(question, matrix, 1, columns, width, scores);
      const found = kernel.floats(scores, chunks.length).slice();
      chunks.forEach(({ id }, i) => {
        if (id === answer.id) found[i] = dot(vector, ownVector);
        else if (isLeftOut(i)) found[i] = -Infinity;
      });
      return best(found, depth).map((i) => ({ chunkId: (chunks[i] as Chunk).id, score: found[i] as number }));
    };
    return {
      dense: list(texts, embedText(passageText(answer), model)),
      heading: settings.embed.headings ? list(headings, embedText(answer.context, model)) : [],
    };
  };
}

function reciprocalRank(
  answer: string,
  keyword: readonly LegHit[],
  { dense, heading }: VectorHits,
  { retrieve, fuse: how, embed }: CheckRequest['settings'],
): number {
  const weights = withAlpha({ ...how.weights, heading: embed.headings ? how.weights.heading : 0, also: [] }, how.alpha);
  const run = (leg: 'keyword' | 'dense' | 'heading', hits: readonly LegHit[]): Run => ({
    leg,
    kind: leg === 'keyword' ? 'keyword' : 'dense',
    weight: weights[leg],
    share: 1,
    hits: hits.slice(0, retrieve.depth),
  });
  const runs = [
    ...(retrieve.mode === 'dense' ? [] : [run('keyword', keyword)]),
    run('dense', dense),
    ...(weights.heading > 0 ? [run('heading', heading)] : []),
  ];
  const method = how.alpha === null ? how.method : 'weighted';
  const found = fuse(runs, { method, k: how.k }, retrieve.depth).slice(0, RANKS);
  return reciprocalRankAt(
    found.map(({ chunkId }) => Number(chunkId === answer)),
    RANKS,
  );
}

/** Places of the highest scores, best first, equal ones in their order. */
function best(scores: Float32Array, count: number): number[] {
  const least = scores.length > count ? (scores.slice().sort()[scores.length - count] as number) : -Infinity;
  const found: number[] = [];
  scores.forEach((score, i) => {
    if (score >= least && score > -Infinity) found.push(i);
  });
  return found.sort((i, j) => (scores[j] as number) - (scores[i] as number) || i - j).slice(0, count);
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}
