/** Rows of the built-in table that an index has taught it: a small file beside the index, and the table with them. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { RagError } from '../core/errors.ts';
import type { StaticModel } from './static-model.ts';

export interface AdaptedRows {
  /** The model that was adapted. */
  readonly base: string;
  readonly dimensions: number;
  /** Word pieces, ascending. */
  readonly ids: Uint32Array;
  /** Row i stands for piece `ids[i]`, and is `scales[i]` times `rows[i × dimensions …]`. */
  readonly scales: Float32Array;
  readonly rows: Int8Array;
}

/** "FNam", so that the file can be told from any other. */
const MAGIC = 0x464e616d;
const FORMAT = 1;

/** A header of JSON, padded to four bytes, then the three arrays as they lie in memory (little endian). */
export function encodeAdapted({ base, dimensions, ids, scales, rows }: AdaptedRows): Buffer {
  const text = JSON.stringify({ format: FORMAT, base, dimensions, count: ids.length });
  const header = Buffer.from(text.padEnd(Math.ceil(text.length / 4) * 4));
  const sizes = Buffer.alloc(8);
  sizes.writeUInt32BE(MAGIC, 0);
  sizes.writeUInt32LE(header.length, 4);
  return Buffer.concat([sizes, header, bytesOf(ids), bytesOf(scales), bytesOf(rows)]);
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint32Array | Float32Array | Int8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** @throws RagError `index-damaged` for anything that {@link encodeAdapted} has not written */
export function decodeAdapted(bytes: Uint8Array, name: string): AdaptedRows {
  const damaged = new RagError('index-damaged', `${name} is no adapted model`, {
    hint: 'footnote ingest --rebuild builds the index anew',
  });
  // Copied, so that the arrays are aligned.
  const { buffer } = Uint8Array.from(bytes);
  if (buffer.byteLength < 8) throw damaged;
  const view = new DataView(buffer);
  const headerEnd = 8 + view.getUint32(4, true);
  if (view.getUint32(0) !== MAGIC || headerEnd > buffer.byteLength) throw damaged;
  const header = readHeader(Buffer.from(buffer, 8, headerEnd - 8).toString('utf8'));
  if (header === undefined) throw damaged;
  const { base, dimensions, count } = header;
  if (buffer.byteLength !== headerEnd + count * (8 + dimensions)) throw damaged;
  return {
    base,
    dimensions,
    ids: new Uint32Array(buffer, headerEnd, count),
    scales: new Float32Array(buffer, headerEnd + 4 * count, count),
    rows: new Int8Array(buffer, headerEnd + 8 * count, count * dimensions),
  };
}

function readHeader(text: string): { base: string; dimensions: number; count: number } | undefined {
  try {
    const { format, base, dimensions, count } = JSON.parse(text) as Record<string, unknown>;
    if (format !== FORMAT || typeof base !== 'string') return undefined;
    if (!Number.isSafeInteger(dimensions) || !Number.isSafeInteger(count)) return undefined;
    return { base, dimensions: dimensions as number, count: count as number };
  } catch {
    return undefined;
  }
}

/** Name of the base model, and fingerprint of the adapted rows. */
export const adaptedName = (base: string, bytes: Uint8Array): string =>
  `${base}+${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}`;

/** The model with the rows in place of its own. */
export function withRows(model: StaticModel, { ids, scales, rows }: AdaptedRows, name: string): StaticModel {
  const { dimensions } = model;
  const [allScales, allRows] = [model.scales.slice(), model.rows.slice()];
  ids.forEach((id, i) => {
    allScales[id] = scales[i] as number;
    allRows.set(rows.subarray(i * dimensions, (i + 1) * dimensions), id * dimensions);
  });
  return { ...model, model: name, scales: allScales, rows: allRows };
}

/**
 * The model as an index has adapted it.
 *
 * @throws RagError `index-damaged`; `index-mismatch` when another version's table was adapted
 */
export async function readAdapted(path: string, model: StaticModel): Promise<StaticModel> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (cause) {
    throw new RagError('index-damaged', `the index's adapted model ${path} cannot be read`, {
      hint: 'footnote ingest --rebuild builds the index anew',
      cause,
    });
  }
  const adapted = decodeAdapted(bytes, path);
  if (adapted.base !== model.model || adapted.dimensions !== model.dimensions) {
    throw new RagError(
      'index-mismatch',
      `the index adapted the model ${adapted.base}; this version has ${model.model}`,
      {
        hint: 'footnote ingest --rebuild builds it anew with the present model',
      },
    );
  }
  if (adapted.ids.some((id) => id >= model.scales.length)) {
    throw new RagError('index-damaged', `${path} names word pieces that the model does not have`, {
      hint: 'footnote ingest --rebuild builds the index anew',
    });
  }
  return withRows(model, adapted, adaptedName(model.model, bytes));
}
