/**
 * The one place that knows an SQLite driver: `node:sqlite` from Node 22.13, the same interface from
 * `@photostructure/sqlite` before. Every failure leaves here as a `RagError` with a plain sentence.
 */
import { RagError } from '../core/errors.ts';

/** Text must not hold NUL or lone surrogates, which drivers cut or replace: such text goes into JSON or a blob. */
export type SqlValue = string | number | null | Uint8Array;

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

interface DriverStatement {
  run(...values: readonly SqlValue[]): unknown;
  get(...values: readonly SqlValue[]): unknown;
  all(...values: readonly SqlValue[]): unknown[];
}

interface DriverDatabase {
  exec(sql: string): void;
  prepare(sql: string): DriverStatement;
  close(): void;
}

interface Driver {
  readonly DatabaseSync: new (path: string | URL, options: { readonly readOnly: boolean }) => DriverDatabase;
}

/** SQLite's primary result codes. */
const CODE = {
  ERROR: 1,
  PERM: 3,
  BUSY: 5,
  LOCKED: 6,
  NOMEM: 7,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  NOTADB: 26,
};
const SHORT_READ = 522;

/** The driver of Node 20 gives errors of `all` without a code; the words are SQLite's own and do not change. */
const CODE_BY_MESSAGE: Readonly<Record<string, number>> = {
  'database is locked': CODE.BUSY,
  'out of memory': CODE.NOMEM,
  'attempt to write a readonly database': CODE.READONLY,
  'disk I/O error': CODE.IOERR,
  'database disk image is malformed': CODE.CORRUPT,
  'database or disk is full': CODE.FULL,
  'unable to open database file': CODE.CANTOPEN,
  'file is not a database': CODE.NOTADB,
};

/** How long to wait for another process to finish what cannot be shared: moments, in WAL mode. */
const BUSY_MILLISECONDS = 10_000;

const PACKAGE = '@photostructure/sqlite';

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

/** SQLite's result code of a driver's error, or of a `RagError` that it caused; undefined for all other errors. */
function resultCode(error: unknown): number | undefined {
  const cause = error instanceof RagError ? error.cause : error;
  if (!(cause instanceof Error) || (cause as { code?: unknown }).code !== 'ERR_SQLITE_ERROR') return undefined;
  const { errcode } = cause as { errcode?: unknown };
  return typeof errcode === 'number' ? errcode : (CODE_BY_MESSAGE[cause.message] ?? CODE.ERROR);
}

const primaryCode = (error: unknown): number => (resultCode(error) ?? 0) & 0xff;

export const isBusy = (error: unknown): boolean => primaryCode(error) === CODE.BUSY;

export const isNotPermitted = (error: unknown): boolean =>
  [CODE.PERM, CODE.READONLY, CODE.CANTOPEN].includes(primaryCode(error));

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
  const code = resultCode(cause);
  if (code === undefined) return cause;
  const failed = (message: string, hint: string, retryable = false): RagError =>
    new RagError('storage-failed', message, { hint, cause, retryable });
  switch (code === SHORT_READ ? CODE.CORRUPT : code & 0xff) {
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

async function loadDriver(): Promise<Driver> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 13)) return importQuietly();
  // A variable, so that the compiler does not ask for a package that newer versions of Node do without.
  const name: string = PACKAGE;
  try {
    return (await import(name)) as Driver;
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND' || !String(error).includes(PACKAGE)) throw error;
    throw new RagError('driver-missing', `on Node ${process.versions.node} the index needs the package ${PACKAGE}`, {
      hint: `npm install ${PACKAGE}@~1.2.1, or use Node 22.13 or later`,
      cause: error,
    });
  }
}

/** Without the warning that SQLite is experimental: its interface is what we test on every supported version. */
async function importQuietly(): Promise<Driver> {
  const emit = process.emitWarning.bind(process);
  process.emitWarning = (warning: string | Error, ...rest: never[]): void => {
    if (!String(warning).includes('SQLite')) emit(warning, ...rest);
  };
  try {
    return await import('node:sqlite');
  } finally {
    process.emitWarning = emit;
  }
}
