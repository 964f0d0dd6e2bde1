/**
 * A text longer than the model reads becomes overlapping windows, so that nothing is cut. Chunks are made to fit: this
 * is for questions, and for chunks made for another model.
 */

/** Tokens that two neighbouring windows share, so that what stands at their edge is read in context once. */
const OVERLAP = 32;

/**
 * ```
 * tokens   0 1 2 3 4 5 6 7 8 9     most 6, overlap 2
 *          ^^^^^^^^^^^
 *                  ^^^^^^^^^^^
 * ```
 */
export function windows(
  ids: readonly number[],
  most: number,
  overlap: number = OVERLAP,
): readonly (readonly number[])[] {
  if (ids.length <= most) return [ids];
  const step = Math.max(1, most - Math.min(overlap, Math.floor(most / 4)));
  const found: (readonly number[])[] = [];
  for (let start = 0; ; start += step) {
    found.push(ids.slice(start, start + most));
    if (start + most >= ids.length) return found;
  }
}
