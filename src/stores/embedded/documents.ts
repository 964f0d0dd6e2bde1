/** Documents and chunks as rows. A chunk's text is not stored again: it is a slice of its document. */
import type { DocumentSummary, Origin, StoredDocument, StoreStatistics } from '../../core/contracts.ts';
import type { Chunk, Document } from '../../core/types.ts';
import type { Database } from '../sqlite.ts';
import { compareSummaries, summarize } from '../summary.ts';
import { bytesOf } from './binary.ts';
import type { ChunkVector, NewChunk } from './new-segment.ts';
import { encodeSparse, readSparse, readVectors, vectorKey } from './vector-rows.ts';
import type { SpaceNumbers } from './vector-rows.ts';

/** Rows that a reader of a generation sees; its two parameters are that generation. */
const VISIBLE = 'd.from_generation <= ? AND (d.to_generation IS NULL OR d.to_generation > ?)';

type Details = Omit<Document, 'text' | 'sections' | 'blocks' | 'exclusions'>;
type Structure = Pick<Document, 'sections' | 'blocks' | 'exclusions'>;

/** Fields of a chunk that are left out where they equal the document's. */
const SHARED = ['sourceId', 'uri', 'path', 'title', 'type', 'language'] as const satisfies readonly (keyof Chunk)[];

/** UTF-8 cannot hold these: a text with one is stored as UTF-16. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Fields of a chunk that are not in its JSON: columns of their own, or a slice of the document's text. */
const IN_COLUMNS = ['id', 'documentId', 'position', 'text'] as const satisfies readonly (keyof Chunk)[];

export interface DocumentPlace {
  readonly origin: number;
  readonly generation: number;
  /** Of its first chunk; the others follow. */
  readonly firstOrdinal: number;
}

/** Writes one document, and returns its chunks as the next segment takes them. */
export function insertDocument(
  db: Database,
  { document, chunks }: StoredDocument,
  place: DocumentPlace,
  spaces: SpaceNumbers,
): NewChunk[] {
  const { text, sections, blocks, exclusions, ...details } = document;
  const tokens = chunks.reduce((sum, { chunk }) => sum + chunk.tokenCount, 0);
  const number = db
    .prepare<{ number: number }>(
      `INSERT INTO documents (id, origin, source, language, from_generation, first_ordinal, chunks, tokens, details)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING number`,
    )
    .get(
      document.id,
      place.origin,
      document.sourceId,
      document.language,
      place.generation,
      place.firstOrdinal,
      chunks.length,
      tokens,
      JSON.stringify(details satisfies Details),
    )?.number as number;

  const structure: Structure = { sections, blocks, exclusions };
  const encoding = LONE_SURROGATE.test(text) ? 'utf16le' : 'utf8';
  db.prepare('INSERT INTO texts VALUES (?, ?, ?, ?)').run(
    number,
    JSON.stringify(structure),
    encoding,
    Buffer.from(text, encoding),
  );

  const insertChunk = db.prepare('INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?)');
  const insertVector = db.prepare('INSERT INTO vectors VALUES (?, ?)');
  let before: Readonly<Record<string, Float32Array>> = {};
  return chunks.map(({ chunk, vectors: { dense, sparse = {} } }, i) => {
    const ordinal = place.firstOrdinal + i;
    const vectors = Object.entries(dense).map(([space, vector]): ChunkVector => ({
      space,
      vector,
      repeated: sameVector(before[space], vector),
    }));
    before = dense;
    const repeats = vectors.filter(({ repeated }) => repeated).map(({ space }) => space);
    insertChunk.run(
      ordinal,
      chunk.id,
      number,
      chunk.position,
      repeats.length === 0 ? '' : JSON.stringify(repeats),
      encodeChunk(chunk, document),
    );
    for (const { space, vector, repeated } of vectors) {
      if (!repeated) insertVector.run(vectorKey(ordinal, spaces.dense.get(space) as number), bytesOf(vector));
    }
    for (const [space, vector] of Object.entries(sparse)) {
      if (vector.indices.length === 0) continue;
      insertVector.run(vectorKey(ordinal, spaces.sparse.get(space) as number), encodeSparse(vector));
    }
    return { ordinal, chunk, vectors, sparse };
  });
}

export interface DocumentRange {
  readonly number: number;
  readonly firstOrdinal: number;
  readonly chunks: number;
}

/** Deletes documents with all that belongs to them, their segment rows apart. */
export function deleteDocuments(db: Database, documents: readonly DocumentRange[]): void {
  for (const { number, firstOrdinal, chunks } of documents) {
    const end = firstOrdinal + chunks;
    db.prepare('DELETE FROM documents WHERE number = ?').run(number);
    db.prepare('DELETE FROM texts WHERE document = ?').run(number);
    db.prepare('DELETE FROM chunks WHERE ordinal >= ? AND ordinal < ?').run(firstOrdinal, end);
    db.prepare('DELETE FROM vectors WHERE key >= ? AND key < ?').run(vectorKey(firstOrdinal, 0), vectorKey(end, 0));
  }
}

export function readDocument(db: Database, generation: number, id: string): Document | undefined {
  const row = db
    .prepare<{ number: number; details: string }>(
      `SELECT d.number, d.details FROM documents d WHERE d.id = ? AND ${VISIBLE}`,
    )
    .get(id, generation, generation);
  if (row === undefined) return undefined;
  const structure = db
    .prepare<{ structure: string }>('SELECT structure FROM texts WHERE document = ?')
    .get(row.number)?.structure;
  return {
    ...(JSON.parse(row.details) as Details),
    ...(JSON.parse(structure ?? '') as Structure),
    text: readText(db, row.number),
  };
}

export function listDocuments(db: Database, generation: number, source: string | undefined): DocumentSummary[] {
  return db
    .prepare<{ details: string; chunks: number }>(
      `SELECT d.details, d.chunks FROM documents d WHERE ${VISIBLE} AND d.source = coalesce(?, d.source)`,
    )
    .all(generation, generation, source ?? null)
    .map(({ details, chunks }) => summarize(JSON.parse(details) as Details, chunks))
    .sort(compareSummaries);
}

export function countDocuments(db: Database, generation: number): Omit<StoreStatistics, 'generation' | 'bytes'> {
  const rows = db
    .prepare<{ source: string; documents: number; chunks: number; tokens: number }>(
      `SELECT d.source, count(*) AS documents, sum(d.chunks) AS chunks, sum(d.tokens) AS tokens
       FROM documents d WHERE ${VISIBLE} GROUP BY d.source ORDER BY d.source`,
    )
    .all(generation, generation);
  const total = (key: 'documents' | 'chunks' | 'tokens'): number => rows.reduce((sum, row) => sum + row[key], 0);
  return {
    documents: total('documents'),
    chunks: total('chunks'),
    tokens: total('tokens'),
    sources: Object.fromEntries(rows.map(({ source, documents, chunks }) => [source, { documents, chunks }])),
  };
}

/** Distinct languages, sorted; one index look-up each. */
export function listLanguages(db: Database, generation: number): string[] {
  const next = db.prepare<{ language: string | null }>(
    'SELECT min(language) AS language FROM documents WHERE language > ?',
  );
  const first = db.prepare<{ language: string | null }>('SELECT min(language) AS language FROM documents');
  const seen = db.prepare(`SELECT 1 FROM documents d WHERE d.language = ? AND ${VISIBLE} LIMIT 1`);
  const languages: string[] = [];
  for (let at = first.get()?.language ?? null; at !== null; at = next.get(at)?.language ?? null) {
    if (seen.get(at, generation, generation) !== undefined) languages.push(at);
  }
  return languages.sort();
}

type SharedField = (typeof SHARED)[number];
type OwnFields = Omit<Chunk, SharedField | (typeof IN_COLUMNS)[number]> & Partial<Pick<Chunk, SharedField>>;

interface ChunkRow {
  readonly id: string;
  readonly position: number;
  readonly document: number;
  readonly chunk: string;
  readonly details: string;
}

const CHUNK_ROWS = `SELECT c.id, c.position, c.document, c.chunk, d.details
  FROM chunks c JOIN documents d ON d.number = c.document`;

/** In the order of `ids`. */
export function readChunks(db: Database, generation: number, ids: readonly string[]): Chunk[] {
  const rows = db
    .prepare<ChunkRow>(`${CHUNK_ROWS} WHERE c.id IN (SELECT value FROM json_each(?)) AND ${VISIBLE}`)
    .all(JSON.stringify(ids), generation, generation);
  const found = new Map(decodeChunks(db, rows).map((chunk) => [chunk.id, chunk]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

export function readNeighbours(db: Database, generation: number, id: string, from: number, to: number): Chunk[] {
  const rows = db
    .prepare<ChunkRow>(
      `${CHUNK_ROWS} WHERE d.id = ? AND ${VISIBLE} AND c.ordinal >= d.first_ordinal
       AND c.ordinal < d.first_ordinal + d.chunks AND c.position >= ? AND c.position < ? ORDER BY c.position`,
    )
    .all(id, generation, generation, from, to);
  return decodeChunks(db, rows);
}

/** The chunks of documents that a killed run left in no segment, in the order of storage. */
export function* unsegmentedChunks(db: Database, segmented: number, spaces: SpaceNumbers): Generator<NewChunk> {
  const rows = db
    .prepare<ChunkRow & { ordinal: number; repeats: string }>(
      `SELECT c.ordinal, c.repeats, c.id, c.position, c.document, c.chunk, d.details
       FROM chunks c JOIN documents d ON d.number = c.document WHERE c.ordinal >= ? ORDER BY c.ordinal`,
    )
    .all(segmented);
  const chunks = decodeChunks(db, rows);
  let before: readonly ChunkVector[] = [];
  for (const [i, { ordinal, repeats }] of rows.entries()) {
    const repeated = repeats === '' ? [] : (JSON.parse(repeats) as string[]);
    const own = [...spaces.dense].flatMap(([space, number]): ChunkVector[] => {
      const [vector] = readVectors(db, [vectorKey(ordinal, number)]).values();
      return vector === undefined ? [] : [{ space, vector, repeated: false }];
    });
    const copied = before.filter(({ space }) => repeated.includes(space));
    before = [...own, ...copied.map((vector) => ({ ...vector, repeated: true }))];
    yield { ordinal, chunk: chunks[i] as Chunk, vectors: before, sparse: readSparse(db, ordinal, spaces) };
  }
}

export function writeOrigin(db: Database, { sourceId, uri, path, revision, stamp }: Origin): number {
  return db
    .prepare<{ id: number }>(
      `INSERT INTO origins (source, uri, path, revision, stamp) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (source, uri) DO UPDATE SET path = excluded.path, revision = excluded.revision, stamp = excluded.stamp
       RETURNING id`,
    )
    .get(sourceId, uri, path, revision, stamp)?.id as number;
}

function encodeChunk(chunk: Chunk, document: Document): string {
  const own: Partial<Record<keyof Chunk, unknown>> = { ...chunk };
  for (const field of IN_COLUMNS) own[field] = undefined;
  for (const field of SHARED) if (chunk[field] === document[field]) own[field] = undefined;
  return JSON.stringify(own);
}

function decodeChunks(db: Database, rows: readonly ChunkRow[]): Chunk[] {
  const documents = new Map<number, { readonly details: Details; readonly text: string }>();
  return rows.map(({ id, position, document, chunk, details }) => {
    let known = documents.get(document);
    if (known === undefined) {
      known = { details: JSON.parse(details) as Details, text: readText(db, document) };
      documents.set(document, known);
    }
    const { sourceId, uri, path, title, type, language } = known.details;
    const own = JSON.parse(chunk) as OwnFields;
    return {
      sourceId,
      uri,
      path,
      title,
      type,
      language,
      ...own,
      id,
      documentId: known.details.id,
      position,
      text: known.text.slice(own.span.start, own.span.end),
    };
  });
}

function readText(db: Database, document: number): string {
  const row = db
    .prepare<{ encoding: BufferEncoding; text: Uint8Array }>('SELECT encoding, text FROM texts WHERE document = ?')
    .get(document);
  if (row === undefined) throw new RangeError(`text of document ${document}`);
  return Buffer.from(row.text.buffer, row.text.byteOffset, row.text.byteLength).toString(row.encoding);
}

const sameVector = (a: Float32Array | undefined, b: Float32Array): boolean =>
  a === b || (a !== undefined && a.length === b.length && Buffer.compare(bytesOf(a), bytesOf(b)) === 0);
