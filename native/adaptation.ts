/**
 * The training of the word-piece table, in AssemblyScript. Addresses are bytes of the imported memory, all numbers are
 * float32, `width` is a multiple of 8. Sums run in one fixed order: the same input gives the same bits everywhere.
 */

/** out = Σ weights[k] × table[ids[k]], for k below `count`. */
export function sumRows(table: usize, ids: usize, weights: usize, count: usize, width: usize, out: usize): void {
  const bytes = width << 2;
  memory.fill(out, 0, bytes);
  for (let k: usize = 0; k < count << 2; k += 4) {
    let row = table + <usize>i32.load(ids + k) * bytes;
    const weight = f32x4.splat(f32.load(weights + k));
    for (let o = out; o < out + bytes; o += 32, row += 32) {
      v128.store(o, f32x4.add(v128.load(o), f32x4.mul(weight, v128.load(row))));
      v128.store(o, f32x4.add(v128.load(o, 16), f32x4.mul(weight, v128.load(row, 16))), 16);
    }
  }
}

/** table[ids[k]] += weights[k] × vector, for k below `count`. */
export function addRows(table: usize, ids: usize, weights: usize, count: usize, width: usize, vector: usize): void {
  const bytes = width << 2;
  for (let k: usize = 0; k < count << 2; k += 4) {
    let row = table + <usize>i32.load(ids + k) * bytes;
    const weight = f32x4.splat(f32.load(weights + k));
    for (let v = vector; v < vector + bytes; v += 32, row += 32) {
      v128.store(row, f32x4.add(v128.load(row), f32x4.mul(weight, v128.load(v))));
      v128.store(row, f32x4.add(v128.load(row, 16), f32x4.mul(weight, v128.load(v, 16))), 16);
    }
  }
}

/** Sum of the four lanes. */
// @ts-ignore: decorator
@inline
function sum(v: v128): f32 {
  return (
    f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3)
  );
}

/** out[i × columns + j] = a_i · b_j; `columns` is a multiple of 4. */
export function dots(a: usize, b: usize, rows: usize, columns: usize, width: usize, out: usize): void {
  const bytes = width << 2;
  for (let i: usize = 0; i < rows; i++) {
    const start = a + i * bytes;
    const end = start + bytes;
    for (let j: usize = 0; j < columns; j += 4) {
      let b0 = b + j * bytes;
      let b1 = b0 + bytes;
      let b2 = b1 + bytes;
      let b3 = b2 + bytes;
      let s0 = f32x4.splat(0);
      let s1 = f32x4.splat(0);
      let s2 = f32x4.splat(0);
      let s3 = f32x4.splat(0);
      for (let p = start; p < end; p += 16, b0 += 16, b1 += 16, b2 += 16, b3 += 16) {
        const x = v128.load(p);
        s0 = f32x4.add(s0, f32x4.mul(x, v128.load(b0)));
        s1 = f32x4.add(s1, f32x4.mul(x, v128.load(b1)));
        s2 = f32x4.add(s2, f32x4.mul(x, v128.load(b2)));
        s3 = f32x4.add(s3, f32x4.mul(x, v128.load(b3)));
      }
      f32.store(out, sum(s0));
      f32.store(out, sum(s1), 4);
      f32.store(out, sum(s2), 8);
      f32.store(out, sum(s3), 12);
      out += 16;
    }
  }
}

/**
 * out_i = Σ_j g[i × rowStep + j × columnStep] × b_j, for `rows` i and `columns` j; `columns` is a multiple of 4. The
 * steps count numbers: a matrix is read along its rows or along its columns.
 */
export function combine(
  g: usize,
  rowStep: usize,
  columnStep: usize,
  b: usize,
  rows: usize,
  columns: usize,
  width: usize,
  out: usize,
): void {
  const bytes = width << 2;
  memory.fill(out, 0, rows * bytes);
  for (let i: usize = 0; i < rows; i++) {
    const start = out + i * bytes;
    const end = start + bytes;
    let weight = g + ((i * rowStep) << 2);
    for (let j: usize = 0; j < columns; j += 4) {
      let b0 = b + j * bytes;
      let b1 = b0 + bytes;
      let b2 = b1 + bytes;
      let b3 = b2 + bytes;
      const g0 = f32x4.splat(f32.load(weight));
      const g1 = f32x4.splat(f32.load(weight + (columnStep << 2)));
      const g2 = f32x4.splat(f32.load(weight + (columnStep << 3)));
      const g3 = f32x4.splat(f32.load(weight + 12 * columnStep));
      weight += columnStep << 4;
      for (let o = start; o < end; o += 16, b0 += 16, b1 += 16, b2 += 16, b3 += 16) {
        let s = v128.load(o);
        s = f32x4.add(s, f32x4.mul(g0, v128.load(b0)));
        s = f32x4.add(s, f32x4.mul(g1, v128.load(b1)));
        s = f32x4.add(s, f32x4.mul(g2, v128.load(b2)));
        s = f32x4.add(s, f32x4.mul(g3, v128.load(b3)));
        v128.store(o, s);
      }
    }
  }
}

/**
 * One step of Adam (Kingma & Ba 2015; β 0.9 and 0.999) on `count` numbers, a multiple of 4. `rate` and `epsilon` carry
 * the corrections of the moments' bias. The gradient is cleared for the next step.
 */
export function adam(
  numbers: usize,
  first: usize,
  second: usize,
  gradient: usize,
  count: usize,
  rate: f32,
  epsilon: f32,
): void {
  const step = f32x4.splat(rate);
  const tiny = f32x4.splat(epsilon);
  for (let k: usize = 0; k < count << 2; k += 16) {
    const g = v128.load(gradient + k);
    const m = f32x4.add(f32x4.mul(f32x4.splat(0.9), v128.load(first + k)), f32x4.mul(f32x4.splat(0.1), g));
    const v = f32x4.add(
      f32x4.mul(f32x4.splat(0.999), v128.load(second + k)),
      f32x4.mul(f32x4.splat(0.001), f32x4.mul(g, g)),
    );
    v128.store(first + k, m);
    v128.store(second + k, v);
    v128.store(gradient + k, f32x4.splat(0));
    const change = f32x4.div(f32x4.mul(step, m), f32x4.add(f32x4.sqrt(v), tiny));
    v128.store(numbers + k, f32x4.sub(v128.load(numbers + k), change));
  }
}
