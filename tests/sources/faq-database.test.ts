import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { RecordSettings } from '../../src/core/settings.ts';
import { defineSource } from '../../src/sources/address.ts';
import folderSource from '../../src/sources/folder.ts';
import { loadDriver, type DriverDatabase } from '../../src/sqlite/driver.ts';
import { corpora, haveCorpora } from '../parsers/parse.ts';
import { outline, sync, temporaryFolder, text, write } from './fixtures.ts';

const { DatabaseSync } = await loadDriver();

const SCHEMA = `CREATE TABLE faqs (id INTEGER PRIMARY KEY, question TEXT, answer TEXT, category TEXT,
  protocol TEXT DEFAULT 'all', source TEXT, verified INTEGER DEFAULT 0, updated_at TEXT)`;
const ROWS = `INSERT INTO faqs (id, question, answer, category, source, verified, updated_at) VALUES
  (1, 'How do I
 resync?', 'Click **Resync**.', 'Wallet', 'Manual', 1, '2024-05-06T07:08:09Z'),
  (2, 'Is it free?', 'Wrong and harmful.', 'Fees', 'Chat', 0, NULL),
  (12, 'Where?', 'Here.', NULL, 'Manual', 1, NULL)`;

/** A database in a folder of its own; still open when `use` returns it. */
function database(sql: string, name = 'faqs.db', folder = temporaryFolder()): { folder: string; db: DriverDatabase } {
  const db = new DatabaseSync(join(folder, name), { readOnly: false });
  db.exec(sql);
  return { folder, db };
}

function closed(sql: string, name?: string, folder?: string): string {
  const made = database(sql, name, folder);
  made.db.close();
  return made.folder;
}

function open(path: string, records: RecordSettings = {}, maxFileBytes = 10_000_000) {
  const definition = defineSource({ from: path, records }, '/');
  if (definition.use !== 'folder') throw new Error('no folder');
  return folderSource(definition, { maxFileBytes });
}

const failure = async (path: string, records: RecordSettings = {}): Promise<string> => {
  const { changes } = await sync(open(path, records));
  return changes.map((change) => (change.type === 'failure' ? change.message : change.type)).join(', ');
};

// [S3-faq-database] [S3-faq-type]
test('verified rows are documents; the others are counted and never read', async () => {
  const folder = closed(`${SCHEMA};${ROWS}`);
  const { changes, documents } = await sync(open(folder));
  expect(changes.map((change) => (change.type === 'exclude' ? change.exclusion : change.type))).toEqual([
    'upsert',
    'upsert',
    { path: 'faqs.db', reason: 'unverified', detail: '1 of the rows in faqs is not verified' },
  ]);
  expect(documents.map(({ uri }) => uri.slice(-10))).toEqual(['/faqs.db#1', 'faqs.db#12']);
  expect(documents[0]).toMatchObject({
    path: 'faqs.db#1',
    mediaType: 'text/x-faq',
    metadata: {
      title: 'How do I resync?',
      type: 'faq',
      category: 'Wallet',
      protocol: 'all',
      record_source: 'Manual',
      id: 1,
      modified: '2024-05-06T07:08:09.000Z',
    },
  });
  expect(documents.map(text)).toEqual([
    'Question: How do I resync?\nAnswer: Click **Resync**.',
    'Question: Where?\nAnswer: Here.',
  ]);
});

test('changes are seen by row, and one that is no longer verified goes', async () => {
  const { folder, db } = database(`${SCHEMA};${ROWS}`);
  const source = open(folder);
  const first = await sync(source);
  const [one, twelve] = first.documents;
  expect(await source.currentRevision!(twelve!.uri)).toBe(twelve!.revision);
  db.exec("UPDATE faqs SET answer = 'There.' WHERE id = 12; UPDATE faqs SET verified = 1 WHERE id = 2");
  const second = await sync(source, first.known);
  expect(outline(second)).toEqual(['unchanged faqs.db#1', 'upsert faqs.db#2', 'upsert faqs.db#12']);
  expect(await source.currentRevision!(twelve!.uri)).not.toBe(twelve!.revision);
  expect(await source.currentRevision!(one!.uri)).toBe(one!.revision);
  db.exec('UPDATE faqs SET verified = NULL WHERE id = 1; DELETE FROM faqs WHERE id = 2');
  db.close();
  expect(outline(await sync(source, second.known))).toEqual([
    'unchanged faqs.db#12',
    'exclude faqs.db (unverified)',
    'delete faqs.db#1',
    'delete faqs.db#2',
  ]);
});

test('a row without a question or an answer is told, the others are read', async () => {
  const folder = closed(`${SCHEMA};${ROWS};
    INSERT INTO faqs (id, question, answer, verified) VALUES (20, ' ', 'x', 1), (21, 'x?', NULL, 1), (22, 'x?', x'00', 1)`);
  expect(outline(await sync(open(folder))).filter((line) => line.startsWith('warning'))).toEqual([
    'warning row 20: no question',
    'warning row 21: no answer',
    'warning row 22: no answer',
  ]);
});

test('other tables and columns, without a row number, with large numbers and odd names', async () => {
  const folder = closed(`
    CREATE TABLE "my ""kb""" ("Frage?" TEXT, antwort TEXT, "key" TEXT PRIMARY KEY, big INTEGER, ok TEXT) WITHOUT ROWID;
    INSERT INTO "my ""kb""" VALUES ('Was?', 'Das.', 'a b', 9007199254740993, 'TRUE'), ('Wer?', 'Ich.', 'c', 5, 'no');
    CREATE TABLE empty (x)`);
  const named = { question: 'Frage?', answer: 'antwort', verified: 'ok' };
  const { documents } = await sync(open(join(folder, 'faqs.db'), named));
  expect(documents.map(({ uri, metadata }) => [uri.slice(-14), metadata['big']])).toEqual([
    ['/faqs.db#a%20b', '9007199254740993'],
  ]);
  expect(await failure(join(folder, 'faqs.db'), { table: 'faqs' })).toBe(
    'no table faqs with the columns that sources[].records names',
  );
  expect(await failure(join(folder, 'faqs.db'), { ...named, verified: 'seen' })).toBe(
    'my "kb" has no column seen (records.verified)',
  );
  expect(await failure(join(folder, 'faqs.db'))).toBe(
    'a database without a table of questions and answers (tables: empty, my "kb")',
  );
  expect(outline(await sync(open(folder)))).toEqual(['exclude faqs.db (no-parser)']);
});

test('several tables: the ids say which', async () => {
  const folder = closed(`CREATE TABLE b (question, answer); INSERT INTO b VALUES ('Q?', 'A');
    CREATE TABLE a (id, question, answer); INSERT INTO a VALUES (7, 'Q?', 'A'), (7, 'R?', 'A')`);
  expect(outline(await sync(open(folder)))).toEqual([
    'upsert faqs.db#a.7',
    'upsert faqs.db#a.7 (2)',
    'upsert faqs.db#b.1',
    'warning row a.7: another record is called "a.7" too; this one is "a.7 (2)"',
  ]);
});

test('more rows than are read at once', async () => {
  const folder = closed(`CREATE TABLE f (question TEXT, answer TEXT);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1234)
    INSERT INTO f SELECT 'Question ' || i || '?', 'Answer ' || i FROM n`);
  const { documents } = await sync(open(folder));
  expect(documents).toHaveLength(1234);
  expect(new Set(documents.map(text)).size).toBe(1234);
});

test('views, triggers, generated columns and checks are not run', async () => {
  const harmless = 'abs(-9223372036854775807 - 0)';
  const folder = closed(`
    CREATE TABLE other (x, boom INTEGER AS (${harmless}));
    INSERT INTO other VALUES (1);
    CREATE TABLE f (id INTEGER PRIMARY KEY, question TEXT, answer TEXT, CHECK (${harmless} > 0));
    CREATE INDEX i ON f (${harmless});
    INSERT INTO f (question, answer) VALUES ('Q', 'A');
    CREATE VIEW faqs AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
      SELECT i AS id, 'Q' AS question, 'A' AS answer FROM n;
    CREATE TRIGGER t AFTER INSERT ON f BEGIN DELETE FROM f; END`);
  // Now an error as soon as it is computed.
  const changed = readFileSync(join(folder, 'faqs.db'), 'latin1').replaceAll(harmless, harmless.replace('- 0', '- 1'));
  writeFileSync(join(folder, 'faqs.db'), changed, 'latin1');
  const before = readFileSync(join(folder, 'faqs.db'));
  const { documents, ...rest } = await sync(open(folder));
  expect(outline({ documents, ...rest })).toEqual(['upsert faqs.db#1']);
  expect(readFileSync(join(folder, 'faqs.db'))).toEqual(before);
});

test('a table with computed columns is refused: to check it is to run them', async () => {
  const folder = closed(`CREATE TABLE f (question TEXT, answer TEXT, slug TEXT AS (lower(question)));
    INSERT INTO f VALUES ('Q?', 'A')`);
  expect(await failure(join(folder, 'faqs.db'))).toBe('f has computed columns: expressions of a file are not run');
});

const TABLE = 'CREATE TABLE faqs (question TEXT, answer TEXT /* so much room for another definition */)';

test.each([
  'CREATE TABLE faqs (question TEXT, answer TEXT, x AS (load_extension(question)) STORED)',
  'CREATE TABLE faqs (question TEXT, answer TEXT, x AS (readfile(question)) UNIQUE)',
  'CREATE TABLE faqs AS SELECT 1',
  'CREATE VIEW faqs AS SELECT 1 AS question, 2 AS answer',
  'CREATE VIRTUAL TABLE faqs USING no_such_module(question, answer)',
  'CREATE TABLE faqs (question TEXT, answer',
  'ATTACH DATABASE "/tmp/x" AS faqs',
  '',
])('a schema that was changed by hand: %s', async (sql) => {
  const folder = closed(`${TABLE};INSERT INTO faqs VALUES ('Q', 'A')`);
  const file = join(folder, 'faqs.db');
  const bytes = readFileSync(file);
  expect(bytes.includes(TABLE)).toBe(true);
  bytes.write(sql.padEnd(TABLE.length), bytes.indexOf(TABLE), 'latin1');
  writeFileSync(file, bytes);
  const { changes } = await sync(open(file));
  expect(changes.map(({ type }) => type)).toEqual(['failure']);
  expect(readFileSync(file)).toEqual(bytes);
});

test('damaged, encrypted and empty files say so, and keep what the index holds', async () => {
  const folder = closed(`${SCHEMA};${ROWS}; CREATE TABLE pad (x); INSERT INTO pad VALUES (zeroblob(50000))`);
  const file = join(folder, 'faqs.db');
  const { known } = await sync(open(folder));
  const whole = readFileSync(file);

  const damaged = Buffer.from(whole);
  damaged.fill(0xff, 4096, 8192);
  writeFileSync(file, damaged);
  expect(await failure(file)).toMatch(/^it is damaged: /);
  expect(outline(await sync(open(folder), known))).toEqual([
    'failure faqs.db',
    'unchanged faqs.db#1',
    'unchanged faqs.db#12',
  ]);

  writeFileSync(file, whole.subarray(0, 5000));
  expect(await failure(file)).toMatch(/^it is damaged: /);

  // An encrypted file has no header; in a folder it cannot be told from any other binary file.
  writeFileSync(file, Buffer.from(whole.map((byte, i) => byte ^ (17 * i + 5))));
  expect(await failure(file)).toBe('not an SQLite file, or an encrypted one');
  expect(outline(await sync(open(folder)))).toEqual(['exclude faqs.db (binary)']);

  writeFileSync(file, '');
  expect(outline(await sync(open(folder)))).toEqual(['exclude faqs.db (empty)']);
  writeFileSync(file, whole);
  expect(outline(await sync(open(folder, {}, 10_000)))).toEqual(['exclude faqs.db (too-large)']);
});

test('in WAL mode: closed, it is read without a trace; open elsewhere, with what is not in the file yet', async () => {
  const { folder, db } = database(`PRAGMA journal_mode = WAL; ${SCHEMA}; ${ROWS}`);
  expect(existsSync(join(folder, 'faqs.db-wal'))).toBe(true);
  expect(outline(await sync(open(join(folder, 'faqs.db')))).slice(0, 2)).toEqual([
    'upsert faqs.db#1',
    'upsert faqs.db#12',
  ]);
  db.close();

  const other = closed(`PRAGMA journal_mode = WAL; ${SCHEMA}; ${ROWS}`);
  chmodSync(other, 0o500);
  onTestFinished(() => chmodSync(other, 0o700));
  expect(outline(await sync(open(join(other, 'faqs.db')))).slice(0, 2)).toEqual([
    'upsert faqs.db#1',
    'upsert faqs.db#12',
  ]);
  expect(readdirSync(other)).toEqual(['faqs.db']);
});

test('one that somebody writes to is told as locked', async () => {
  const { folder, db } = database(`${SCHEMA}; ${ROWS}; CREATE TABLE pad (x)`);
  onTestFinished(() => db.close());
  // More than fits into memory: the file is locked while it is written, and the journal lies beside it.
  db.exec('PRAGMA cache_size = 2; BEGIN EXCLUSIVE; INSERT INTO pad VALUES (zeroblob(100000))');
  expect(existsSync(join(folder, 'faqs.db-journal'))).toBe(true);
  expect(await failure(join(folder, 'faqs.db'))).toBe('another program is writing to it: ingest again in a moment');
}, 15_000);

test('a database among other files', async () => {
  const folder = closed(`${SCHEMA};${ROWS}`);
  write(folder, { 'a.md': '# A', 'z.db': 'no database', 'node.sqlite': 'SQLite format 3\0 and then nothing' });
  expect(outline(await sync(open(folder)))).toEqual([
    'upsert a.md',
    'upsert faqs.db#1',
    'upsert faqs.db#12',
    'exclude faqs.db (unverified)',
    'failure node.sqlite',
    'exclude z.db (binary)',
  ]);
});

test.runIf(haveCorpora)('of the Bisq questions, the 21 that nobody verified are not read (../shared)', async () => {
  const { documents, changes } = await sync(open(join(corpora, 'bisq/faqs.db')));
  const excluded = changes.flatMap((change) => (change.type === 'exclude' ? [change.exclusion.detail] : []));
  expect(excluded).toEqual(['21 of the rows in faqs are not verified']);
  expect(documents.every(({ metadata }) => metadata['verified'] === undefined)).toBe(true);
  expect(new Set(documents.map(({ metadata }) => metadata['protocol']))).toEqual(
    new Set(['bisq_easy', 'multisig_v1', 'all']),
  );
});
