/**
 * The scan over int8 vectors, in AssemblyScript: the one loop of Footnote that plain JavaScript is too slow for.
 * Addresses are bytes of the imported memory. Rows lie one behind the other, without gaps: a sequential read is
 * 1.5 to 2 times as fast as several rows side by side (docs/decisions/2026-11-22-embedded-store.md).
 */

/** Sum of the four lanes of an i32x4. */
// @ts-ignore: decorator
@inline
function sum(v: v128): i32 {
  return (
    i32x4.extract_lane(v, 0) + i32x4.extract_lane(v, 1) + i32x4.extract_lane(v, 2) + i32x4.extract_lane(v, 3)
  );
}

/**
 * out[i] = scale × scales[i] × (query · row i), for `count` rows.
 *
 * `rows`    int8, `width` a row; `width` is a multiple of 32, padded with zeros
 * `query`   int16, `width`; small enough that no sum leaves 32 bits
 * `scales`  float32, one a row
 * `out`     float32, one a row
 */
export function scan(
  rows: usize,
  scales: usize,
  query: usize,
  scale: f32,
  width: usize,
  count: usize,
  out: usize,
): void {
  const queryEnd = query + 2 * width;
  const outEnd = out + 4 * count;
  while (out < outEnd) {
    let even = i32x4.splat(0);
    let odd = i32x4.splat(0);
    for (let q = query; q < queryEnd; q += 64) {
      even = i32x4.add(even, i32x4.dot_i16x8_s(v128.load8x8_s(rows), v128.load(q)));
      odd = i32x4.add(odd, i32x4.dot_i16x8_s(v128.load8x8_s(rows, 8), v128.load(q, 16)));
      even = i32x4.add(even, i32x4.dot_i16x8_s(v128.load8x8_s(rows, 16), v128.load(q, 32)));
      odd = i32x4.add(odd, i32x4.dot_i16x8_s(v128.load8x8_s(rows, 24), v128.load(q, 48)));
      rows += 32;
    }
    f32.store(out, scale * f32.load(scales) * <f32>sum(i32x4.add(even, odd)));
    scales += 4;
    out += 4;
  }
}

/**
 * out[i] = query · row i, all float32 and `width` a multiple of 16: the plain exact scan. The store does not use it;
 * the benchmark measures everything against its time.
 */
export function scanFloat(rows: usize, query: usize, width: usize, count: usize, out: usize): void {
  const queryEnd = query + 4 * width;
  const outEnd = out + 4 * count;
  while (out < outEnd) {
    let a = f32x4.splat(0);
    let b = f32x4.splat(0);
    let c = f32x4.splat(0);
    let d = f32x4.splat(0);
    for (let q = query; q < queryEnd; q += 64) {
      a = f32x4.add(a, f32x4.mul(v128.load(rows), v128.load(q)));
      b = f32x4.add(b, f32x4.mul(v128.load(rows, 16), v128.load(q, 16)));
      c = f32x4.add(c, f32x4.mul(v128.load(rows, 32), v128.load(q, 32)));
      d = f32x4.add(d, f32x4.mul(v128.load(rows, 48), v128.load(q, 48)));
      rows += 64;
    }
    const all = f32x4.add(f32x4.add(a, b), f32x4.add(c, d));
    f32.store(
      out,
      f32x4.extract_lane(all, 0) + f32x4.extract_lane(all, 1) + f32x4.extract_lane(all, 2) + f32x4.extract_lane(all, 3),
    );
    out += 4;
  }
}
