/** Chunks longer than the embedder reads at once: refused before anything is built, or embedded in windows. */
import type { Embedder } from '../core/contracts.ts';
import { RagError } from '../core/errors.ts';
import type { ChunkSettings } from '../core/settings.ts';

/** @throws RagError `setting-invalid` where `chunk.overlong` is `refuse` and chunks may be longer than a model takes */
export function refuseOverlong(
  { maxTokens, overlong }: Pick<ChunkSettings, 'maxTokens' | 'overlong'>,
  embedders: readonly Pick<Embedder, 'model' | 'maxTokens'>[],
): void {
  const shortest = embedders.toSorted((a, b) => a.maxTokens - b.maxTokens)[0];
  if (overlong !== 'refuse' || shortest === undefined || maxTokens <= shortest.maxTokens) return;
  throw new RagError(
    'setting-invalid',
    `chunk.maxTokens is ${maxTokens}, but ${shortest.model} reads ${shortest.maxTokens} tokens at once`,
    {
      hint: `set chunk.maxTokens to ${shortest.maxTokens}, chunk.overlong to window, or embed.model to one that reads more`,
    },
  );
}
