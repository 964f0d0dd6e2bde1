/** The wasm kernel that trains (`native/adaptation.ts`), with a memory of its own that goes with it. */
import { ADAPTATION_WASM } from './kernel.generated.ts';

/** Addresses are byte offsets in the kernel's memory, multiples of 16. */
export interface TrainingKernel {
  /** Zeros. Views that were taken before stay good: the memory is as large as it will be. */
  allocate(bytes: number): number;
  floats(address: number, count: number): Float32Array;
  integers(address: number, count: number): Int32Array;
  sumRows(table: number, ids: number, weights: number, count: number, width: number, out: number): void;
  addRows(table: number, ids: number, weights: number, count: number, width: number, vector: number): void;
  dots(a: number, b: number, rows: number, columns: number, width: number, out: number): void;
  combine(
    g: number,
    rowStep: number,
    columnStep: number,
    b: number,
    rows: number,
    columns: number,
    width: number,
    out: number,
  ): void;
  adam(
    numbers: number,
    first: number,
    second: number,
    gradient: number,
    count: number,
    rate: number,
    epsilon: number,
  ): void;
}

/** The part that is used here; the compiler knows it only together with the browser's types. */
declare const WebAssembly: {
  validate(wasm: Uint8Array): boolean;
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (wasm: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly env: { readonly memory: { readonly buffer: ArrayBuffer } } },
  ) => { readonly exports: Omit<TrainingKernel, 'allocate' | 'floats' | 'integers'> };
};

const PAGE = 65_536;
const ALIGNMENT = 16;

/** Whether this machine can train: plain JavaScript would take a minute where wasm SIMD takes seconds. */
export const canTrain = (): boolean => WebAssembly.validate(Buffer.from(ADAPTATION_WASM, 'base64'));

/** @param sizes Bytes of every allocation that will be made. */
export function trainingKernel(sizes: readonly number[]): TrainingKernel {
  const bytes = sizes.reduce((sum, size) => sum + aligned(size), ALIGNMENT);
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE) });
  const wasm = new WebAssembly.Module(Buffer.from(ADAPTATION_WASM, 'base64'));
  const { sumRows, addRows, dots, combine, adam } = new WebAssembly.Instance(wasm, { env: { memory } }).exports;
  let next = ALIGNMENT;
  return {
    allocate(size) {
      const address = next;
      next += aligned(size);
      return address;
    },
    floats: (address, count) => new Float32Array(memory.buffer, address, count),
    integers: (address, count) => new Int32Array(memory.buffer, address, count),
    sumRows,
    addRows,
    dots,
    combine,
    adam,
  };
}

const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
