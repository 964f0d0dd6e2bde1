/** Fused ids become hits: chunks are loaded, and the same content at several addresses becomes one hit. */
import type { Store } from '../core/contracts.ts';
import type { Hit } from '../core/types.ts';
import type { FusedHit } from './fuse.ts';

/**
 * The first `top` hits, or, when `distinctDocuments` is given, as many as hold that many documents.
 * Of equal texts the best-ranked one stays, at equal scores the one with the first address.
 */
export async function loadHits(
  fused: readonly FusedHit[],
  store: Store,
  want: { readonly top: number; readonly distinctDocuments?: number | undefined },
): Promise<Hit[]> {
  const byText = new Map<string, { hit: Hit; alsoAt: string[] }>();
  const documents = new Set<string>();
  const enough = (): boolean =>
    want.distinctDocuments === undefined ? byText.size >= want.top : documents.size >= want.distinctDocuments;
  for (let at = 0; at < fused.length && !enough(); at += PAGE) {
    const page = fused.slice(at, at + PAGE);
    const chunks = new Map((await store.chunks(page.map((hit) => hit.chunkId))).map((chunk) => [chunk.id, chunk]));
    for (const { chunkId, score, scores } of page) {
      const chunk = chunks.get(chunkId);
      if (chunk === undefined) continue;
      const same = byText.get(chunk.text);
      if (same === undefined) {
        if (enough()) continue;
        byText.set(chunk.text, { hit: { chunk, score, scores, alsoAt: [] }, alsoAt: [] });
        documents.add(chunk.documentId);
      } else if (same.hit.chunk.uri !== chunk.uri && !same.alsoAt.includes(chunk.uri)) same.alsoAt.push(chunk.uri);
    }
  }
  return [...byText.values()].map(({ hit, alsoAt }) => ({ ...hit, alsoAt }));
}

const PAGE = 50;
