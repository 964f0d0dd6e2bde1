/** Writes protocol buffers, as far as ONNX files need them. Weights are passed through, never copied. */

/** Bytes in several parts, to be written one after the other. */
export interface Bytes {
  readonly parts: readonly Uint8Array[];
  readonly length: number;
}

/** Field number and value: a whole number ≥ 0 as varint, `{ float }` as four bytes, everything else with its length. */
export type Field = readonly [number, number | string | { readonly float: number } | Uint8Array | Bytes];

const VARINT = 0;
const WITH_LENGTH = 2;
const FOUR_BYTES = 5;

export function message(...fields: readonly Field[]): Bytes {
  return joined(fields.flatMap(([field, value]) => encoded(field, value)));
}

function encoded(field: number, value: Field[1]): readonly (Uint8Array | Bytes)[] {
  if (typeof value === 'number') return [tag(field, VARINT), varint(value)];
  if (typeof value === 'string') return encoded(field, Buffer.from(value));
  if ('float' in value) {
    const bytes = Buffer.alloc(4);
    bytes.writeFloatLE(value.float);
    return [tag(field, FOUR_BYTES), bytes];
  }
  return [tag(field, WITH_LENGTH), varint(value.length), value];
}

const tag = (field: number, wireType: number): Uint8Array => varint(field * 8 + wireType);

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let left = value;
  for (; left > 127; left = Math.floor(left / 128)) bytes.push((left % 128) | 128);
  bytes.push(left);
  return Uint8Array.from(bytes);
}

/** Below, copying is cheaper than another write. */
const SMALL = 1 << 14;

function joined(pieces: readonly (Uint8Array | Bytes)[]): Bytes {
  const parts = pieces.flatMap((piece) => (piece instanceof Uint8Array ? [piece] : piece.parts));
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return { parts: length < SMALL ? [Buffer.concat(parts)] : parts, length };
}
