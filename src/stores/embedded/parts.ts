/** The named byte arrays of a segment, cut into pieces so that a small range of a large one can be read alone. */
import type { Database } from '../sqlite.ts';

export interface PartSize {
  readonly bytes: number;
  /** Length of every piece but the last. */
  readonly piece: number;
}

/** Parts of a segment by name. */
export type PartDirectory = Readonly<Record<string, PartSize>>;

/** For parts that are read whole. */
export const LARGE_PIECE: number = 1 << 20;
/** For parts of which one term's share is read at a time. */
export const SMALL_PIECE: number = 1 << 16;

export interface Part {
  readonly data: Uint8Array;
  readonly piece: number;
}

export function writeParts(db: Database, segment: number, parts: ReadonlyMap<string, Part>): PartDirectory {
  const insert = db.prepare('INSERT INTO segment_parts (segment, part, piece, data) VALUES (?, ?, ?, ?)');
  const directory: Record<string, PartSize> = {};
  for (const [name, { data, piece }] of parts) {
    directory[name] = { bytes: data.byteLength, piece };
    for (let start = 0, i = 0; start < data.byteLength; start += piece, i++) {
      insert.run(segment, name, i, data.subarray(start, start + piece));
    }
  }
  return directory;
}

export function readPart(db: Database, segment: number, name: string, size: PartSize): Uint8Array {
  const whole = new Uint8Array(size.bytes);
  let at = 0;
  eachPiece(db, segment, name, size, (piece) => {
    whole.set(piece, at);
    at += piece.byteLength;
  });
  return whole;
}

/** Hands over the pieces of a part in order, one at a time. */
export function eachPiece(
  db: Database,
  segment: number,
  name: string,
  size: PartSize,
  use: (piece: Uint8Array) => void,
): void {
  const count = Math.ceil(size.bytes / size.piece);
  for (let i = 0; i < count; i++) use(readPiece(db, segment, name, i, size));
}

/** Bytes `[start, end)` of a part, as an array of their own. */
export function readRange(
  db: Database,
  segment: number,
  name: string,
  size: PartSize,
  start: number,
  end: number,
): Uint8Array {
  const range = new Uint8Array(end - start);
  for (let i = Math.floor(start / size.piece); i * size.piece < end; i++) {
    const offset = i * size.piece;
    const piece = readPiece(db, segment, name, i, size);
    range.set(piece.subarray(Math.max(0, start - offset), end - offset), Math.max(0, offset - start));
  }
  return range;
}

/** @throws RangeError when the piece is missing or of another length, which `storage` reports as damage */
function readPiece(db: Database, segment: number, name: string, piece: number, size: PartSize): Uint8Array {
  const row = db
    .prepare<{ data: Uint8Array }>('SELECT data FROM segment_parts WHERE segment = ? AND part = ? AND piece = ?')
    .get(segment, name, piece);
  const expected = Math.min(size.piece, size.bytes - piece * size.piece);
  if (row?.data.byteLength !== expected) throw new RangeError(`piece ${piece} of ${name} in segment ${segment}`);
  return row.data;
}
