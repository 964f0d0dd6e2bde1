/**
 * Maximal marginal relevance (Carbonell & Goldstein 1998): the next hit is the one with the best
 * λ · relevance − (1 − λ) · similarity to what was taken. Similarity is the cosine of word counts: no model is asked.
 */
import type { Hit } from '../core/types.ts';
import type { Analyzer } from '../text/analyze.ts';

/** @param lambda 1 leaves the order as it is; 0 looks at difference alone. */
export function diversify(hits: readonly Hit[], lambda: number, analyzer: Analyzer): readonly Hit[] {
  if (lambda >= 1 || hits.length < 3) return hits;
  const best = hits[0]?.score ?? 0;
  const last = hits.at(-1)?.score ?? 0;
  const candidates = hits.map((hit) => ({
    hit,
    relevance: best > last ? (hit.score - last) / (best - last) : 1,
    words: wordCounts(hit, analyzer),
    nearest: 0,
  }));
  const taken: Hit[] = [];
  while (candidates.length > 0) {
    let next = 0;
    candidates.forEach((candidate, i) => {
      if (value(candidate, lambda) > value(candidates[next] as typeof candidate, lambda)) next = i;
    });
    const [chosen] = candidates.splice(next, 1) as [(typeof candidates)[number]];
    taken.push(chosen.hit);
    for (const candidate of candidates)
      candidate.nearest = Math.max(candidate.nearest, cosine(candidate.words, chosen.words));
  }
  return taken;
}

const value = ({ relevance, nearest }: { relevance: number; nearest: number }, lambda: number): number =>
  lambda * relevance - (1 - lambda) * nearest;

function wordCounts({ chunk }: Hit, analyzer: Analyzer): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const term of analyzer.terms(chunk.searchText ?? chunk.text, chunk.language))
    counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

function cosine(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let dot = 0;
  for (const [word, count] of a) dot += count * (b.get(word) ?? 0);
  const norm = Math.sqrt(squares(a) * squares(b));
  return norm > 0 ? dot / norm : 0;
}

const squares = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((sum, count) => sum + count * count, 0);
