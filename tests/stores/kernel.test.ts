import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKernel, javascriptKernel } from '../../src/stores/embedded/kernel.ts';
import type { Kernel } from '../../src/stores/embedded/kernel.ts';
import { paddedWidth, quantizeQuery, quantizeRow, scoreError } from '../../src/stores/embedded/quantize.ts';
import { temporaryFolder } from './fixtures.ts';

const NATIVE = fileURLToPath(new URL('../../native/', import.meta.url));
const GENERATED = fileURLToPath(new URL('../../src/stores/embedded/kernel.generated.ts', import.meta.url));

const wasmKernel = (): Kernel =>
  createKernel((warning) => {
    throw new Error(warning.message);
  });

/** Scores of rows against a query, by a kernel. */
function scanWith(kernel: Kernel, rows: readonly Float32Array[], query: Float32Array): Float32Array {
  const width = paddedWidth(query.length);
  const { codes, scale } = quantizeQuery(query);
  const at = {
    rows: kernel.allocate(rows.length * width),
    scales: kernel.allocate(rows.length * 4),
    query: kernel.allocate(codes.byteLength),
    out: kernel.allocate(rows.length * 4),
  };
  new Int16Array(kernel.memory(), at.query, width).set(codes);
  for (const [i, row] of rows.entries()) {
    const target = new Int8Array(kernel.memory(), at.rows + i * width, width);
    new Float32Array(kernel.memory(), at.scales)[i] = quantizeRow(row, target);
  }
  kernel.scan(at.rows, at.scales, at.query, scale, width, rows.length, at.out);
  return new Float32Array(kernel.memory(), at.out, rows.length).slice();
}

const finite = fc.float({ min: -1, max: 1, noNaN: true });
const shape = fc.record({ dimensions: fc.integer({ min: 1, max: 100 }), count: fc.integer({ min: 0, max: 20 }) });
const vectors = shape.chain(({ dimensions, count }) => {
  const vector = fc.array(finite, { minLength: dimensions, maxLength: dimensions }).map((v) => Float32Array.from(v));
  return fc.tuple(fc.array(vector, { minLength: count, maxLength: count }), vector);
});

describe('the wasm kernel', () => {
  it('gives the scores of plain JavaScript', () => {
    fc.assert(
      fc.property(vectors, ([rows, query]) => {
        expect(scanWith(wasmKernel(), rows, query)).toEqual(scanWith(javascriptKernel(), rows, query));
      }),
    );
  });

  it('does not overflow with the longest sums', () => {
    const full = new Float32Array(4096).fill(1);
    for (const kernel of [wasmKernel(), javascriptKernel()]) {
      const [score] = scanWith(kernel, [full], full);
      expect(Math.abs((score as number) / 4096 - 1)).toBeLessThan(1e-3);
    }
  });

  it('stays within the stated error of the exact score', () => {
    fc.assert(
      fc.property(vectors, ([rows, query]) => {
        const norm = Math.hypot(...query);
        const scores = scanWith(wasmKernel(), rows, query);
        for (const [i, row] of rows.entries()) {
          const exact = row.reduce((sum, value, j) => sum + value * (query[j] as number), 0);
          const scale = quantizeRow(row, new Int8Array(row.length));
          expect(Math.abs((scores[i] as number) - exact)).toBeLessThanOrEqual(scoreError(scale) * norm + 1e-4);
        }
      }),
    );
  });

  it('is the one that native/kernel.ts compiles to', { timeout: 60_000 }, (context) => {
    context.skip(!existsSync(join(NATIVE, 'node_modules/assemblyscript')), 'cd native && npm ci installs the compiler');
    const out = join(temporaryFolder(), 'kernel.generated.ts');
    const { status, stderr } = spawnSync(process.execPath, [join(NATIVE, 'build.mjs'), '--out', out], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(readFileSync(out, 'utf8')).toBe(readFileSync(GENERATED, 'utf8'));
  });
});

describe('its memory', () => {
  it('never hands out the same bytes twice, and uses again what came back', () => {
    const sizes = fc.array(fc.record({ bytes: fc.integer({ min: 0, max: 300_000 }), release: fc.boolean() }), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(sizes, fc.constantFrom(wasmKernel, javascriptKernel), (requests, create) => {
        const kernel = create();
        const held: { start: number; end: number }[] = [];
        for (const { bytes, release } of requests) {
          const start = kernel.allocate(bytes);
          const end = start + bytes;
          expect(start % 16).toBe(0);
          expect(end).toBeLessThanOrEqual(kernel.memory().byteLength);
          for (const other of held) expect(end <= other.start || start >= other.end).toBe(true);
          if (release) kernel.release(start);
          else if (bytes > 0) held.push({ start, end });
        }
      }),
    );
    const kernel = wasmKernel();
    const first = kernel.allocate(1 << 20);
    const size = kernel.memory().byteLength;
    for (let i = 0; i < 20; i++) {
      kernel.release(i === 0 ? first : kernel.allocate(1 << 20));
      kernel.release(kernel.allocate(1 << 19));
    }
    expect(kernel.memory().byteLength).toBe(size);
  });

  it('keeps its contents when it grows', () => {
    for (const kernel of [wasmKernel(), javascriptKernel()]) {
      const address = kernel.allocate(64);
      new Uint8Array(kernel.memory(), address, 64).fill(7);
      kernel.allocate(10 << 20);
      expect([...new Uint8Array(kernel.memory(), address, 64)]).toEqual(Array.from({ length: 64 }, () => 7));
    }
  });
});
