/**
 * How many of the first hits are worth a second look, from how their scores fall (planned by seed 002): the list ends
 * at its widest gap, when that is clearly wider than the others; a smooth list is taken whole.
 */

/** Never fewer, so that one lucky score does not shut out the rest. */
const FEWEST = 3;

/** A gap counts when it is this many times the mean gap of the list. */
const CLEAR = 3;

/** @param scores Best first. @returns between min(3, length) and `most`. */
export function poolSize(scores: readonly number[], most: number): number {
  const length = Math.min(most, scores.length);
  if (length <= FEWEST) return length;
  const mean = ((scores[0] as number) - (scores[length - 1] as number)) / (length - 1);
  if (mean <= 0) return length;
  let [widest, at] = [0, length];
  for (let i = FEWEST; i < length; i++) {
    const gap = (scores[i - 1] as number) - (scores[i] as number);
    if (gap > widest) [widest, at] = [gap, i];
  }
  return widest >= CLEAR * mean ? at : length;
}
