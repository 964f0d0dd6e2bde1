/** What a reader sees: the segments of one published generation, brought up to date at each call. */
import type { Database } from '../sqlite.ts';
import { listLanguages } from './documents.ts';
import type { Kernel } from './kernel.ts';
import { loadSegment } from './loaded-segment.ts';
import type { ListCaches, LoadedSegment, SegmentRow } from './loaded-segment.ts';
import { postingCache } from './posting-cache.ts';

export interface Snapshot {
  readonly generation: number;
  /** In the order of storage. */
  readonly segments: readonly LoadedSegment[];
  /** Chunks that are there. */
  readonly live: number;
  /** Of the documents, sorted. */
  readonly languages: readonly string[];
}

interface State {
  readonly generation: number;
  readonly epoch: number;
}

interface Tombstone {
  readonly first_ordinal: number;
  readonly chunks: number;
}

/** Of each kind of list. */
const POSTING_CACHE_BYTES = 64 << 20;

/** Call it inside `db.read`: the snapshot is then of the same moment as everything else that is read. */
export function snapshots(db: Database, kernel: () => Kernel): () => Snapshot {
  const caches: ListCaches = {
    postings: postingCache(POSTING_CACHE_BYTES, ({ rows, counts }) => rows.byteLength + counts.byteLength),
    weights: postingCache(POSTING_CACHE_BYTES, ({ rows, weights }) => rows.byteLength + weights.byteLength),
  };
  let state: State = { generation: 0, epoch: -1 };
  let snapshot: Snapshot = { generation: 0, segments: [], live: 0, languages: [] };

  return () => {
    const now = db.prepare<State>('SELECT generation, epoch FROM state').get() as State;
    if (now.generation === state.generation && now.epoch === state.epoch) return snapshot;

    const old = new Map(snapshot.segments.map((segment) => [segment.id, segment]));
    const rows = db
      .prepare<SegmentRow>(
        'SELECT id, rows, first_ordinal, last_ordinal FROM segments WHERE generation <= ? ORDER BY first_ordinal',
      )
      .all(now.generation);
    const current = new Set(rows.map(({ id }) => id));
    for (const segment of snapshot.segments) if (!current.has(segment.id)) segment.release();
    const segments = rows.map((row) => {
      const known = old.get(row.id);
      const segment = known ?? loadSegment(db, row, kernel, caches);
      const since = known === undefined ? -1 : state.generation;
      for (const grave of tombstones(db, row, since, now.generation)) segment.bury(grave.first_ordinal, grave.chunks);
      return segment;
    });

    state = now;
    snapshot = {
      generation: now.generation,
      segments,
      live: segments.reduce((sum, { live }) => sum + live, 0),
      languages: listLanguages(db, now.generation),
    };
    return snapshot;
  };
}

/** Of one segment, with a generation in `(after, upTo]`. */
function tombstones(db: Database, segment: SegmentRow, after: number, upTo: number): Tombstone[] {
  if (after === upTo) return [];
  const range = [segment.first_ordinal, segment.last_ordinal] as const;
  const columns = 'SELECT first_ordinal, chunks FROM tombstones';
  // The unary plus chooses the index: all of a new segment by place, the few new ones by generation.
  return after === -1
    ? db.prepare<Tombstone>(`${columns} WHERE first_ordinal BETWEEN ? AND ? AND +generation <= ?`).all(...range, upTo)
    : db
        .prepare<Tombstone>(`${columns} WHERE +first_ordinal BETWEEN ? AND ? AND generation > ? AND generation <= ?`)
        .all(...range, after, upTo);
}
