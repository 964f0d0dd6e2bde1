/** Arrays as bytes and back, little-endian like every machine that Node runs on. Nothing is parsed: views only. */

/** A list of strings that is searched and read without decoding all of it. */
export interface StringTable {
  readonly length: number;
  at(index: number): string;
}

export interface EncodedStrings {
  /** UTF-8, one behind the other. */
  readonly bytes: Uint8Array;
  /** Where each string ends in `bytes`. */
  readonly ends: Uint32Array;
}

export function encodeStrings(strings: readonly string[]): EncodedStrings {
  const ends = new Uint32Array(strings.length);
  let end = 0;
  for (const [i, text] of strings.entries()) {
    end += Buffer.byteLength(text);
    ends[i] = end;
  }
  return { bytes: Buffer.from(strings.join('')), ends };
}

export function stringTable({ bytes, ends }: EncodedStrings): StringTable {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    length: ends.length,
    at: (i) => buffer.toString('utf8', i === 0 ? 0 : ends[i - 1], ends[i]),
  };
}

export const allStrings = (table: StringTable): string[] => Array.from({ length: table.length }, (_, i) => table.at(i));

/** Index of a string in a table sorted by code units, or -1. */
export function findString(table: StringTable, wanted: string): number {
  let [low, high] = [0, table.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = table.at(middle);
    if (found === wanted) return middle;
    if (found < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

export const bytesOf = (array: ArrayBufferView): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

/** The same bytes as numbers of 4 bytes; copied only where they do not begin at a multiple of 4. */
export function asUint32(bytes: Uint8Array): Uint32Array {
  const { buffer, byteOffset, byteLength } = aligned(bytes);
  return new Uint32Array(buffer, byteOffset, byteLength >>> 2);
}

export function asUint16(bytes: Uint8Array): Uint16Array {
  const { buffer, byteOffset, byteLength } = aligned(bytes);
  return new Uint16Array(buffer, byteOffset, byteLength >>> 1);
}

export function asFloat32(bytes: Uint8Array): Float32Array {
  const { buffer, byteOffset, byteLength } = aligned(bytes);
  return new Float32Array(buffer, byteOffset, byteLength >>> 2);
}

const aligned = (bytes: Uint8Array): Uint8Array => (bytes.byteOffset % 4 === 0 ? bytes : bytes.slice());

/** First index whose value is not below `wanted`, in ascending numbers. */
export function lowerBound(ascending: Uint32Array, wanted: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
