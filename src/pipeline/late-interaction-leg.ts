/**
 * Late interaction as a leg (ColBERT, Khattab & Zaharia 2020: each word of the question with its best match in the
 * passage), over what the other legs found: like in ColBERT itself, a cheaper search proposes the candidates.
 */
import type { CallOptions } from '../core/contracts.ts';
import type { LegHit } from '../core/types.ts';
import type { SearchParts } from './parts.ts';
import { passageText } from './passage-text.ts';
import type { Run } from './retrieve.ts';

export async function lateInteractionRun(
  query: string,
  runs: readonly Run[],
  depth: number,
  parts: SearchParts,
  options: CallOptions,
): Promise<Omit<Run, 'weight'>> {
  const ids = [...new Set(runs.flatMap(({ hits }) => hits.slice(0, depth).map(({ chunkId }) => chunkId)))];
  const chunks = await parts.store.chunks(ids);
  const comparison = await parts.lateInteraction();
  const scored = await comparison.rerank(query, chunks.map(passageText), { ...options, topK: chunks.length });
  const hits = scored.flatMap(({ index, score }): LegHit[] => {
    const chunk = chunks[index];
    return chunk === undefined ? [] : [{ chunkId: chunk.id, score }];
  });
  return { leg: 'late-interaction', kind: 'late-interaction', share: 1, hits };
}
