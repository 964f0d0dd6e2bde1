/** The index's side of SQLite: statements kept compiled, transactions, and every failure as a plain sentence. */
import { RagError } from '../core/errors.ts';
import { CODE, loadDriver, primaryCode, type DriverDatabase, type SqlValue } from '../sqlite/driver.ts';

export interface Statement<R> {
  run(...values: readonly SqlValue[]): void;
  get(...values: readonly SqlValue[]): R | undefined;
  all(...values: readonly SqlValue[]): R[];
}

export interface Database {
  exec(sql: string): void;
  /** Compiled once for each text. `R` is the shape of the rows, which the caller knows. */
  prepare<R = unknown>(sql: string): Statement<R>;
  /** All or nothing. @throws what `run` throws, after rolling back */
  write<T>(run: () => T): T;
  /** One snapshot for several reads. */
  read<T>(run: () => T): T;
  close(): void;
}

/** How long to wait for another process to finish what cannot be shared: moments, in WAL mode. */
const BUSY_MILLISECONDS = 10_000;

/** @throws RagError `driver-missing` | `storage-failed` */
export async function openDatabase(path: string | URL, options: { readonly readOnly: boolean }): Promise<Database> {
  const driver = await loadDriver();
  const name = path instanceof URL ? decodeURIComponent(path.pathname) : path;
  const db = wrap(
    guard(name, () => new driver.DatabaseSync(path, options)),
    name,
  );
  db.exec(`PRAGMA busy_timeout = ${BUSY_MILLISECONDS}`);
  return db;
}

/** Of a driver's error, or of a `RagError` that it caused; undefined for all other errors. */
const codeOf = (error: unknown): number | undefined => primaryCode(error instanceof RagError ? error.cause : error);

export const isBusy = (error: unknown): boolean => codeOf(error) === CODE.BUSY;

export const isNotPermitted = (error: unknown): boolean => {
  const code = codeOf(error);
  return code === CODE.PERM || code === CODE.READONLY || code === CODE.CANTOPEN;
};

export const damaged = (path: string, what: string, cause?: unknown): RagError =>
  new RagError('index-damaged', `the index ${path} is damaged: ${what}`, {
    hint: 'footnote ingest --rebuild builds it anew from its sources',
    ...(cause === undefined ? {} : { cause }),
  });

function wrap(raw: DriverDatabase, path: string): Database {
  const statements = new Map<string, Statement<unknown>>();

  const prepare = (sql: string): Statement<unknown> => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const prepared = guard(path, () => raw.prepare(sql));
    const statement: Statement<unknown> = {
      run: (...values) => void guard(path, () => prepared.run(...values)),
      get: (...values) => guard(path, () => prepared.get(...values)),
      all: (...values) => guard(path, () => prepared.all(...values)),
    };
    statements.set(sql, statement);
    return statement;
  };

  const within = <T>(begin: string, run: () => T): T => {
    prepare(begin).run();
    try {
      const result = run();
      prepare('COMMIT').run();
      return result;
    } catch (error) {
      // SQLite has already rolled back after some errors, a full disk among them.
      try {
        raw.exec('ROLLBACK');
      } catch {
        throw error;
      }
      throw error;
    }
  };

  return {
    exec: (sql) => {
      guard(path, () => {
        raw.exec(sql);
      });
    },
    prepare: <R>(sql: string) => prepare(sql) as Statement<R>,
    write: (run) => within('BEGIN IMMEDIATE', run),
    read: (run) => within('BEGIN', run),
    close: () => {
      guard(path, () => {
        raw.close();
      });
    },
  };
}

function guard<T>(path: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw translate(path, error);
  }
}

function translate(path: string, cause: unknown): unknown {
  const code = codeOf(cause);
  if (code === undefined) return cause;
  const failed = (message: string, hint: string, retryable = false): RagError =>
    new RagError('storage-failed', message, { hint, cause, retryable });
  switch (code) {
    case CODE.NOTADB:
      return damaged(path, 'it is not an SQLite file', cause);
    case CODE.CORRUPT:
      return damaged(path, 'its pages contradict each other', cause);
    case CODE.FULL:
      return failed(`the disk is full: ${path} could not be written`, 'free some space and run the command again');
    case CODE.PERM:
    case CODE.READONLY:
      return failed(`the index ${path} is read-only`, 'give yourself write permission on the file and its folder');
    case CODE.CANTOPEN:
      return failed(`the index ${path} cannot be opened`, 'check that its folder exists and that you may write in it');
    case CODE.IOERR:
      return failed(`reading or writing ${path} failed`, 'check the disk and the permissions of the folder');
    case CODE.BUSY:
    case CODE.LOCKED:
      return failed(`the index ${path} is busy`, 'another process uses it: try again in a moment', true);
    case CODE.NOMEM:
      return failed('SQLite ran out of memory', 'close other programs, or index fewer documents');
    default:
      return damaged(path, `SQLite says "${cause instanceof Error ? cause.message : String(cause)}"`, cause);
  }
}
