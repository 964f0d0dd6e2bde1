/** The same text at two addresses, in two wordings that hardly differ. */
import type { Hit } from '../core/types.ts';
import { words } from '../text/words.ts';

/** Two texts are near-duplicates when they share this much of their three-word sequences (Jaccard). */
const NEAR_DUPLICATE = 0.8;

/** A page and its copy with another date are one passage: the better-ranked one, which keeps the other's address. */
export function mergeNearDuplicates(hits: readonly Hit[]): Hit[] {
  const kept: { hit: Hit; shingles: ReadonlySet<string> }[] = [];
  for (const hit of hits) {
    const shingles = shinglesOf(hit.chunk.text);
    const same = kept.find(
      (other) =>
        other.hit.chunk.documentId !== hit.chunk.documentId && jaccard(other.shingles, shingles) >= NEAR_DUPLICATE,
    );
    if (same === undefined) kept.push({ hit, shingles });
    else same.hit = { ...same.hit, alsoAt: [...new Set([...same.hit.alsoAt, hit.chunk.uri, ...hit.alsoAt])] };
  }
  return kept.map(({ hit }) => hit);
}

function shinglesOf(text: string): ReadonlySet<string> {
  const folded = words(text).map((word) => word.text);
  return new Set(folded.map((_, i) => folded.slice(i, i + 3).join(' ')));
}

function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const shingle of a) if (b.has(shingle)) shared++;
  const all = a.size + b.size - shared;
  return all === 0 ? 0 : shared / all;
}
