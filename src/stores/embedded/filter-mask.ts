/** A filter as one byte a row: conditions are decided once for each distinct value, then looked up. */
import { conditionHolds, foldFilter } from '../../core/filter.ts';
import type { Filter, FilterCondition } from '../../core/filter.ts';
import type { LoadedSegment } from './loaded-segment.ts';

/** 1 for rows that are alive and pass; undefined when all rows do. */
export function eligibleRows(segment: LoadedSegment, filter: Filter | undefined): Uint8Array | undefined {
  if (filter === undefined) return segment.alive;
  const passing = foldFilter<Uint8Array>(filter, {
    condition: (field, condition) => conditionMask(segment, field, condition),
    and: (parts) => combine(segment.rows, 1, parts, (a, b) => a & b),
    or: (parts) => combine(segment.rows, 0, parts, (a, b) => a | b),
    not: (part) => part.map((bit) => bit ^ 1),
  });
  return segment.alive === undefined ? passing : combine(segment.rows, 1, [passing, segment.alive], (a, b) => a & b);
}

function conditionMask(segment: LoadedSegment, field: string, condition: FilterCondition): Uint8Array {
  const column = segment.column(field);
  if (column === undefined) {
    return new Uint8Array(segment.rows).fill(conditionHolds(undefined, condition) ? 1 : 0);
  }
  const passes = Uint8Array.from(column.values, (value) => (conditionHolds(value, condition) ? 1 : 0));
  const mask = new Uint8Array(segment.rows);
  const { codes } = column;
  for (let row = 0; row < mask.length; row++) mask[row] = passes[codes[row] as number] as number;
  return mask;
}

function combine(
  rows: number,
  neutral: number,
  parts: readonly Uint8Array[],
  join: (a: number, b: number) => number,
): Uint8Array {
  const mask = new Uint8Array(rows).fill(neutral);
  for (const part of parts) {
    for (let row = 0; row < rows; row++) mask[row] = join(mask[row] as number, part[row] as number);
  }
  return mask;
}
