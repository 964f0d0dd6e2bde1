/** The vectors that an engine keeps beside its index, shared by all its embedders but the built-in one. */
import { join } from 'node:path';
import type { Embedder } from './core/contracts.ts';
import type { Settings } from './core/settings.ts';
import type { Warning } from './core/types.ts';
import { withCache, type CacheCounts, type VectorCache } from './caches/with-cache.ts';

export interface EmbeddingCache {
  wrap(embedder: Embedder): Promise<Embedder>;
  /** Texts so far, of all embedders together. */
  readonly counts: Readonly<CacheCounts>;
  close(): void;
}

export interface EmbeddingCacheOptions {
  readonly settings: Settings;
  /** Folder of `cache.sqlite`; it is not made. */
  readonly folder: string;
  readonly onWarning: (warning: Warning) => void;
}

export function embeddingCache({ settings, folder, onWarning }: EmbeddingCacheOptions): EmbeddingCache {
  const { embeddings, embeddingTtlSeconds: ttlSeconds } = settings.cache;
  const counts: CacheCounts = { hits: 0, misses: 0 };
  let opening: Promise<VectorCache> | undefined;
  let opened: VectorCache | undefined;
  const open = async (): Promise<VectorCache> => {
    const [{ vectorCache }, { loadDriver }] = await Promise.all([
      import('./caches/vector-cache.ts'),
      import('./sqlite/driver.ts'),
    ]);
    const path = join(folder, 'cache.sqlite');
    opened = vectorCache(await loadDriver(), {
      ...{ path, ttlSeconds, onWarning },
      now: () => Math.floor(Date.now() / 1000),
    });
    return opened;
  };
  return {
    counts,
    async wrap(embedder) {
      return withCache(embedder, embeddings === 'none' ? undefined : await (opening ??= open()), counts);
    },
    close: () => opened?.close(),
  };
}
