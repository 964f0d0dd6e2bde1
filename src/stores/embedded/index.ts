/**
 * The default store: one SQLite file, searched exactly. Documents, chunks and exact vectors are rows; int8 vectors,
 * postings and metadata columns are blobs of segments. docs/decisions/2026-11-22-embedded-store.md says why.
 */
import { statSync } from 'node:fs';
import type { KnownRevision, LegRun, Store } from '../../core/contracts.ts';
import { RagError } from '../../core/errors.ts';
import type { Warning } from '../../core/types.ts';
import { checkSparse, checkVector } from '../checks.ts';
import type { Database } from '../sqlite.ts';
import { searchDense } from './dense-leg.ts';
import { countDocuments, listDocuments, readChunks, readDocument, readNeighbours } from './documents.ts';
import { SCHEMA_NAME } from './format.ts';
import { searchKeyword } from './keyword-leg.ts';
import { listOrigins } from './origins.ts';
import { openForReading, openForWriting, reading } from './open-index.ts';
import type { OpenIndex } from './open-index.ts';
import type { Snapshot } from './snapshot.ts';
import { searchSparse } from './sparse-leg.ts';
import type { Scored } from './top-list.ts';
import { readVectors, vectorKey } from './vector-rows.ts';
import type { Writer } from './writer.ts';

export interface EmbeddedStoreOptions {
  /** The SQLite file; its folder exists. */
  readonly path: string;
  readonly onWarning?: (warning: Warning) => void;
}

export default function embeddedStore(options: EmbeddedStoreOptions): Store {
  const { path, onWarning = () => undefined } = options;
  let state: OpenIndex | undefined;

  const opened = (): OpenIndex => {
    if (state === undefined) throw new RagError('internal', 'the store is not open');
    return state;
  };
  const write = <T>(use: (writer: Writer, db: Database) => T): T => {
    const { writer, db } = opened();
    if (writer === undefined) throw new RagError('internal', 'the store is open for reading only');
    return reading(path, () => use(writer, db));
  };
  /** Everything inside is of one moment; what cannot be decoded is damage. */
  const read = <T>(use: (opened: OpenIndex, generation: number) => T): T => {
    const current = opened();
    return current.db.read(() => reading(path, () => use(current, readGeneration(current.db))));
  };

  return {
    supports: new Set(['dense', 'sparse', 'keyword'] as const),

    async open(schema, mode) {
      if (state !== undefined) throw new RagError('internal', 'the store is open already');
      state =
        mode === 'write'
          ? await openForWriting(path, schema, onWarning)
          : await openForReading(path, schema, onWarning);
    },

    async revisions(sourceId) {
      const rows = opened()
        .db.prepare<KnownRevision & { uri: string }>('SELECT uri, revision, stamp FROM origins WHERE source = ?')
        .all(sourceId);
      return new Map(rows.map(({ uri, revision, stamp }) => [uri, { revision, stamp }]));
    },

    async replace(origin, documents) {
      write((writer) => {
        writer.replace(origin, documents);
      });
    },
    async touch(sourceId, uri, stamp) {
      write((writer) => {
        writer.touch(sourceId, uri, stamp);
      });
    },
    async remove(sourceId, uri) {
      write((writer) => {
        writer.remove(sourceId, uri);
      });
    },
    async publish() {
      return write((writer) => writer.publish());
    },

    async search(query, call) {
      call?.signal?.throwIfAborted();
      return read(({ db, schema, analyzer, snapshot, kernel, norms, spaces }): LegRun => {
        if (query.leg === 'dense') {
          checkVector(schema, query.space, query.vector);
          const { segments } = snapshot();
          const exact = (ordinals: readonly number[]): ReadonlyMap<number, Float32Array> =>
            exactVectors(db, ordinals, spaces.dense.get(query.space) as number);
          return { hits: toHits(segments, searchDense(segments, query, kernel(), exact)) };
        }
        if (query.leg === 'sparse') {
          checkSparse(schema, query.space, query.vector);
          const { segments } = snapshot();
          return { hits: toHits(segments, searchSparse(segments, query)) };
        }
        const current = snapshot();
        const words = analyzer.queryWords(query.text, current.languages);
        const { best, ...run } = searchKeyword(current, words, query, norms);
        return { hits: toHits(current.segments, best), ...run };
      });
    },

    async chunks(ids) {
      return read(({ db }, generation) => readChunks(db, generation, ids));
    },
    async neighbours(documentId, from, to) {
      return read(({ db }, generation) => readNeighbours(db, generation, documentId, from, to));
    },
    async document(id) {
      return read(({ db }, generation) => readDocument(db, generation, id));
    },
    async documents(sourceId) {
      return read(({ db }, generation) => listDocuments(db, generation, sourceId));
    },
    async origins() {
      return read(({ db }, generation) => listOrigins(db, generation));
    },
    async generation() {
      return read((_, generation) => generation);
    },
    async statistics() {
      const counted = read(({ db }, generation) => ({ ...countDocuments(db, generation), generation }));
      const bytes = [path, `${path}-wal`].reduce(
        (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
        0,
      );
      return { ...counted, bytes };
    },

    async get(name) {
      const row = opened().db.prepare<{ value: string }>('SELECT value FROM named_values WHERE name = ?').get(name);
      return row === undefined ? undefined : reading(path, () => JSON.parse(row.value) as unknown);
    },
    async put(name, value) {
      if (name === SCHEMA_NAME) throw new RagError('internal', `the name ${name} is taken`);
      write((_, db) => {
        db.prepare(
          'INSERT INTO named_values VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
        ).run(name, JSON.stringify(value));
      });
    },

    async close() {
      state?.close();
      state = undefined;
    },
  };
}

const readGeneration = (db: Database): number =>
  db.prepare<{ generation: number }>('SELECT generation FROM state').get()?.generation ?? 0;

function exactVectors(db: Database, ordinals: readonly number[], space: number): ReadonlyMap<number, Float32Array> {
  const vectors = readVectors(
    db,
    ordinals.map((ordinal) => vectorKey(ordinal, space)),
  );
  return new Map([...vectors].map(([key, vector]) => [(key - space) / vectorKey(1, 0), vector]));
}

function toHits(segments: Snapshot['segments'], best: readonly Scored[]): LegRun['hits'] {
  return best.map(({ row, score }) => {
    let local = row;
    const segment = segments.find(({ rows }) => local < rows || ((local -= rows), false));
    return { chunkId: segment?.ids().at(local) ?? '', score };
  });
}
