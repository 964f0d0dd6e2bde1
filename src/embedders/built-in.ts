/**
 * The model that ships with Footnote: one int8 vector a word piece; a text is the sum over its distinct pieces of
 * √count × row, normalised. No network, no native code, about 6,000 passages a second on one thread
 * (`models/static-docs-384/README.md`).
 */
import { readFile } from 'node:fs/promises';
import type { Embedder } from '../core/contracts.ts';
import { RagError } from '../core/errors.ts';
import { wordPieces } from './word-pieces.ts';
import type { WordPieces } from './word-pieces.ts';

const FOLDER = new URL('../../models/static-docs-384/', import.meta.url);

interface Table {
  readonly scales: Float32Array;
  readonly rows: Int8Array;
  readonly dimensions: number;
}

export default async function builtInEmbedder(): Promise<Embedder> {
  const [config, vocabulary, weights] = await Promise.all([
    readModelFile('config.json'),
    readModelFile('vocab.txt'),
    readModelFile('model.i8'),
  ]);
  const { dim, vocab, sha256 } = JSON.parse(config.toString('utf8')) as { dim: number; vocab: number; sha256: string };
  if (weights.byteLength !== vocab * (4 + dim)) {
    throw new RagError('driver-unavailable', 'the built-in model is incomplete', { hint: 'install the package again' });
  }
  const pieces = wordPieces(vocabulary.toString('utf8').split('\n'));
  const table: Table = {
    scales: new Float32Array(weights.buffer.slice(weights.byteOffset, weights.byteOffset + 4 * vocab)),
    rows: new Int8Array(weights.buffer, weights.byteOffset + 4 * vocab, vocab * dim),
    dimensions: dim,
  };
  return {
    model: `static-docs-384@${sha256.slice(0, 12)}`,
    dimensions: dim,
    maxBatch: 1024,
    maxTokens: Infinity,
    countTokens: (text) => pieces.count(text),
    embed: (texts) => Promise.resolve(texts.map((text) => embedText(text, pieces, table))),
  };
}

/** A unit vector; all zeros when no piece of the text is known. */
function embedText(text: string, pieces: WordPieces, { scales, rows, dimensions }: Table): Float32Array {
  const counts = new Map<number, number>();
  for (const id of pieces.ids(text)) if (id >= 0) counts.set(id, (counts.get(id) ?? 0) + 1);
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
