/**
 * Cosine of unit vectors. In four partial sums, which is faster, and rounded in the same order everywhere, so that
 * all stores give the same scores.
 */
export function dot(a: Float32Array, b: Float32Array): number {
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  const whole = a.length & ~3;
  for (let i = 0; i < whole; i += 4) {
    s0 += (a[i] as number) * (b[i] as number);
    s1 += (a[i + 1] as number) * (b[i + 1] as number);
    s2 += (a[i + 2] as number) * (b[i + 2] as number);
    s3 += (a[i + 3] as number) * (b[i + 3] as number);
  }
  for (let i = whole; i < a.length; i++) s0 += (a[i] as number) * (b[i] as number);
  return Math.fround(s0 + s1 + (s2 + s3));
}
