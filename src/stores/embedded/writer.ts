/** What changes an index. Each call is one transaction; nothing is seen by readers before `publish`. */
import type { IndexSchema, Origin, StoredDocument } from '../../core/contracts.ts';
import { createAnalyzer } from '../../text/analyze.ts';
import { checkDocuments } from '../checks.ts';
import type { Database } from '../sqlite.ts';
import { deleteDocuments, insertDocument, unsegmentedChunks, writeOrigin } from './documents.ts';
import type { DocumentRange } from './documents.ts';
import { insertSegment, mergeAll } from './merge.ts';
import { newSegment } from './new-segment.ts';
import type { NewChunk } from './new-segment.ts';
import { deleteSparse, readSpaces } from './vector-rows.ts';

export interface Writer {
  replace(origin: Origin, documents: readonly StoredDocument[]): void;
  touch(sourceId: string, uri: string, stamp: string): void;
  remove(sourceId: string, uri: string): void;
  publish(): number;
}

interface State {
  readonly generation: number;
  readonly next_ordinal: number;
  readonly segmented: number;
}

/** Chunks are gathered into a segment when so many have come together, and when a run ends. */
const SEGMENT_ROWS = 2048;

/** Continues where a killed writer stopped. */
export function createWriter(db: Database, schema: IndexSchema): Writer {
  const analyzer = createAnalyzer(schema.analyzer);
  const spaces = readSpaces(db);
  const readState = (): State =>
    db.prepare<State>('SELECT generation, next_ordinal, segmented FROM state').get() as State;

  /** Chunks that are in no segment. */
  let pending = newSegment(analyzer);
  for (const chunk of unsegmentedChunks(db, readState().segmented, spaces)) pending.add(chunk);

  /** Inside a transaction; `pending` must be renewed after its end. */
  const writePending = (generation: number): void => {
    insertSegment(db, pending.finish(), generation);
    deleteSparse(db, readState().segmented, spaces);
    db.prepare('UPDATE state SET segmented = next_ordinal').run();
  };

  const flush = (): void => {
    const generation = readState().generation + 1;
    db.write(() => {
      writePending(generation);
    });
    pending = newSegment(analyzer);
    mergeAll(db, schema, { from: generation, to: generation });
  };

  return {
    replace(origin, documents) {
      checkDocuments(schema, documents);
      const { added, dropped } = db.write(() => {
        const state = readState();
        const id = writeOrigin(db, origin);
        const dropped = closeDocuments(db, id, state);
        const added: NewChunk[] = [];
        for (const document of documents) {
          const place = {
            origin: id,
            generation: state.generation + 1,
            firstOrdinal: state.next_ordinal + added.length,
          };
          added.push(...insertDocument(db, document, place, spaces));
        }
        db.prepare('UPDATE state SET next_ordinal = next_ordinal + ?').run(added.length);
        return { added, dropped };
      });
      for (const { firstOrdinal, chunks } of dropped) pending.drop(firstOrdinal, chunks);
      for (const chunk of added) pending.add(chunk);
      if (pending.size >= SEGMENT_ROWS) flush();
    },

    touch(sourceId, uri, stamp) {
      db.prepare('UPDATE origins SET stamp = ? WHERE source = ? AND uri = ?').run(stamp, sourceId, uri);
    },

    remove(sourceId, uri) {
      const dropped = db.write(() => {
        const origin = db
          .prepare<{ id: number }>('DELETE FROM origins WHERE source = ? AND uri = ? RETURNING id')
          .get(sourceId, uri);
        return origin === undefined ? [] : closeDocuments(db, origin.id, readState());
      });
      for (const { firstOrdinal, chunks } of dropped) pending.drop(firstOrdinal, chunks);
    },

    publish() {
      const generation = readState().generation + 1;
      db.write(() => {
        writePending(generation);
        db.prepare('UPDATE state SET generation = ?, epoch = epoch + 1').run(generation);
        deleteDocuments(db, closedDocuments(db, generation));
      });
      pending = newSegment(analyzer);
      mergeAll(db, schema, { from: 0, to: generation });
      return generation;
    },
  };
}

/**
 * Ends the documents of an origin with the run that is being written. Those of an earlier run stay for readers until
 * it is published; those of this run vanish at once. Returns the ones whose chunks are still pending.
 */
function closeDocuments(db: Database, origin: number, { generation, segmented }: State): DocumentRange[] {
  const writing = generation + 1;
  const open = db
    .prepare<DocumentRow>(
      `SELECT number, from_generation, first_ordinal, chunks FROM documents
       WHERE origin = ? AND to_generation IS NULL`,
    )
    .all(origin);
  const dropped: DocumentRange[] = [];
  for (const row of open) {
    const range = rangeOf(row);
    if (range.firstOrdinal >= segmented) dropped.push(range);
    else bury(db, range, writing);
    if (row.from_generation === writing) deleteDocuments(db, [range]);
    else db.prepare('UPDATE documents SET to_generation = ? WHERE number = ?').run(writing, row.number);
  }
  return dropped;
}

interface DocumentRow {
  readonly number: number;
  readonly from_generation: number;
  readonly first_ordinal: number;
  readonly chunks: number;
}

const rangeOf = ({ number, first_ordinal: firstOrdinal, chunks }: DocumentRow): DocumentRange => ({
  number,
  firstOrdinal,
  chunks,
});

function closedDocuments(db: Database, generation: number): DocumentRange[] {
  return db
    .prepare<DocumentRow>(
      'SELECT number, from_generation, first_ordinal, chunks FROM documents WHERE to_generation <= ?',
    )
    .all(generation)
    .map(rangeOf);
}

/** Chunks that are in a segment stay there as dead rows until it is merged. */
function bury(db: Database, { firstOrdinal, chunks }: DocumentRange, generation: number): void {
  if (chunks === 0) return;
  db.prepare('INSERT INTO tombstones VALUES (?, ?, ?)').run(firstOrdinal, chunks, generation);
  db.prepare('UPDATE segments SET dead = dead + ? WHERE first_ordinal <= ? AND last_ordinal >= ?').run(
    chunks,
    firstOrdinal,
    firstOrdinal,
  );
}
