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
  const byText = new Map<string, Hit>();
  const documents = (): number => new Set([...byText.values()].map(({ chunk }) => chunk.documentId)).size;
  const enough = (): boolean =>
    want.distinctDocuments === undefined ? byText.size >= want.top : documents() >= want.distinctDocuments;
  for (let at = 0; at < fused.length && !enough(); at += PAGE) {
    const page = fused.slice(at, at + PAGE);
    const chunks = new Map((await store.chunks(page.map((hit) => hit.chunkId))).map((chunk) => [chunk.id, chunk]));
    for (const { chunkId, score, scores } of page) {
      const chunk = chunks.get(chunkId);
      if (chunk === undefined) continue;
      const same = byText.get(chunk.text);
      const hit = { chunk, score, scores, alsoAt: [] };
      if (same !== undefined) byText.set(chunk.text, merged(same, hit));
      else if (!enough()) byText.set(chunk.text, hit);
    }
  }
  return [...byText.values()];
}

const PAGE = 50;

/** One of two hits with the same text, with the other's address. */
function merged(better: Hit, other: Hit): Hit {
  const [kept, left] =
    other.score === better.score && other.chunk.uri < better.chunk.uri ? [other, better] : [better, other];
  const addresses = new Set([...better.alsoAt, left.chunk.uri]);
  addresses.delete(kept.chunk.uri);
  return { ...kept, alsoAt: [...addresses] };
}
