/**
 * The model that ships with Footnote: a text is the sum over its word pieces, normalised. No network, no native code,
 * about 6,000 passages a second on one thread.
 */
import type { Embedder } from '../core/contracts.ts';
import { readAdapted } from '../static-model/adapted.ts';
import { embedText, staticModel } from '../static-model/static-model.ts';

/** @param adapted Path of the rows that an index has adapted; without it the model as it ships. */
export default async function builtInEmbedder(adapted?: string): Promise<Embedder> {
  const base = await staticModel();
  const table = adapted === undefined ? base : await readAdapted(adapted, base);
  return {
    model: table.model,
    dimensions: table.dimensions,
    maxBatch: 1024,
    maxTokens: Infinity,
    countTokens: (text) => table.pieces.count(text),
    embed: (texts) => Promise.resolve(texts.map((text) => embedText(text, table))),
  };
}
