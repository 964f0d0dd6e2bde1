/** Metadata by column: the distinct values of a field, and for each chunk the number of its value. */
import { BUILT_IN_FIELDS, fieldValue } from '../../core/filter.ts';
import type { Chunk, MetadataValue } from '../../core/types.ts';
import { asUint16, asUint32, bytesOf } from './binary.ts';

export interface Column {
  /** The first is `undefined`: the chunk has no such field. */
  readonly values: readonly (MetadataValue | undefined)[];
  /** By row: an index into `values`. */
  readonly codes: Uint8Array | Uint16Array | Uint32Array;
}

export interface ColumnsBuilder {
  add(chunk: Chunk): void;
  finish(): Map<string, Column>;
}

interface Growing {
  readonly values: (MetadataValue | undefined)[];
  readonly numbers: Map<string, number>;
  readonly codes: number[];
}

export function columnsBuilder(): ColumnsBuilder {
  const columns = new Map<string, Growing>();
  let rows = 0;

  const addValue = (field: string, value: MetadataValue | undefined): void => {
    if (value === undefined) return;
    let column = columns.get(field);
    if (column === undefined) columns.set(field, (column = emptyColumn()));
    while (column.codes.length < rows) column.codes.push(0);
    column.codes.push(numberOf(column, value));
  };

  return {
    add(chunk) {
      for (const field of BUILT_IN_FIELDS) addValue(field, fieldValue(chunk, field));
      for (const [field, value] of Object.entries(chunk.metadata)) {
        if (!(BUILT_IN_FIELDS as readonly string[]).includes(field)) addValue(field, value);
      }
      rows++;
    },
    finish: () => finishColumns(columns, rows),
  };
}

/** Columns of several segments one behind the other, without the rows that are not kept. */
export function mergeColumns(
  inputs: readonly { readonly columns: ReadonlyMap<string, Column>; readonly kept: Uint32Array }[],
): Map<string, Column> {
  const merged = new Map<string, Growing>();
  const fields = new Set(inputs.flatMap(({ columns }) => [...columns.keys()]));
  const rows = inputs.reduce((sum, { kept }) => sum + kept.length, 0);
  for (const field of fields) {
    const target = emptyColumn();
    for (const { columns, kept } of inputs) {
      const column = columns.get(field);
      const numbers = new Map<number, number>([[0, 0]]);
      for (const row of kept) {
        const code = column?.codes[row] ?? 0;
        let number = numbers.get(code);
        if (number === undefined) {
          number = numberOf(target, column?.values[code] as MetadataValue);
          numbers.set(code, number);
        }
        target.codes.push(number);
      }
    }
    if (target.values.length > 1) merged.set(field, target);
  }
  return finishColumns(merged, rows);
}

/** Layout: length of the JSON, bytes a code, JSON of the values (padded to 4 bytes), codes. */
export function encodeColumn({ values, codes }: Column): Uint8Array {
  const json = Buffer.from(JSON.stringify(values.slice(1)));
  const padded = Math.ceil(json.length / 4) * 4;
  const bytes = new Uint8Array(8 + padded + codes.byteLength);
  new Uint32Array(bytes.buffer, 0, 2).set([json.length, codes.BYTES_PER_ELEMENT]);
  bytes.set(json, 8);
  bytes.set(bytesOf(codes), 8 + padded);
  return bytes;
}

export function decodeColumn(bytes: Uint8Array): Column {
  const [length = 0, width = 0] = asUint32(bytes.subarray(0, 8));
  const json = Buffer.from(bytes.buffer, bytes.byteOffset + 8, length).toString('utf8');
  const codes = bytes.subarray(8 + Math.ceil(length / 4) * 4);
  return {
    values: [undefined, ...(JSON.parse(json) as MetadataValue[])],
    codes: width === 1 ? codes : width === 2 ? asUint16(codes) : asUint32(codes),
  };
}

const emptyColumn = (): Growing => ({ values: [undefined], numbers: new Map(), codes: [] });

function numberOf(column: Growing, value: MetadataValue): number {
  const key = typeof value === 'string' ? `"${value}` : JSON.stringify(value);
  let number = column.numbers.get(key);
  if (number === undefined) {
    number = column.values.push(value) - 1;
    column.numbers.set(key, number);
  }
  return number;
}

function finishColumns(columns: ReadonlyMap<string, Growing>, rows: number): Map<string, Column> {
  const finished = new Map<string, Column>();
  for (const [field, { values, codes }] of columns) {
    const narrow =
      values.length <= 256
        ? new Uint8Array(rows)
        : values.length <= 65_536
          ? new Uint16Array(rows)
          : new Uint32Array(rows);
    narrow.set(codes);
    finished.set(field, { values, codes: narrow });
  }
  return finished;
}
