/**
 * Vectors as rows of the table `vectors`. Dense ones stay there, for exact scores; sparse ones only until their chunk
 * is in a segment, which has all of them: they are what a killed run is continued from.
 */
import type { SparseVector } from '../../core/types.ts';
import type { Database } from '../sqlite.ts';
import { asFloat32, asUint32, bytesOf } from './binary.ts';
import { MAX_SPACES } from './format.ts';

/** Numbers of the vector spaces, by name. */
export interface SpaceNumbers {
  readonly dense: ReadonlyMap<string, number>;
  readonly sparse: ReadonlyMap<string, number>;
}

export function readSpaces(db: Database): SpaceNumbers {
  const rows = db.prepare<{ id: number; name: string; kind: string }>('SELECT id, name, kind FROM spaces').all();
  const ofKind = (wanted: string): ReadonlyMap<string, number> =>
    new Map(rows.filter(({ kind }) => kind === wanted).map(({ id, name }) => [name, id]));
  return { dense: ofKind('dense'), sparse: ofKind('sparse') };
}

export const vectorKey = (ordinal: number, space: number): number => ordinal * MAX_SPACES + space;

/** Exact dense vectors by key; unknown keys are left out. */
export function readVectors(db: Database, keys: readonly number[]): Map<number, Float32Array> {
  const rows = db
    .prepare<{ key: number; vector: Uint8Array }>(
      'SELECT key, vector FROM vectors WHERE key IN (SELECT value FROM json_each(?))',
    )
    .all(JSON.stringify(keys));
  return new Map(rows.map(({ key, vector }) => [key, asFloat32(vector)]));
}

/** Numbers, then weights. */
export const encodeSparse = ({ indices, values }: SparseVector): Uint8Array =>
  Buffer.concat([bytesOf(indices), bytesOf(values)]);

/** The sparse vectors of a chunk that is in no segment yet. */
export function readSparse(db: Database, ordinal: number, spaces: SpaceNumbers): Record<string, SparseVector> {
  const found: Record<string, SparseVector> = {};
  for (const [space, number] of spaces.sparse) {
    const row = db
      .prepare<{ vector: Uint8Array }>('SELECT vector FROM vectors WHERE key = ?')
      .get(vectorKey(ordinal, number));
    if (row === undefined) continue;
    const split = row.vector.byteLength / 2;
    found[space] = { indices: asUint32(row.vector.subarray(0, split)), values: asFloat32(row.vector.subarray(split)) };
  }
  return found;
}

/** Of the chunks from an ordinal on, which a segment has now. */
export function deleteSparse(db: Database, from: number, spaces: SpaceNumbers): void {
  for (const number of spaces.sparse.values()) {
    db.prepare(`DELETE FROM vectors WHERE key >= ? AND key % ${MAX_SPACES} = ?`).run(vectorKey(from, 0), number);
  }
}
