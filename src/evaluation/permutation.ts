/** Tests of a difference between two systems on the same questions, and their correction for many comparisons. */
import { createRandom } from './random.ts';

/** Up to so many non-zero differences, all 2ⁿ signs are tried. */
const EXACT_UP_TO = 16;
/** Beyond, signs are drawn until so many draws were as extreme as what was seen, or until the draws are used up. */
const EXTREMES = 500;
const DRAWS = 100_000;
const SEED = 20_260_802;
/** Sums of the same numbers in another order differ by rounding: what is this near, relatively, is equal. */
const ROUNDING = 1e-9;

/**
 * Two-sided p-value of the paired permutation test (sign flips): if the two systems were one, each difference could
 * as well have had the other sign. The share of all assignments of signs whose sum is at least as far from 0 as the
 * one seen. Differences of 0 change nothing. Few of the others are enumerated; for many, signs are drawn (Besag and
 * Clifford, 1991): p = h/l when the h-th extreme draw is the l-th, else (extremes + 1)/(draws + 1), so never 0.
 *
 * Neither the order of the differences nor the sign of all of them matters.
 */
export function signFlipTest(differences: readonly number[]): number {
  const sizes = Float64Array.from(differences.filter((difference) => difference !== 0).map(Math.abs)).sort();
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const seen = Math.abs(differences.reduce((sum, difference) => sum + difference, 0));
  const extreme = seen - total * ROUNDING;
  if (extreme <= 0) return 1;
  return sizes.length <= EXACT_UP_TO ? enumerate(sizes, total, extreme) : draw(sizes, total, extreme);
}

/** By Gray code: each assignment differs from the one before in one sign. */
function enumerate(sizes: Float64Array, total: number, extreme: number): number {
  const assignments = 2 ** sizes.length;
  let sum = total;
  let count = 1;
  for (let step = 1; step < assignments; step += 1) {
    const flipped = 31 - Math.clz32(step & -step);
    const negative = ((step ^ (step >>> 1)) >>> flipped) & 1;
    sum += (negative === 1 ? -2 : 2) * (sizes[flipped] as number);
    if (Math.abs(sum) >= extreme) count += 1;
  }
  return count / assignments;
}

function draw(sizes: Float64Array, total: number, extreme: number): number {
  const random = createRandom(SEED);
  const sums = sumsOfEight(sizes);
  const blocks = sums.length / 256;
  let found = 0;
  for (let drawn = 1; drawn <= DRAWS; drawn += 1) {
    let negative = 0;
    let signs = 0;
    for (let block = 0; block < blocks; block += 1) {
      signs = block % 4 === 0 ? Math.floor(random() * 2 ** 32) | 0 : signs >>> 8;
      negative += sums[block * 256 + (signs & 255)] as number;
    }
    if (Math.abs(total - 2 * negative) < extreme) continue;
    found += 1;
    if (found === EXTREMES) return found / drawn;
  }
  return (found + 1) / (DRAWS + 1);
}

/** For each eight sizes, the sum of every subset of them: eight signs are then one look-up. */
function sumsOfEight(sizes: Float64Array): Float64Array {
  const sums = new Float64Array(Math.ceil(sizes.length / 8) * 256);
  for (let at = 0; at < sums.length; at += 1) {
    const subset = at & 255;
    if (subset === 0) continue;
    const lowest = 31 - Math.clz32(subset & -subset);
    sums[at] = (sums[at & (at - 1)] as number) + (sizes[(at >>> 8) * 8 + lowest] ?? 0);
  }
  return sums;
}

/**
 * Holm's step-down correction (1979): p-values such that, whatever is true of the others, the probability of any false
 * alarm at .05 is at most .05. In the order given.
 */
export function holm(pValues: readonly number[]): number[] {
  const order = pValues.map((_, index) => index).sort((a, b) => (pValues[a] as number) - (pValues[b] as number));
  const corrected = new Array<number>(pValues.length).fill(1);
  let before = 0;
  for (const [rank, index] of order.entries()) {
    before = Math.max(before, Math.min(1, (pValues.length - rank) * (pValues[index] as number)));
    corrected[index] = before;
  }
  return corrected;
}
