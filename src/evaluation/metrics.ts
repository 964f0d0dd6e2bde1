/**
 * Retrieval and ranking measures, as in trec_eval. A run is given as its *gains*: the grade of the document at each
 * rank, 0 where it is not relevant. *Ideal* are the grades of all relevant documents, best first; a question without
 * any has no retrieval measures. Means run over all judged questions: an empty run has no gains and scores 0.
 */

/** Share of the relevant documents among the first k. */
export function recallAt(gains: readonly number[], ideal: readonly number[], k: number): number {
  return ideal.length === 0 ? 0 : countRelevant(gains, k) / ideal.length;
}

/** Share of the first k ranks that hold a relevant document; ranks that the run does not fill count against it. */
export function precisionAt(gains: readonly number[], k: number): number {
  return countRelevant(gains, k) / k;
}

/** 1 / rank of the first relevant document; 0 when it is not among the first k. */
export function reciprocalRankAt(gains: readonly number[], k: number): number {
  const index = gains.slice(0, k).findIndex((gain) => gain > 0);
  return index === -1 ? 0 : 1 / (index + 1);
}

/** 1 when one of the first k documents is relevant, else 0. */
export function hitAt(gains: readonly number[], k: number): number {
  return countRelevant(gains, k) > 0 ? 1 : 0;
}

/** Σ grade / log2(rank + 1) over the first k, divided by the best that this sum can be. */
export function ndcgAt(gains: readonly number[], ideal: readonly number[], k: number): number {
  const best = discountedGain(
    [...ideal].sort((a, b) => b - a),
    k,
  );
  return best === 0 ? 0 : discountedGain(gains, k) / best;
}

function discountedGain(gains: readonly number[], k: number): number {
  return gains.slice(0, k).reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0);
}

function countRelevant(gains: readonly number[], k: number): number {
  return gains.slice(0, k).filter((gain) => gain > 0).length;
}

/**
 * Probability that a random positive scores above a random negative, ties counting one half (Mann–Whitney).
 * `null` when one of the two is empty.
 */
export function auroc(positives: readonly number[], negatives: readonly number[]): number | null {
  if (positives.length === 0 || negatives.length === 0) return null;
  const sorted = [...negatives].sort((a, b) => a - b);
  let wins = 0;
  for (const score of positives) {
    const below = countWhile(sorted, (negative) => negative < score);
    const upTo = countWhile(sorted, (negative) => negative <= score);
    wins += below + (upTo - below) / 2;
  }
  return wins / (positives.length * negatives.length);
}

/** Length of the prefix of a sorted list for which a monotone test holds. */
function countWhile(sorted: readonly number[], holds: (value: number) => boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(sorted[middle] as number)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** `null` for no values. */
export function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The p-th percentile (0 to 100), interpolated linearly between the two nearest ranks; `null` for no values. */
export function percentile(values: readonly number[], p: number): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const rank = (p / 100) * (sorted.length - 1);
  const lower = sorted[Math.floor(rank)] as number;
  const upper = sorted[Math.ceil(rank)] as number;
  return lower + (upper - lower) * (rank - Math.floor(rank));
}
