/**
 * Vectors in an SQLite file, shared by all processes that work on an index. It saves work and holds nothing else: it
 * may be deleted at any time, is begun anew when it is damaged, and a failure costs a warning and never a request.
 */
import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Warning } from '../core/types.ts';
import type { VectorCache } from './with-cache.ts';
import { CODE, primaryCode, type Driver, type DriverDatabase, type DriverStatement } from '../sqlite/driver.ts';

export interface VectorCacheOptions {
  readonly path: string;
  /** Older vectors are made anew; null keeps them as long as the file. */
  readonly ttlSeconds: number | null;
  /** Seconds since 1970. */
  readonly now: () => number;
  /** Told once of each kind of failure. */
  readonly onWarning: (warning: Warning) => void;
}

interface Opened {
  readonly db: DriverDatabase;
  readonly select: DriverStatement;
  readonly insert: DriverStatement;
}

/** Of the table below; a file of another format is begun anew. */
const FORMAT = 1;
/** To wait for another process, which writes for some milliseconds. */
const BUSY_MILLISECONDS = 1000;

export function vectorCache(driver: Driver, options: VectorCacheOptions): VectorCache {
  const { path, ttlSeconds, now, onWarning } = options;
  let opened: Opened | undefined;
  let given = false;
  const told = new Set<string>();
  const tell = (warning: Pick<Warning, 'code' | 'message'>): void => {
    if (told.has(warning.code)) return;
    told.add(warning.code);
    onWarning({ ...warning, hint: 'it only saves time: it may be deleted, or switched off: cache.embeddings: none' });
  };

  const open = (): Opened => {
    const db = new driver.DatabaseSync(path, { readOnly: false });
    try {
      return prepare(db, ttlSeconds === null ? undefined : now() - ttlSeconds);
    } catch (error) {
      quietly(() => db.close());
      throw error;
    }
  };
  const shut = (): void => {
    const file = opened;
    opened = undefined;
    if (file === undefined) return;
    // The driver of Node 20 leaves the log as it is when it closes a file.
    quietly(() => file.db.exec('PRAGMA wal_checkpoint(PASSIVE)'));
    quietly(() => file.db.close());
  };
  /** Runs `work` on the open file; what goes wrong is told, and `otherwise` stands for its result. */
  const attempt = <T>(otherwise: T, work: (file: Opened) => T): T => {
    if (given || (opened === undefined && !existsSync(dirname(path)))) return otherwise;
    try {
      return work((opened ??= open()));
    } catch (error) {
      const code = primaryCode(error);
      const reason = error instanceof Error ? error.message : String(error);
      if (code === CODE.BUSY || code === CODE.LOCKED) {
        const message = `another process holds the embedding cache ${path}: texts are embedded anew`;
        tell({ code: 'embedding-cache-busy', message });
        return otherwise;
      }
      shut();
      const damaged = code === CODE.NOTADB || code === CODE.CORRUPT;
      if (damaged && !told.has('embedding-cache-damaged')) {
        const message = `the embedding cache ${path} was damaged, and is begun anew`;
        tell({ code: 'embedding-cache-damaged', message });
        remove(path);
      } else {
        const message = `the embedding cache ${path} cannot be used (${reason}): texts are embedded anew`;
        tell({ code: 'embedding-cache-failed', message });
        given = true;
      }
      return otherwise;
    }
  };

  return {
    get: (keys) =>
      attempt<readonly (Float32Array | undefined)[]>(
        keys.map(() => undefined),
        ({ db, select }) =>
          within(db, 'BEGIN', () => {
            const oldest = ttlSeconds === null ? 0 : now() - ttlSeconds;
            return keys.map((key) => toVector((select.get(key, oldest) as { vector: Uint8Array } | undefined)?.vector));
          }),
      ),
    put(entries) {
      attempt(undefined, ({ db, insert }) => {
        const at = now();
        within(db, 'BEGIN IMMEDIATE', () => {
          for (const { key, vector } of entries) insert.run(key, toBytes(vector), at);
        });
      });
    },
    close: shut,
  };
}

function prepare(db: DriverDatabase, oldest: number | undefined): Opened {
  db.exec(`PRAGMA busy_timeout = ${BUSY_MILLISECONDS}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL`);
  const isCurrent = (): boolean =>
    (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version === FORMAT;
  if (!isCurrent()) {
    within(db, 'BEGIN IMMEDIATE', () => {
      // Another process may have been first.
      if (isCurrent()) return;
      db.exec('DROP TABLE IF EXISTS vectors');
      db.exec('CREATE TABLE vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL, created INTEGER NOT NULL)');
      db.exec(`PRAGMA user_version = ${FORMAT}`);
    });
  }
  if (oldest !== undefined) db.prepare('DELETE FROM vectors WHERE created <= ?').run(oldest);
  return {
    db,
    select: db.prepare('SELECT vector FROM vectors WHERE key = ? AND created > ?'),
    insert: db.prepare('INSERT OR REPLACE INTO vectors (key, vector, created) VALUES (?, ?, ?)'),
  };
}

function within<T>(db: DriverDatabase, begin: string, work: () => T): T {
  db.exec(begin);
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    // SQLite has already rolled back after some errors.
    quietly(() => db.exec('ROLLBACK'));
    throw error;
  }
}

/** What cannot be removed is told when it is opened again. */
function remove(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) quietly(() => rmSync(path + suffix, { force: true }));
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // Said where it is called.
  }
}

const toBytes = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Undefined for what is no list of numbers. */
function toVector(bytes: Uint8Array | undefined): Float32Array | undefined {
  if (bytes === undefined || bytes.byteLength % 4 !== 0) return undefined;
  const vector = new Float32Array(bytes.slice().buffer);
  return vector.every(Number.isFinite) ? vector : undefined;
}
