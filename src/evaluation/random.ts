/** Uniform numbers in [0, 1) that are the same on every machine: what is resampled must be reproducible. */
export type Random = () => number;

/** xoshiro128** (Blackman and Vigna, 2018), its state filled by SplitMix32 from one seed. */
export function createRandom(seed: number): Random {
  let mixed = seed | 0;
  const split = (): number => {
    mixed = (mixed + 0x9e3779b9) | 0;
    let z = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return z ^ (z >>> 15);
  };
  let [a, b, c, d] = [split(), split(), split(), split()];
  return () => {
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9);
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotate(d, 11);
    return (result >>> 0) / 2 ** 32;
  };
}

const rotate = (bits: number, by: number): number => (bits << by) | (bits >>> (32 - by));
