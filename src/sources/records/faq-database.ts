/**
 * SQLite files with a table of questions and answers. The file is somebody else's: it is opened for reading only,
 * nothing of its schema is trusted, and only ordinary tables are read, never a view.
 */
import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { RecordSettings } from '../../core/settings.ts';
import { CODE, loadDriver, primaryCode, type DriverDatabase, type SqlValue } from '../../sqlite/driver.ts';
import { filterable, keyOf, nameOf, oneLine, wellFormed } from './fields.ts';
import { NoRecords, RecordFileFailure, type RecordEntry } from './record.ts';

/** Moments: whoever writes holds the lock for no longer. */
const BUSY_MILLISECONDS = 2000;

/** Rows that are in memory at once. */
const PAGE_ROWS = 500;

export const SQLITE_HEADER = 'SQLite format 3\0';

/**
 * @param path of a file with SQLite's header; no part of it may be a symbolic link that the caller has not resolved.
 * @throws NoRecords when it has no such table; RecordFileFailure when it cannot be read: damaged, encrypted, locked
 */
export async function* faqRecords(path: string, settings: RecordSettings): AsyncGenerator<RecordEntry> {
  const before = statSync(path, { bigint: true });
  const { DatabaseSync } = await loadDriver();
  let database: DriverDatabase | undefined;
  try {
    database = new DatabaseSync(addressOf(path), { readOnly: true });
    harden(database);
    // One snapshot for the check and all rows, whoever writes meanwhile.
    database.exec('BEGIN');
    try {
      yield* rowsOf(database, settings);
    } finally {
      // The driver of Node 20 keeps a closed file, with its locks, as long as its statements are in memory.
      database.exec('ROLLBACK');
    }
    const after = statSync(path, { bigint: true });
    if (after.mtimeNs !== before.mtimeNs || after.size !== before.size)
      throw new RecordFileFailure('it was changed while it was read: ingest again');
  } catch (error) {
    throw translated(error);
  } finally {
    database?.close();
  }
}

/**
 * Without a journal beside it the file is complete, and `immutable` keeps SQLite from making files of its own there
 * (a database in WAL mode needs two even to be read). With one, SQLite's own locks decide.
 */
function addressOf(path: string): URL {
  const url = pathToFileURL(path);
  const inUse = ['-wal', '-journal'].some((end) => (statSync(path + end, { throwIfNoEntry: false })?.size ?? 0) > 0);
  if (!inUse) url.searchParams.set('immutable', '1');
  return url;
}

/** Against files made to harm: no function of the schema runs that could, and no check of it is evaluated. */
function harden(database: DriverDatabase): void {
  database.exec(`PRAGMA busy_timeout = ${BUSY_MILLISECONDS}`);
  for (const pragma of ['trusted_schema = OFF', 'query_only = ON', 'cell_size_check = ON', 'mmap_size = 0'])
    database.exec(`PRAGMA ${pragma}`);
  database.exec('PRAGMA ignore_check_constraints = ON');
}

/** Checks what is read, and no other table: those of an application may be large, and are none of our business. */
function requireSound(database: DriverDatabase, table: string): void {
  const [found] = database.prepare(`PRAGMA quick_check(${quoted(table)})`).all() as {
    readonly quick_check?: unknown;
  }[];
  if (found?.quick_check !== 'ok') throw new RecordFileFailure(`it is damaged: ${oneLine(String(found?.quick_check))}`);
}

interface FaqTable {
  readonly table: string;
  readonly columns: readonly string[];
  /** What rows are paged by: unique, and never null. */
  readonly rowKey: string;
  readonly id: string | undefined;
  readonly question: string;
  readonly answer: string;
  readonly verified: string | undefined;
}

function* rowsOf(database: DriverDatabase, set: RecordSettings): Generator<RecordEntry> {
  const names = tableNames(database);
  const tables = names.flatMap((name) => faqTable(database, name, set) ?? []);
  if (tables.length === 0) throw noTable(names, set);
  for (const table of tables) {
    requireSound(database, table.table);
    let unverified = 0;
    for (const row of rows(database, table)) {
      if (table.verified !== undefined && !isTrue(row.get(table.verified))) unverified++;
      else yield entryOf(row, table, tables.length > 1);
    }
    if (unverified > 0) {
      const detail = `of the rows in ${table.table} ${unverified === 1 ? 'is' : 'are'} not verified`;
      yield { type: 'unverified', count: unverified, detail };
    }
  }
}

function tableNames(database: DriverDatabase): string[] {
  const sql = `SELECT name FROM sqlite_schema
    WHERE type = 'table' AND name NOT LIKE 'sqlite@_%' ESCAPE '@' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name`;
  return (database.prepare(sql).all() as { readonly name: string }[]).map(({ name }) => name);
}

function noTable(names: readonly string[], { table, question, answer }: RecordSettings): Error {
  const wanted = table ?? question ?? answer;
  if (wanted !== undefined) {
    return new RecordFileFailure(
      `no table ${table ?? ''} with the columns that sources[].records names`.replace('  ', ' '),
    );
  }
  const shown = names.slice(0, 10).join(', ');
  return new NoRecords(
    'no-parser',
    `a database without a table of questions and answers (tables: ${shown === '' ? 'none' : shown})`,
  );
}

function faqTable(database: DriverDatabase, table: string, set: RecordSettings): FaqTable | undefined {
  if (set.table !== undefined && set.table !== table) return undefined;
  const info = database.prepare('SELECT name, pk, hidden FROM pragma_table_xinfo(?)').all(table) as readonly {
    readonly name: string;
    readonly pk: number;
    readonly hidden: number;
  }[];
  const columns = info.map(({ name }) => name);
  const question = nameOf('question', columns, set.question);
  const answer = nameOf('answer', columns, set.answer);
  if (question === undefined || answer === undefined) return undefined;
  if (info.some(({ hidden }) => hidden !== 0)) {
    throw new RecordFileFailure(`${table} has computed columns: expressions of a file are not run`);
  }
  const keys = info.filter(({ pk }) => pk > 0).map(({ name }) => name);
  const id = nameOf('id', columns, set.id) ?? (keys.length === 1 ? keys[0] : undefined);
  const verified = nameOf('verified', columns, set.verified);
  if (set.verified !== undefined && verified === undefined) {
    throw new RecordFileFailure(`${table} has no column ${set.verified} (records.verified)`);
  }
  const rowKey = rowKeyOf(database, table, columns, keys);
  return { table, columns, rowKey, id, question, answer, verified };
}

function rowKeyOf(
  database: DriverDatabase,
  table: string,
  columns: readonly string[],
  keys: readonly string[],
): string {
  const [list] = database.prepare('SELECT wr FROM pragma_table_list(?)').all(table) as { readonly wr: number }[];
  if (list?.wr !== 1) {
    // A column may have taken one of the names of the row number.
    const own = columns.map((name) => name.toLowerCase());
    const free = ['rowid', '_rowid_', 'oid'].find((name) => !own.includes(name));
    if (free !== undefined) return free;
  } else if (keys.length === 1) return quoted(keys[0] as string);
  throw new RecordFileFailure(`the rows of ${table} have no single key to be read by`);
}

type Row = ReadonlyMap<string, unknown>;

function* rows(database: DriverDatabase, { table, columns, rowKey }: FaqTable): Generator<Row> {
  // Names of our own: SQLite calls the row number by the name of the column that stands for it.
  const list = columns.map((name, i) => `${quoted(name)} AS c${i}`).join(', ');
  const select = (where: string): string =>
    `SELECT ${rowKey} AS key, ${list} FROM ${quoted(table)} ${where} ORDER BY ${rowKey} LIMIT ${PAGE_ROWS}`;
  const pages = ['', `WHERE ${rowKey} > ?`].map((where) => {
    const statement = database.prepare(select(where));
    statement.setReadBigInts(true);
    return (...key: readonly SqlValue[]) => statement.all(...key) as readonly Readonly<Record<string, unknown>>[];
  });
  const [first, next] = pages as [(typeof pages)[0], (typeof pages)[0]];
  for (let page = first(); page.length > 0; page = next(page.at(-1)?.['key'] as SqlValue)) {
    for (const row of page)
      yield new Map([[ROW, row['key']], ...columns.map((name, i) => [name, row[`c${i}`]] as const)]);
  }
}

/** The row number; no column is called so. */
const ROW = '\0row';

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

function entryOf(row: Row, { table, id, question, answer, verified }: FaqTable, several: boolean): RecordEntry {
  const own = id === undefined ? undefined : scalar(row.get(id));
  const key = keyOf(`${several ? `${table}.` : ''}${own ?? scalar(row.get(ROW)) ?? ''}`);
  const place = `row ${key}`;
  const [asked, answered] = [row.get(question), row.get(answer)];
  if (typeof asked !== 'string' || oneLine(asked) === '')
    return { type: 'problem', place, message: 'no question', kind: 'incomplete' };
  if (typeof answered !== 'string' || answered.trim() === '')
    return { type: 'problem', place, message: 'no answer', kind: 'incomplete' };
  const title = oneLine(asked);
  const rest = [...row].filter(([name]) => ![ROW, question, answer, verified].includes(name));
  return {
    type: 'record',
    place,
    record: {
      key,
      mediaType: 'text/x-faq',
      text: `Question: ${title}\nAnswer: ${wellFormed(answered).trim()}`,
      fields: { type: 'faq', ...filterable(rest), title },
    },
  };
}

const scalar = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'bigint' || typeof value === 'number' ? String(value) : undefined;

const isTrue = (value: unknown): boolean => ['1', 'true'].includes(String(value).trim().toLowerCase());

function translated(error: unknown): unknown {
  const code = primaryCode(error);
  if (code === undefined) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (code === CODE.NOTADB) return new RecordFileFailure('it is encrypted or damaged: SQLite cannot read it');
  if (code === CODE.CORRUPT) return new RecordFileFailure('it is damaged: its pages contradict each other');
  if (code === CODE.BUSY || code === CODE.LOCKED)
    return new RecordFileFailure('another program is writing to it: ingest again in a moment');
  if (code === CODE.CANTOPEN || code === CODE.READONLY)
    return new RecordFileFailure(
      'it was not closed cleanly, or another program is writing to it, and it cannot be read beside it',
    );
  return new RecordFileFailure(`SQLite cannot read it: ${oneLine(message)}`);
}
