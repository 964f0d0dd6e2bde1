/**
 * Late interaction over the built-in word pieces: each piece of the question with its nearest piece in the passage
 * (MaxSim, ColBERT), weighted by the length of its row, which grows with how much a word says. No model to download,
 * no vectors to keep; about 10 ms for a hundred passages.
 */
import type { Reranker } from '../core/contracts.ts';
import { pieceCounts, staticModel } from '../static-model/static-model.ts';
import type { StaticModel } from '../static-model/static-model.ts';

export default async function lateInteraction(): Promise<Reranker> {
  const table = await staticModel();
  return {
    model: `late-interaction/${table.model}`,
    rerank(query, texts, { topK, signal }) {
      signal?.throwIfAborted();
      const score = maxSim(query, table);
      const scored = texts.map((text, index) => ({ index, score: score(text) }));
      return Promise.resolve(scored.sort((a, b) => b.score - a.score || a.index - b.index).slice(0, topK));
    },
  };
}

/** Σ weight × best cosine over the question's pieces, divided by the sum of the weights: −1 to 1. */
function maxSim(query: string, table: StaticModel): (text: string) => number {
  const rows = [...pieceCounts(query, table).keys()].map((id) => ({ id, weight: norm(id, table) }));
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  // Passages share most of their pieces: each is compared once a question.
  const known = new Map<number, Float32Array>();
  const cosines = (id: number): Float32Array => {
    const before = known.get(id);
    if (before !== undefined) return before;
    const length = norm(id, table);
    const found = Float32Array.from(rows, (row) =>
      row.weight > 0 && length > 0 ? dot(row.id, id, table) / (row.weight * length) : 0,
    );
    known.set(id, found);
    return found;
  };
  return (text) => {
    const best = new Float32Array(rows.length).fill(-1);
    for (const id of pieceCounts(text, table).keys()) {
      const found = cosines(id);
      for (let i = 0; i < best.length; i++)
        if ((found[i] as number) > (best[i] as number)) best[i] = found[i] as number;
    }
    return total > 0 ? rows.reduce((sum, { weight }, i) => sum + weight * (best[i] as number), 0) / total : 0;
  };
}

const norm = (id: number, table: StaticModel): number => Math.sqrt(dot(id, id, table));

function dot(a: number, b: number, { rows, scales, dimensions }: StaticModel): number {
  let sum = 0;
  for (let i = 0; i < dimensions; i++)
    sum += (rows[a * dimensions + i] as number) * (rows[b * dimensions + i] as number);
  return sum * (scales[a] as number) * (scales[b] as number);
}
