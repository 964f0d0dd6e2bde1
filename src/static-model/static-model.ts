/**
 * The table that ships with Footnote: one int8 vector a word piece (`models/static-docs-384/README.md`). The built-in
 * embedder sums its rows, late interaction compares them, adaptation trains them.
 */
import { readFile } from 'node:fs/promises';
import { RagError } from '../core/errors.ts';
import { wordPieces } from './word-pieces.ts';
import type { WordPieces } from './word-pieces.ts';

const FOLDER = new URL('../../models/static-docs-384/', import.meta.url);

export interface StaticModel {
  /** Name and fingerprint of the weights. */
  readonly model: string;
  readonly dimensions: number;
  readonly pieces: WordPieces;
  /** Row i is `scales[i]` times `rows[i × dimensions …]`. */
  readonly scales: Float32Array;
  readonly rows: Int8Array;
}

let loaded: Promise<StaticModel> | undefined;

/** Read once a process. @throws RagError `driver-unavailable` when the package is incomplete */
export const staticModel = (): Promise<StaticModel> => (loaded ??= load());

async function load(): Promise<StaticModel> {
  const [config, vocabulary, weights] = await Promise.all([
    readModelFile('config.json'),
    readModelFile('vocab.txt'),
    readModelFile('model.i8'),
  ]);
  const { dim, vocab, sha256 } = JSON.parse(config.toString('utf8')) as { dim: number; vocab: number; sha256: string };
  if (weights.byteLength !== vocab * (4 + dim)) {
    throw new RagError('driver-unavailable', 'the built-in model is incomplete', { hint: 'install the package again' });
  }
  return {
    model: `static-docs-384@${sha256.slice(0, 12)}`,
    dimensions: dim,
    pieces: wordPieces(vocabulary.toString('utf8').split('\n')),
    scales: new Float32Array(weights.buffer.slice(weights.byteOffset, weights.byteOffset + 4 * vocab)),
    rows: new Int8Array(weights.buffer, weights.byteOffset + 4 * vocab, vocab * dim),
  };
}

/** Known pieces of a text, with how often each occurs. */
export function pieceCounts(text: string, { pieces }: StaticModel): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const id of pieces.ids(text)) if (id >= 0) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

/** Σ √count × row, normalised; all zeros when no piece of the text is known. */
export const embedText = (text: string, model: StaticModel): Float32Array =>
  embedPieces(pieceCounts(text, model), model);

/** {@link embedText} of pieces that are counted already. */
export function embedPieces(counts: ReadonlyMap<number, number>, model: StaticModel): Float32Array {
  const { scales, rows, dimensions } = model;
  const sum = new Float32Array(dimensions);
  for (const [id, count] of counts) {
    const weight = Math.sqrt(count) * (scales[id] as number);
    const row = id * dimensions;
    for (let i = 0; i < dimensions; i++) sum[i] = (sum[i] as number) + weight * (rows[row + i] as number);
  }
  let squares = 0;
  for (const value of sum) squares += value * value;
  if (squares > 0) {
    const norm = 1 / Math.sqrt(squares);
    for (let i = 0; i < dimensions; i++) sum[i] = (sum[i] as number) * norm;
  }
  return sum;
}

async function readModelFile(name: string): Promise<Buffer> {
  try {
    return await readFile(new URL(name, FOLDER));
  } catch (cause) {
    throw new RagError('driver-unavailable', `the built-in model's file ${name} cannot be read`, {
      hint: 'install the package again; it carries the model in models/static-docs-384',
      cause,
    });
  }
}
