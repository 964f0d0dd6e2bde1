/**
 * Keeps the number of segments small. Neighbouring segments of about the same size are merged, eight at a time, so
 * that every chunk is rewritten once for each eightfold growth; segments with many dead rows are rewritten alone.
 */
import type { IndexSchema } from '../../core/contracts.ts';
import { damaged } from '../sqlite.ts';
import type { Database } from '../sqlite.ts';
import { readPart, writeParts } from './parts.ts';
import type { PartDirectory } from './parts.ts';
import { paddedWidth } from './quantize.ts';
import { decodeSegment, encodeSegment, mergeSegments } from './segment.ts';
import type { SegmentContents } from './segment.ts';

/** Merges happen at this many neighbours of a size, smaller ones between them not counted. */
const FAN_IN = 8;
/** Segments up to this size count as small: they cost little, however often they are merged. */
const SMALLEST_ROWS = 256;
/** Bounds the memory and the time of one merge. */
const MOST_ROWS = 131_072;
/** Share of dead rows from which a segment is rewritten. */
const DEAD_SHARE = 0.25;

interface SegmentRow {
  readonly id: number;
  readonly generation: number;
  readonly rows: number;
  readonly dead: number;
  readonly first_ordinal: number;
  readonly last_ordinal: number;
}

/** Which segments, and from which generation on their dead chunks are nobody's any more. */
export interface MergeScope {
  readonly from: number;
  readonly to: number;
}

/** Writes a segment for a generation; none for contents without rows. */
export function insertSegment(db: Database, contents: SegmentContents, generation: number): void {
  const { ordinals } = contents;
  if (ordinals.length === 0) return;
  const id = db
    .prepare<{ id: number }>(
      `INSERT INTO segments (generation, rows, dead, first_ordinal, last_ordinal, parts)
       VALUES (?, ?, 0, ?, ?, '') RETURNING id`,
    )
    .get(generation, ordinals.length, ordinals[0] as number, ordinals.at(-1) as number)?.id as number;
  const directory = writeParts(db, id, encodeSegment(contents));
  db.prepare('UPDATE segments SET parts = ? WHERE id = ?').run(JSON.stringify(directory), id);
  const field = db.prepare("INSERT OR IGNORE INTO fields VALUES (?, 'json')");
  for (const name of contents.columns.keys()) field.run(name);
}

/** Merges what should be merged, one transaction a merge. */
export function mergeAll(db: Database, schema: IndexSchema, scope: MergeScope): void {
  for (;;) {
    const group = chooseMerge(
      db
        .prepare<SegmentRow>(
          `SELECT id, generation, rows, dead, first_ordinal, last_ordinal FROM segments
           WHERE generation BETWEEN ? AND ? ORDER BY first_ordinal`,
        )
        .all(scope.from, scope.to),
    );
    if (group.length === 0) return;
    db.write(() => {
      mergeGroup(db, schema, group, scope.to);
    });
  }
}

/** Neighbours to make one segment of; empty when all is well. `segments` in the order of storage. */
export function chooseMerge<S extends Pick<SegmentRow, 'rows' | 'dead'>>(segments: readonly S[]): readonly S[] {
  const worn = segments.find(({ rows, dead }) => dead > rows * DEAD_SHARE);
  if (worn !== undefined) return [worn];
  const largest = Math.max(0, ...segments.map(level).filter(Number.isFinite));
  for (let limit = 0; limit <= largest; limit++) {
    let run: S[] = [];
    for (const segment of [...segments, undefined]) {
      if (segment !== undefined && level(segment) <= limit) {
        run.push(segment);
        continue;
      }
      if (run.filter((member) => level(member) === limit).length >= FAN_IN) return withinBounds(run);
      run = [];
    }
  }
  return [];
}

/** 0 for small ones, one more for each eightfold; too large to merge: infinity. */
function level({ rows }: { readonly rows: number }): number {
  if (rows > MOST_ROWS / 2) return Infinity;
  return Math.max(0, Math.floor(Math.log(rows / SMALLEST_ROWS) / Math.log(FAN_IN)) + 1);
}

function withinBounds<S extends { readonly rows: number }>(run: readonly S[]): readonly S[] {
  let rows = 0;
  const end = run.findIndex((segment) => (rows += segment.rows) > MOST_ROWS);
  return end === -1 ? run : run.slice(0, end);
}

function mergeGroup(db: Database, schema: IndexSchema, group: readonly SegmentRow[], generation: number): void {
  const [first, last] = [group[0] as SegmentRow, group.at(-1) as SegmentRow];
  const dead = new Set<number>();
  const range = [first.first_ordinal, last.last_ordinal, generation] as const;
  const tombstones = db
    .prepare<{ first_ordinal: number; chunks: number }>(
      'SELECT first_ordinal, chunks FROM tombstones WHERE first_ordinal BETWEEN ? AND ? AND generation <= ?',
    )
    .all(...range);
  for (const { first_ordinal: start, chunks } of tombstones) {
    for (let ordinal = start; ordinal < start + chunks; ordinal++) dead.add(ordinal);
  }

  const keep = (ordinal: number): boolean => !dead.has(ordinal);
  const merged = mergeSegments(group.map((segment) => ({ contents: readSegment(db, schema, segment.id), keep })));
  for (const { id } of group) {
    db.prepare('DELETE FROM segment_parts WHERE segment = ?').run(id);
    db.prepare('DELETE FROM segments WHERE id = ?').run(id);
  }
  db.prepare('DELETE FROM tombstones WHERE first_ordinal BETWEEN ? AND ? AND generation <= ?').run(...range);
  insertSegment(db, merged, Math.max(...group.map((segment) => segment.generation)));
  db.prepare('UPDATE state SET epoch = epoch + 1').run();
}

function readSegment(db: Database, schema: IndexSchema, id: number): SegmentContents {
  const row = db.prepare<{ parts: string }>('SELECT parts FROM segments WHERE id = ?').get(id);
  const directory = JSON.parse(row?.parts ?? '') as PartDirectory;
  const read = (part: string): Uint8Array => {
    const size = directory[part];
    return size === undefined ? new Uint8Array(0) : readPart(db, id, part, size);
  };
  const widthOf = (space: string): number => {
    const known = schema.spaces[space];
    if (known === undefined) throw damaged(`segment ${id}`, `it has vectors of an unknown space "${space}"`);
    return paddedWidth(known.dimensions);
  };
  return decodeSegment(Object.keys(directory), read, widthOf);
}
