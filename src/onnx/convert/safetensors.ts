/**
 * Reads weights as transformers and sentence-transformers save them: eight bytes with the length of a JSON header, the
 * header, and behind it the tensors at the places that the header states.
 */
import { RagError } from '../../core/errors.ts';
import type { Constant, DataType } from './graph.ts';

const DATA_TYPES: Readonly<Record<string, { readonly type: DataType; readonly bytes: number } | undefined>> = {
  F32: { type: 'float32', bytes: 4 },
  F16: { type: 'float16', bytes: 2 },
  BF16: { type: 'bfloat16', bytes: 2 },
};
const LENGTH_BYTES = 8;

export interface Weights {
  /** The first tensor with one of the names. @throws RagError `setting-invalid` where there is none */
  get(...names: readonly string[]): Constant;
  has(name: string): boolean;
}

/** @throws RagError `setting-invalid` for a file that is not whole or is something else */
export function readSafetensors(file: Buffer, path: string): Weights {
  const broken = (why: string, cause?: unknown): RagError =>
    new RagError('setting-invalid', `${path} cannot be read: ${why}`, { hint: 'download the file again', cause });
  const start = LENGTH_BYTES + (file.length < LENGTH_BYTES ? 0 : Number(file.readBigUInt64LE()));
  if (start > file.length) throw broken('it ends within its header');
  let header: unknown;
  try {
    header = JSON.parse(file.toString('utf8', LENGTH_BYTES, start));
  } catch (cause) {
    throw broken('its header is not JSON', cause);
  }
  const tensors = new Map(Object.entries(header ?? {}));
  return {
    has: (name) => tensors.has(name),
    get(...names) {
      const name = names.find((one) => tensors.has(one));
      if (name === undefined) {
        throw new RagError('setting-invalid', `${path} has no ${names.join(' or ')}`, {
          hint: 'its config.json describes another model',
        });
      }
      const { dtype, shape, data_offsets: offsets } = tensors.get(name) as Readonly<Record<string, unknown>>;
      const known = DATA_TYPES[String(dtype)];
      if (known === undefined) throw broken(`${name} has numbers of the type ${String(dtype)}`);
      const [dims, [from = NaN, to = NaN]] = [wholeNumbers(shape), wholeNumbers(offsets)];
      const size = dims.reduce((product, length) => product * length, known.bytes);
      if (to - from !== size || start + to > file.length) throw broken(`${name} is not whole`);
      return { type: known.type, dims, bytes: file.subarray(start + from, start + to) };
    },
  };
}

const wholeNumbers = (value: unknown): readonly number[] =>
  Array.isArray(value) && value.every((one) => Number.isSafeInteger(one) && one >= 0) ? (value as number[]) : [];
