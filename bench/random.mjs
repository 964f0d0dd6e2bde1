// Numbers that are the same on every machine and in every run.

/** Uniform in [0, 1): sfc32, seeded by any integers. */
export function random(...seed) {
  let [a, b, c, d] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 1];
  const next = () => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + t) | 0;
    return (t >>> 0) / 4294967296;
  };
  for (const value of seed) {
    a = (a ^ value) | 0;
    b = (b ^ Math.imul(value, 0x85ebca6b)) | 0;
    for (let i = 0; i < 12; i++) next();
  }
  return next;
}

/** `count` normal deviates (Box and Muller 1958), added to `out` with a weight. */
export function addNormal(out, next, weight) {
  for (let i = 0; i < out.length; i += 2) {
    const radius = weight * Math.sqrt(-2 * Math.log(1 - next()));
    const angle = 2 * Math.PI * next();
    out[i] += radius * Math.cos(angle);
    if (i + 1 < out.length) out[i + 1] += radius * Math.sin(angle);
  }
}

/** Draws 0 … count−1 with probability ∝ 1 / (rank + shift), in constant time (Walker's alias method). */
export function zipf(count, shift) {
  const weights = Float64Array.from({ length: count }, (_, i) => 1 / (i + 1 + shift));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const share = weights.map((weight) => (weight / total) * count);
  const alias = new Uint32Array(count);
  const small = [];
  const large = [];
  share.forEach((value, i) => (value < 1 ? small : large).push(i));
  while (small.length > 0 && large.length > 0) {
    const [less, more] = [small.pop(), large.pop()];
    alias[less] = more;
    share[more] -= 1 - share[less];
    (share[more] < 1 ? small : large).push(more);
  }
  for (const i of [...small, ...large]) share[i] = 1;
  return (next) => {
    const i = Math.floor(next() * count);
    return next() < share[i] ? i : alias[i];
  };
}
