/**
 * What one would build from parts: sqlite-vec for vectors, FTS5 for words, reciprocal rank fusion, in the SQLite that
 * the product uses too. Each gets its better options: filters are vec0's own metadata columns, FTS5 shares the texts
 * with the table of chunks and is asked for the question's words without stop words.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { getLoadablePath } from 'sqlite-vec';
import { CHUNKS_PER_DOCUMENT, DIMENSIONS } from '../corpus.mjs';

const TOP = 30;
const RRF_K = 60;
/** vec0 reads its vectors in pieces through SQLite's page cache. */
const CACHE_KIB = 65_536;

const TABLES = `
  CREATE TABLE chunks (row INTEGER PRIMARY KEY, path TEXT, title TEXT, heading TEXT, text TEXT);
  CREATE VIRTUAL TABLE words USING fts5(
    path, title, heading, text, content = 'chunks', content_rowid = 'row', tokenize = 'porter unicode61'
  );
  CREATE VIRTUAL TABLE vectors USING vec0(
    row INTEGER PRIMARY KEY, category TEXT, owner TEXT, vector FLOAT[${DIMENSIONS}]
  );
`;

export default function sqliteVec() {
  return {
    persistent: true,
    rowOf: (row) => row,

    async create(folder) {
      mkdirSync(folder);
      const db = await open(folder);
      db.exec('PRAGMA page_size = 16384; PRAGMA journal_mode = WAL');
      db.exec(TABLES);
      db.close();
    },

    async openWriter(folder) {
      const db = await open(folder);
      db.exec('PRAGMA synchronous = NORMAL');
      const chunk = db.prepare('INSERT INTO chunks VALUES (?, ?, ?, ?, ?)');
      const words = db.prepare('INSERT INTO words (rowid, path, title, heading, text) VALUES (?, ?, ?, ?, ?)');
      const vector = db.prepare('INSERT INTO vectors (row, category, owner, vector) VALUES (?, ?, ?, ?)');
      const stored = db.prepare('SELECT * FROM chunks WHERE row = ?');
      const dropWords = db.prepare(
        `INSERT INTO words (words, rowid, path, title, heading, text) VALUES ('delete', ?, ?, ?, ?, ?)`,
      );
      const dropVector = db.prepare('DELETE FROM vectors WHERE row = ?');
      const dropChunk = db.prepare('DELETE FROM chunks WHERE row = ?');
      const insert = ({ rows, category, owner }) => {
        for (const { row, path, title, heading, text, bytes } of rows) {
          chunk.run(row, path, title, heading, text);
          words.run(row, path, title, heading, text);
          vector.run(BigInt(row), category, owner, bytes);
        }
      };
      const transaction = (run) => {
        db.exec('BEGIN IMMEDIATE');
        run();
        db.exec('COMMIT');
      };
      return {
        prepare: ({ index, category, owner, title, headings, texts }, { dense }) => ({
          category,
          owner,
          rows: texts.map((text, position) => ({
            row: index * CHUNKS_PER_DOCUMENT + position,
            path: `${category}/page-${index}.md`,
            title,
            heading: headings[Math.floor((position * headings.length) / texts.length)],
            text,
            bytes: new Uint8Array(dense[position].buffer),
          })),
        }),
        add: (document) => transaction(() => insert(document)),
        replace: (document) =>
          transaction(() => {
            for (const { row } of document.rows) {
              const old = stored.get(row);
              dropWords.run(row, old.path, old.title, old.heading, old.text);
              dropVector.run(BigInt(row));
              dropChunk.run(row);
            }
            insert(document);
          }),
        finish: () => db.close(),
      };
    },

    async openReader(folder) {
      const db = await open(folder);
      db.exec(`PRAGMA query_only = ON; PRAGMA cache_size = -${CACHE_KIB}`);
      const nearest = (condition) =>
        db.prepare(`SELECT row FROM vectors WHERE vector MATCH ? AND k = ${TOP} ${condition} ORDER BY distance`);
      const [all, byCategory, byOwner] = [nearest(''), nearest('AND category = ?'), nearest('AND owner = ?')];
      const matching = db.prepare(`SELECT rowid AS row FROM words WHERE words MATCH ? ORDER BY rank LIMIT ${TOP}`);
      const text = db.prepare('SELECT text FROM chunks WHERE row = ?');
      const rows = (found) => found.map(({ row }) => row);
      const bytes = ({ vector }) => new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
      const dense = (query) => rows(all.all(bytes(query)));
      const keyword = ({ words }) => rows(matching.all(words.map((word) => `"${word}"`).join(' OR ')));
      return {
        legs: {
          dense,
          dense10: (query) => rows(byCategory.all(bytes(query), query.category)),
          dense05: (query) => rows(byOwner.all(bytes(query), query.owner)),
          keyword,
          hybrid: (query) => fuse([dense(query), keyword(query)]),
        },
        texts: (found) => found.map((row) => text.get(row).text),
        close: () => db.close(),
      };
    },
  };
}

/** The same choice as src/stores/sqlite.ts makes. */
async function open(folder) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const builtIn = major > 22 || (major === 22 && minor >= 13);
  const { DatabaseSync } = await import(builtIn ? 'node:sqlite' : '@photostructure/sqlite');
  const db = new DatabaseSync(join(folder, 'index.sqlite'), { allowExtension: true });
  db.enableLoadExtension(true);
  db.loadExtension(getLoadablePath());
  return db;
}

function fuse(lists) {
  const scores = new Map();
  for (const list of lists) {
    list.forEach((row, i) => scores.set(row, (scores.get(row) ?? 0) + 1 / (RRF_K + i + 1)));
  }
  return [...scores].sort((a, b) => b[1] - a[1]).map(([row]) => row);
}
