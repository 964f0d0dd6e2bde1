/** Inner products with learned sparse vectors, one entry of the vocabulary after the other; exact. */
import type { StoreQuery } from '../../core/contracts.ts';
import { eligibleRows } from './filter-mask.ts';
import type { LoadedSegment } from './loaded-segment.ts';
import type { WeightList } from './sparse-postings.ts';
import { offerPositive, topList } from './top-list.ts';
import type { Scored } from './top-list.ts';

export type SparseQuery = Omit<Extract<StoreQuery, { leg: 'sparse' }>, 'leg'>;

/** Best first; rows count through all segments. Chunks that share nothing with the question are no hits. */
export function searchSparse(segments: readonly LoadedSegment[], query: SparseQuery): Scored[] {
  const { indices, values } = query.vector;
  const best = topList(Math.max(0, query.topK));
  let base = 0;
  for (const segment of segments) {
    const lists = Array.from(indices, (entry) => segment.weights(query.space, entry));
    if (lists.some((list) => list !== undefined)) {
      const scores = segment.scores().fill(0);
      for (const [i, list] of lists.entries()) if (list !== undefined) addWeights(scores, list, values[i] as number);
      offerPositive(best, scores, eligibleRows(segment, query.filter), base);
    }
    base += segment.rows;
  }
  return best.sorted();
}

function addWeights(scores: Float64Array, { rows, weights }: WeightList, factor: number): void {
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    scores[row] = (scores[row] as number) + factor * (weights[i] as number);
  }
}
