/**
 * The one place that knows an SQLite driver: `node:sqlite` from Node 22.13, the same interface from
 * `@photostructure/sqlite` before. What an error means to a user is said by those who opened the file.
 */
import { RagError } from '../core/errors.ts';

/** Text must not hold NUL or lone surrogates, which drivers cut or replace: such text goes into JSON or a blob. */
export type SqlValue = string | number | bigint | null | Uint8Array;

export interface DriverStatement {
  run(...values: readonly SqlValue[]): unknown;
  get(...values: readonly SqlValue[]): unknown;
  all(...values: readonly SqlValue[]): unknown[];
  /** Whole numbers as `bigint`: otherwise one beyond 2^53 is an error. */
  setReadBigInts(enabled: boolean): void;
}

export interface DriverDatabase {
  exec(sql: string): void;
  prepare(sql: string): DriverStatement;
  close(): void;
}

export interface Driver {
  readonly DatabaseSync: new (path: string | URL, options: { readonly readOnly: boolean }) => DriverDatabase;
}

/** SQLite's primary result codes. */
export const CODE = {
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
} as const;
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

const PACKAGE = '@photostructure/sqlite';

/** SQLite's primary result code of a driver's error; undefined for all other errors. */
export function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || (error as { code?: unknown }).code !== 'ERR_SQLITE_ERROR') return undefined;
  const { errcode } = error as { errcode?: unknown };
  const code = typeof errcode === 'number' ? errcode : (CODE_BY_MESSAGE[error.message] ?? CODE.ERROR);
  return code === SHORT_READ ? CODE.CORRUPT : code & 0xff;
}

/** @throws RagError `driver-missing` */
export async function loadDriver(): Promise<Driver> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 13)) return importQuietly();
  // A variable, so that the compiler does not ask for a package that newer versions of Node do without.
  const name: string = PACKAGE;
  try {
    return (await import(name)) as Driver;
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND' || !String(error).includes(PACKAGE)) throw error;
    throw new RagError('driver-missing', `on Node ${process.versions.node} SQLite files need the package ${PACKAGE}`, {
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
