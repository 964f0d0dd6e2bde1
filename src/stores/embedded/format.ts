/** The tables of an index file, its format number, and what it was built with. */
import type { IndexSchema } from '../../core/contracts.ts';
import { RagError } from '../../core/errors.ts';
import { checkSpaceNames } from '../checks.ts';
import { checkSchema } from '../schema.ts';
import { damaged } from '../sqlite.ts';
import type { Database } from '../sqlite.ts';

/** Raised by every change that an older program would misread. */
export const FORMAT = 1;

/** "FNot", so that a file can be told from any other SQLite file. */
const APPLICATION_ID = 0x464e6f74;

/**
 * `generation` is the run last published; what is written now belongs to `generation + 1`. A row with
 * `to_generation` is seen by readers of smaller generations only. Ordinals number chunks in the order of storage and
 * are never used twice. Chunks from `segmented` on are in no segment yet.
 */
const TABLES = `
  CREATE TABLE state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    generation INTEGER NOT NULL,
    epoch INTEGER NOT NULL,         -- changes with every set of segments
    next_ordinal INTEGER NOT NULL,
    segmented INTEGER NOT NULL
  );
  CREATE TABLE named_values (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

  -- kind: dense or sparse (of 0 dimensions); tokens have their place here
  CREATE TABLE spaces (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    model TEXT NOT NULL,
    dimensions INTEGER NOT NULL
  );
  -- type: json, for free metadata; declared types have their place here
  CREATE TABLE fields (name TEXT PRIMARY KEY, type TEXT NOT NULL) WITHOUT ROWID;

  CREATE TABLE origins (
    id INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    uri TEXT NOT NULL,
    path TEXT NOT NULL,
    revision TEXT NOT NULL,
    stamp TEXT NOT NULL,
    UNIQUE (source, uri)
  );
  CREATE TABLE documents (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    origin INTEGER NOT NULL,
    source TEXT NOT NULL,
    language TEXT NOT NULL,
    from_generation INTEGER NOT NULL,
    to_generation INTEGER,
    first_ordinal INTEGER NOT NULL,
    chunks INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    details TEXT NOT NULL           -- JSON: all but text, sections, blocks and exclusions
  );
  CREATE INDEX documents_by_id ON documents (id);
  CREATE INDEX documents_by_origin ON documents (origin);
  CREATE INDEX documents_by_language ON documents (language);
  CREATE INDEX documents_by_ordinal ON documents (first_ordinal);
  CREATE INDEX documents_closed ON documents (to_generation) WHERE to_generation IS NOT NULL;
  CREATE TABLE texts (
    document INTEGER PRIMARY KEY,
    structure TEXT NOT NULL,        -- JSON: sections, blocks, exclusions
    encoding TEXT NOT NULL,
    text BLOB NOT NULL
  );
  CREATE TABLE chunks (
    ordinal INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    document INTEGER NOT NULL,
    position INTEGER NOT NULL,
    repeats TEXT NOT NULL,          -- JSON: spaces in which the vector is that of the chunk before
    chunk TEXT NOT NULL             -- JSON: without text, and without what it shares with its document
  );
  CREATE INDEX chunks_by_id ON chunks (id);
  -- exact dense vectors, float32; sparse ones of chunks that are in no segment yet; key = ordinal × 64 + space
  CREATE TABLE vectors (key INTEGER PRIMARY KEY, vector BLOB NOT NULL);

  CREATE TABLE segments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    generation INTEGER NOT NULL,
    rows INTEGER NOT NULL,
    dead INTEGER NOT NULL,
    first_ordinal INTEGER NOT NULL,
    last_ordinal INTEGER NOT NULL,
    parts TEXT NOT NULL             -- JSON: sizes by name
  );
  CREATE TABLE segment_parts (
    id INTEGER PRIMARY KEY,
    segment INTEGER NOT NULL,
    part TEXT NOT NULL,
    piece INTEGER NOT NULL,
    data BLOB NOT NULL,
    UNIQUE (segment, part, piece)
  );
  -- chunks that are still in a segment but no longer there from a generation on
  CREATE TABLE tombstones (first_ordinal INTEGER PRIMARY KEY, chunks INTEGER NOT NULL, generation INTEGER NOT NULL);
  CREATE INDEX tombstones_by_generation ON tombstones (generation);
`;

/** Spaces of one index; a chunk's vectors are stored under ordinal × this + the space's number. */
export const MAX_SPACES = 64;

/** Larger pages than the default: most bytes are blobs of a page or more. */
const PAGE_BYTES = 16_384;

export function isEmpty(db: Database): boolean {
  return db.prepare('SELECT 1 FROM sqlite_master LIMIT 1').get() === undefined;
}

/** Fills an empty file, in one transaction. */
export function createIndex(db: Database, schema: IndexSchema): void {
  checkSpaceNames(schema);
  db.exec(`PRAGMA page_size = ${PAGE_BYTES}`);
  configureWriter(db);
  db.write(() => {
    db.exec(TABLES);
    db.prepare('INSERT INTO state VALUES (1, 0, 0, 0, 0)').run();
    const space = db.prepare('INSERT INTO spaces (id, name, kind, model, dimensions) VALUES (?, ?, ?, ?, ?)');
    const dense = Object.entries(schema.spaces).map(([name, { model, dimensions }]) => ({
      name,
      kind: 'dense',
      model,
      dimensions,
    }));
    const sparse = Object.entries(schema.sparse ?? {}).map(([name, { model }]) => ({
      name,
      kind: 'sparse',
      model,
      dimensions: 0,
    }));
    for (const [id, { name, kind, model, dimensions }] of [...dense, ...sparse].entries()) {
      if (id >= MAX_SPACES) throw new RagError('setting-invalid', `an index has at most ${MAX_SPACES} vector spaces`);
      space.run(id, name, kind, model, dimensions);
    }
    db.prepare('INSERT INTO named_values VALUES (?, ?)').run(SCHEMA_NAME, JSON.stringify(schema));
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${FORMAT}`);
  });
}

/** WAL: readers and one writer at a time, and a kill loses no finished transaction. */
export function configureWriter(db: Database): void {
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA journal_size_limit = 67108864;
    PRAGMA cache_size = -32768;
  `);
}

/**
 * Brings everything into the one file, as far as readers allow. SQLite does so itself when the last connection closes,
 * but not while a driver keeps compiled statements, as that of Node 20 does until they are garbage.
 */
export function finishWriting(db: Database): void {
  db.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)');
}

export function configureReader(db: Database): void {
  db.exec('PRAGMA query_only = ON; PRAGMA cache_size = -16384');
}

/** @throws RagError `index-mismatch` | `index-damaged` */
export function checkFormat(db: Database, path: string, wanted: IndexSchema): void {
  const id = db.prepare<{ application_id: number }>('PRAGMA application_id').get()?.application_id;
  const format = db.prepare<{ user_version: number }>('PRAGMA user_version').get()?.user_version;
  if (id !== APPLICATION_ID) {
    throw mismatch(`${path} is an SQLite file, but not an index of this program`);
  }
  if (format !== FORMAT) {
    throw mismatch(`format was ${format ?? 'unknown'}, is ${FORMAT}: ${path} was written by another version`);
  }
  const stored = db.prepare<{ value: string }>('SELECT value FROM named_values WHERE name = ?').get(SCHEMA_NAME);
  if (stored === undefined) throw damaged(path, 'its settings are missing');
  let built: IndexSchema;
  try {
    built = JSON.parse(stored.value) as IndexSchema;
  } catch (cause) {
    throw damaged(path, 'its settings cannot be read', cause);
  }
  checkSchema(built, wanted);
}

/** A name that no caller of `get` and `put` uses. */
export const SCHEMA_NAME = '.schema';

const mismatch = (message: string): RagError =>
  new RagError('index-mismatch', message, { hint: 'footnote ingest --rebuild builds it anew' });
