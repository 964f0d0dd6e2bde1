/**
 * X, the measure of all others: the exact float32 scan that wasm SIMD allows (native/kernel.ts, `scanFloat`), with the
 * best rows picked, on one thread. The store does not use it.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { KERNEL_WASM } from '../dist/stores/embedded/kernel.generated.js';

const PAGE = 65_536;
const BLOCK = 8192;

/** Loads the first `rows` vectors of a file of float32 and returns the search over them. */
export function floatScan(file, rows, width) {
  const vectorBytes = rows * width * 4;
  const [query, out] = [vectorBytes, vectorBytes + width * 4];
  const memory = new WebAssembly.Memory({ initial: Math.ceil((out + BLOCK * 4) / PAGE) });
  const module = new WebAssembly.Module(Buffer.from(KERNEL_WASM, 'base64'));
  const { scanFloat } = new WebAssembly.Instance(module, { env: { memory } }).exports;
  readInto(file, new Uint8Array(memory.buffer, 0, vectorBytes));
  const queryView = new Float32Array(memory.buffer, query, width);
  const scores = new Float32Array(memory.buffer, out, BLOCK);

  /** The best `topK` of the first `among` rows. */
  return (vector, topK, among = rows) => {
    queryView.set(vector);
    const best = new Float32Array(topK).fill(-Infinity);
    const bestRows = new Uint32Array(topK);
    for (let start = 0; start < among; start += BLOCK) {
      const count = Math.min(BLOCK, among - start);
      scanFloat(start * width * 4, query, width, count, out);
      for (let i = 0; i < count; i++) {
        const score = scores[i];
        if (score <= best[topK - 1]) continue;
        let at = topK - 1;
        for (; at > 0 && best[at - 1] < score; at--) {
          best[at] = best[at - 1];
          bestRows[at] = bestRows[at - 1];
        }
        best[at] = score;
        bestRows[at] = start + i;
      }
    }
    return bestRows;
  };
}

/** A read call moves at most 2 GiB. */
export function readInto(file, bytes) {
  const descriptor = openSync(file, 'r');
  for (let at = 0; at < bytes.length;) {
    const read = readSync(descriptor, bytes, at, Math.min(bytes.length - at, 1 << 28), at);
    if (read === 0) throw new Error(`${file} is too short`);
    at += read;
  }
  closeSync(descriptor);
}
