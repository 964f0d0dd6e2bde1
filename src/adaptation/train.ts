/**
 * The index teaches the built-in model: a heading is asked for its text, a sentence for the rest of its text. The rows
 * of the pieces that occur are trained to find the right text among those of the batch. Same texts, same model, to
 * the last bit.
 */
import { setImmediate } from 'node:timers/promises';
import type { CallOptions } from '../core/contracts.ts';
import { createRandom } from '../evaluation/random.ts';
import type { Random } from '../evaluation/random.ts';
import type { AdaptedRows } from '../static-model/adapted.ts';
import type { StaticModel } from '../static-model/static-model.ts';
import { MIN_BODY } from './chunk-text.ts';
import type { ChunkText } from './chunk-text.ts';
import { createTrainer } from './trainer.ts';
import type { Pair } from './trainer.ts';

/** Measured on eight collections (docs/adaptation.md): more steps or higher rates gain nothing. */
const STEPS = 100;
const BATCH = 256;
const TEMPERATURE = 0.1;
/**
 * Share of the way that the rows are moved. The model was taught far more than one index knows: half of the change
 * is better than all of it on held-back pairs and on questions (docs/adaptation.md).
 */
const SHARE = 0.5;
/** Of the first step, in mean lengths of a row; it falls to 0 in a straight line. */
const RATE = 0.0025;

export interface TrainOptions extends CallOptions {
  readonly seed: number;
  readonly onStep?: (done: number, total: number) => void;
}

/** Pairs that the texts can make: each heading and each sentence is one. */
export const pairCount = (texts: readonly ChunkText[]): number =>
  texts.reduce((sum, text) => sum + Number(text.heading.length > 0) + text.sentences.length, 0);

export async function train(
  texts: readonly ChunkText[],
  model: StaticModel,
  { seed, signal, onStep }: TrainOptions,
): Promise<AdaptedRows> {
  const random = createRandom(seed);
  const draw = pairDrawer(texts, random);
  const trainer = createTrainer(model, piecesOf(texts), { batch: BATCH, temperature: TEMPERATURE });
  for (let done = 0; done < STEPS; done++) {
    trainer.loss(Array.from({ length: BATCH }, draw));
    trainer.step(RATE * (1 - done / STEPS));
    onStep?.(done + 1, STEPS);
    // Searches go on meanwhile: they get their turn between two steps, some 30 ms.
    await setImmediate();
    signal?.throwIfAborted();
  }
  return quantized(trainer.ids, trainer.rows, model);
}

function* piecesOf(texts: readonly ChunkText[]): Generator<number> {
  for (const { heading, body } of texts) {
    yield* heading;
    yield* body;
  }
}

type Kind = 'heading' | 'first' | 'other';

/**
 * Three pairs a text: its heading, its first sentence, another one. A document with n of them is drawn with weight √n,
 * so that a long one does not teach alone.
 */
function pairDrawer(texts: readonly ChunkText[], random: Random): () => Pair {
  const kinds = texts.flatMap((text) => kindsOf(text).map((kind) => ({ text, kind })));
  const perDocument = new Map<string, number>();
  for (const { text } of kinds) perDocument.set(text.documentId, (perDocument.get(text.documentId) ?? 0) + 1);
  let total = 0;
  const upTo = kinds.map(({ text }) => (total += 1 / Math.sqrt(perDocument.get(text.documentId) as number)));
  return () => {
    const { text, kind } = kinds[firstAbove(upTo, random() * total)] as { text: ChunkText; kind: Kind };
    return pairOf(text, kind, random);
  };
}

function kindsOf({ heading, body, sentences }: ChunkText): Kind[] {
  const answerable = sentences.filter(({ from, to }) => body.length - (to - from) >= MIN_BODY);
  const first = answerable.filter(({ from }) => from === 0);
  return [
    ...(heading.length > 0 ? ['heading' as const] : []),
    ...(first.length > 0 ? ['first' as const] : []),
    ...(answerable.length > first.length ? ['other' as const] : []),
  ];
}

function pairOf({ id, section, heading, body, sentences }: ChunkText, kind: Kind, random: Random): Pair {
  if (kind === 'heading') return { question: heading, text: body, chunk: id, section };
  const answerable = sentences.filter(({ from, to }) => body.length - (to - from) >= MIN_BODY);
  const others = answerable.filter(({ from }) => (kind === 'first' ? from === 0 : from > 0));
  const { from, to } = others[Math.floor(random() * others.length)] as { from: number; to: number };
  const rest = new Int32Array(body.length - (to - from));
  rest.set(body.subarray(0, from));
  rest.set(body.subarray(to), from);
  return { question: body.subarray(from, to), text: rest, chunk: id, section };
}

/** Index of the first number that is above a value. */
function firstAbove(ascending: readonly number[], value: number): number {
  let [low, high] = [0, ascending.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as number) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Between the model's own rows and the trained ones; as the model itself is stored: int8, with one scale a row. */
function quantized(
  ids: Int32Array,
  trained: Float32Array,
  { model, dimensions, scales: ownScales, rows: own }: StaticModel,
): AdaptedRows {
  const scales = new Float32Array(ids.length);
  const rows = new Int8Array(trained.length);
  const row = new Float64Array(dimensions);
  for (const [i, id] of ids.entries()) {
    let largest = 0;
    for (let k = 0; k < dimensions; k++) {
      const before = (ownScales[id] as number) * (own[id * dimensions + k] as number);
      const value = before + SHARE * ((trained[i * dimensions + k] as number) - before);
      row[k] = value;
      largest = Math.max(largest, Math.abs(value));
    }
    const scale = Math.fround(largest / 127);
    scales[i] = scale;
    if (scale > 0)
      for (let k = 0; k < dimensions; k++) rows[i * dimensions + k] = Math.round((row[k] as number) / scale);
  }
  return { base: model, dimensions, ids: Uint32Array.from(ids), scales, rows };
}
