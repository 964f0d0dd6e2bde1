/** An embedder that embeds nothing twice: vectors are kept by model, prompt and text. */
import { createHash } from 'node:crypto';
import type { Embedder } from '../core/contracts.ts';

/** Where vectors are kept. It may forget at any time, and never fails. */
export interface VectorCache {
  /** Keys are SHA-256 digests. Undefined where there is none. */
  get(keys: readonly Uint8Array[]): readonly (Float32Array | undefined)[];
  put(entries: readonly { readonly key: Uint8Array; readonly vector: Float32Array }[]): void;
  close(): void;
}

export interface CacheCounts {
  /** Texts whose vector was there. */
  hits: number;
  /** Texts that the model embedded. */
  misses: number;
}

/** So many texts are embedded before their vectors are kept: what a failure may cost. */
const SLICE = 512;

/**
 * @param cache without one, texts are only counted
 * @param counts is added to; several embedders may count together
 */
export function withCache(embedder: Embedder, cache: VectorCache | undefined, counts: CacheCounts): Embedder {
  const { model, dimensions } = embedder;
  const keyOf = (text: string, as: 'query' | 'passage'): Buffer =>
    createHash('sha256').update(`${model}\0${as}\0`).update(text).digest();
  return {
    ...embedder,
    async embed(texts, as, options) {
      const vectors = new Map<string, Float32Array>();
      const distinct = [...new Set(texts)];
      const found = cache?.get(distinct.map((text) => keyOf(text, as))) ?? [];
      const missing = distinct.filter((text, i) => {
        const vector = found[i];
        if (vector?.length !== dimensions) return true;
        vectors.set(text, vector);
        return false;
      });
      counts.hits += texts.length - missing.length;
      for (let from = 0; from < missing.length; from += SLICE) {
        const slice = missing.slice(from, from + SLICE);
        const made = await embedder.embed(slice, as, options);
        counts.misses += slice.length;
        cache?.put(slice.map((text, i) => ({ key: keyOf(text, as), vector: made[i] as Float32Array })));
        slice.forEach((text, i) => vectors.set(text, made[i] as Float32Array));
      }
      return texts.map((text) => vectors.get(text) as Float32Array);
    },
  };
}
