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
import type { HeldBackPair } from './held-back.ts';
import { trainingKernel } from './kernel.ts';
import { smallBm25 } from './small-bm25.ts';

export interface CheckResult {
  /** MRR@10 of the held-back pairs with the model in use and with the adapted one. */
  readonly without: number;
  readonly with: number;
  readonly better: boolean;
}

/**
 * Better means: by more than chance and by more than nothing. The mean difference has to be so many standard errors
 * above 0, and so large.
 */
const STANDARD_ERRORS = 2;
const LEAST_GAIN = 0.005;

const RANKS = 10;

interface Check extends CallOptions {
  /** All that is searched; the answers of the pairs are among them. */
  readonly chunks: readonly Chunk[];
  readonly pairs: readonly HeldBackPair[];
  readonly settings: Pick<Settings, 'analyze' | 'embed' | 'retrieve' | 'fuse'>;
}

export async function check(request: Check, inUse: StaticModel, adapted: StaticModel): Promise<CheckResult> {
  const { chunks, pairs, settings, signal } = request;
  const analyzer = createAnalyzer(settings.analyze);
  const questions = pairs.map(({ question }) => question);
  const bm25 = smallBm25(chunks, questions, settings.retrieve.bm25, analyzer);
  const places = new Map<string, number[]>();
  chunks.forEach(({ context }, i) => {
    const known = places.get(context);
    if (known === undefined) places.set(context, [i]);
    else known.push(i);
  });
  const [plain, trained] = [vectorLegs(request, inUse), vectorLegs(request, adapted)];
  const differences: number[] = [];
  const sums = { without: 0, with: 0 };
  for (const [i, { question, answer }] of pairs.entries()) {
    const own = (chunks.find(({ id }) => id === answer.id) as Chunk).context;
    // Another chunk of the section may answer as well: it neither helps nor harms.
    const section = new Set(own.trim() === '' ? [] : places.get(own));
    const isLeftOut = (index: number): boolean => section.has(index) && (chunks[index] as Chunk).id !== answer.id;
    const keyword = bm25.search(question, answer, isLeftOut);
    const [without, adaptedRank] = [plain, trained].map((legs) =>
      reciprocalRank(answer.id, keyword, legs(i, isLeftOut), settings),
    ) as [number, number];
    sums.without += without;
    sums.with += adaptedRank;
    differences.push(adaptedRank - without);
    if (i % 10 === 9) await setImmediate();
    signal?.throwIfAborted();
  }
  const count = Math.max(1, pairs.length);
  const mean = differences.reduce((sum, difference) => sum + difference, 0) / count;
  const variance = differences.reduce((sum, difference) => sum + (difference - mean) ** 2, 0) / Math.max(1, count - 1);
  const better = mean >= LEAST_GAIN && mean >= STANDARD_ERRORS * Math.sqrt(variance / count);
  return { without: sums.without / count, with: sums.with / count, better };
}

interface VectorHits {
  readonly dense: readonly LegHit[];
  readonly heading: readonly LegHit[];
}

/** The two lists of each pair's question, with the vectors of its answer as it is without the question's words. */
function vectorLegs(
  { chunks, pairs, settings }: Check,
  model: StaticModel,
): (pair: number, isLeftOut: (index: number) => boolean) => VectorHits {
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
  return (pair, isLeftOut) => {
    const { question: text, answer } = pairs[pair] as HeldBackPair;
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
  { retrieve, fuse: how, embed }: Check['settings'],
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
    run('keyword', keyword),
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
