/** The wasm kernel with a memory of its own; where wasm SIMD is missing, the same in plain JavaScript, with a warning. */
import { RagError } from '../../core/errors.ts';
import type { Warning } from '../../core/types.ts';
import { KERNEL_WASM } from './kernel.generated.ts';

/** Addresses are byte offsets in `memory()`, multiples of 16. */
export interface Kernel {
  /** All of the memory; a view taken before an `allocate` may be dead after it. */
  memory(): ArrayBuffer;
  /** @throws RagError `storage-failed` when there is no more memory */
  allocate(bytes: number): number;
  release(address: number): void;
  /** out[i] = scale × scales[i] × (query · row i); see native/kernel.ts for the layout. */
  scan(rows: number, scales: number, query: number, scale: number, width: number, count: number, out: number): void;
}

interface Memory {
  readonly buffer: ArrayBuffer;
  /** Adds pages of 64 KiB. */
  grow(pages: number): void;
}

/** The part that is used here; the compiler knows it only together with the browser's types. */
declare const WebAssembly: {
  validate(wasm: Uint8Array): boolean;
  readonly Memory: new (size: { readonly initial: number }) => Memory;
  readonly Module: new (wasm: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly env: { readonly memory: Memory } },
  ) => { readonly exports: Pick<Kernel, 'scan'> };
};

const PAGE = 65_536;
const ALIGNMENT = 16;

export function createKernel(onWarning: (warning: Warning) => void): Kernel {
  const wasm = new Uint8Array(Buffer.from(KERNEL_WASM, 'base64'));
  if (!WebAssembly.validate(wasm)) {
    onWarning({
      code: 'slow-vectors',
      message: 'this machine has no wasm SIMD: vector search runs in plain JavaScript, about ten times slower',
    });
    return javascriptKernel();
  }
  const memory = new WebAssembly.Memory({ initial: 1 });
  const instance = new WebAssembly.Instance(new WebAssembly.Module(wasm), { env: { memory } });
  return { ...allocator(memory), scan: instance.exports.scan };
}

/** The reference that the wasm kernel is tested against. */
export function javascriptKernel(): Kernel {
  let buffer = new ArrayBuffer(PAGE);
  const memory: Memory = {
    get buffer() {
      return buffer;
    },
    grow(pages) {
      const larger = new ArrayBuffer(buffer.byteLength + pages * PAGE);
      new Uint8Array(larger).set(new Uint8Array(buffer));
      buffer = larger;
    },
  };
  return {
    ...allocator(memory),
    scan(rows, scales, query, scale, width, count, out) {
      const q = new Int16Array(buffer, query, width);
      const codes = new Int8Array(buffer, rows, width * count);
      const rowScales = new Float32Array(buffer, scales, count);
      const scores = new Float32Array(buffer, out, count);
      for (let i = 0, at = 0; i < count; i++) {
        let sum = 0;
        for (let j = 0; j < width; j++) sum += (codes[at++] as number) * (q[j] as number);
        scores[i] = Math.fround(Math.fround(scale) * (rowScales[i] as number)) * Math.fround(sum);
      }
    },
  };
}

interface Extent {
  readonly start: number;
  readonly size: number;
}

/** First fit; the few large arrays of segments come and go whole, so free space stays in few pieces. */
function allocator(memory: Memory): Omit<Kernel, 'scan'> {
  const used = new Map<number, number>();
  let free: Extent[] = [{ start: ALIGNMENT, size: memory.buffer.byteLength - ALIGNMENT }];

  const release = (extent: Extent): void => {
    const joined: Extent[] = [];
    for (const next of [...free, extent].sort((a, b) => a.start - b.start)) {
      const last = joined.at(-1);
      if (last !== undefined && last.start + last.size === next.start) {
        joined[joined.length - 1] = { start: last.start, size: last.size + next.size };
      } else joined.push(next);
    }
    free = joined;
  };

  const grow = (size: number): void => {
    const before = memory.buffer.byteLength;
    try {
      memory.grow(Math.ceil(size / PAGE));
    } catch (cause) {
      throw new RagError('storage-failed', `no memory for another ${Math.ceil(size / 1e6)} MB of vectors`, {
        hint: 'close other programs, or split the documents into several indexes',
        cause,
      });
    }
    release({ start: before, size: memory.buffer.byteLength - before });
  };

  const allocate = (bytes: number): number => {
    const size = Math.max(ALIGNMENT, Math.ceil(bytes / ALIGNMENT) * ALIGNMENT);
    const found = free.find((extent) => extent.size >= size);
    if (found === undefined) {
      grow(size);
      return allocate(bytes);
    }
    free = free.filter((extent) => extent !== found);
    if (found.size > size) free.push({ start: found.start + size, size: found.size - size });
    used.set(found.start, size);
    return found.start;
  };

  return {
    memory: () => memory.buffer,
    allocate,
    release(address) {
      const size = used.get(address);
      if (size === undefined) return;
      used.delete(address);
      release({ start: address, size });
    },
  };
}
