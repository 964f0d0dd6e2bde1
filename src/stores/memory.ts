/**
 * The plain store: everything in memory, every question answered by looking at every chunk. Slow and easy to check;
 * it says what the `Store` contract means, and the contract suite holds the embedded store to it.
 */
import type { IndexSchema, KnownRevision, Origin, Store, StoredDocument, StoreStatistics } from '../core/contracts.ts';
import { RagError } from '../core/errors.ts';
import { createAnalyzer } from '../text/analyze.ts';
import type { Analyzer } from '../text/analyze.ts';
import { checkDocuments, checkSpaceNames } from './checks.ts';
import { indexChunk, searchDense, searchKeyword, searchSparse } from './memory-search.ts';
import type { IndexedChunk } from './memory-search.ts';
import { checkSchema } from './schema.ts';
import { compareSummaries, summarize } from './summary.ts';

interface Entry {
  readonly origin: Origin;
  readonly documents: readonly IndexedDocument[];
}

interface IndexedDocument extends Omit<StoredDocument, 'chunks'> {
  readonly chunks: readonly IndexedChunk[];
}

interface Index {
  readonly schema: IndexSchema;
  readonly analyzer: Analyzer;
  /** In the order of writing, which is the order of equal scores. */
  readonly written: Map<string, Entry>;
  /** What `written` was at the last publish. */
  published: ReadonlyMap<string, Entry>;
  generation: number;
  readonly values: Map<string, string>;
}

/** The content lives as long as the object: it can be closed and opened again. */
export default function memoryStore(): Store {
  let index: Index | undefined;
  let mode: 'read' | 'write' | 'closed' = 'closed';

  const opened = (): Index => {
    if (index === undefined || mode === 'closed') throw new RagError('internal', 'the store is not open');
    return index;
  };
  const writable = (): Index => {
    if (mode === 'read') throw new RagError('internal', 'the store is open for reading only');
    return opened();
  };
  const documents = (): IndexedDocument[] => [...opened().published.values()].flatMap((entry) => entry.documents);
  const chunks = (): IndexedChunk[] => documents().flatMap((document) => document.chunks);

  return {
    supports: new Set(['dense', 'sparse', 'keyword'] as const),

    async open(schema, wanted) {
      if (index === undefined) index = emptyIndex(schema);
      else checkSchema(index.schema, schema);
      mode = wanted;
    },

    async revisions(sourceId) {
      const origins = [...opened().written.values()].map((entry) => entry.origin);
      return new Map<string, KnownRevision>(
        origins
          .filter((origin) => origin.sourceId === sourceId)
          .map((origin) => [origin.uri, { revision: origin.revision, stamp: origin.stamp }]),
      );
    },

    async replace(origin, stored) {
      const { schema, analyzer, written } = writable();
      checkDocuments(schema, stored);
      written.delete(key(origin.sourceId, origin.uri));
      written.set(key(origin.sourceId, origin.uri), {
        origin,
        documents: stored.map((document) => indexDocument(document, analyzer)),
      });
    },

    async touch(sourceId, uri, stamp) {
      const { written } = writable();
      const entry = written.get(key(sourceId, uri));
      if (entry !== undefined) {
        written.set(key(sourceId, uri), { ...entry, origin: { ...entry.origin, stamp } });
      }
    },

    async remove(sourceId, uri) {
      writable().written.delete(key(sourceId, uri));
    },

    async publish() {
      const current = writable();
      current.published = new Map(current.written);
      return ++current.generation;
    },

    async search(query, options) {
      options?.signal?.throwIfAborted();
      const { schema, analyzer } = opened();
      if (query.leg === 'dense') return searchDense(chunks(), query, schema);
      if (query.leg === 'sparse') return searchSparse(chunks(), query, schema);
      const languages = [...new Set(documents().map(({ document }) => document.language))].sort();
      return searchKeyword(chunks(), query, analyzer.queryWords(query.text, languages));
    },

    async chunks(ids) {
      const byId = new Map(chunks().map(({ chunk }) => [chunk.id, chunk]));
      return ids.flatMap((id) => byId.get(id) ?? []);
    },

    async neighbours(documentId, from, to) {
      return chunks()
        .map(({ chunk }) => chunk)
        .filter((chunk) => chunk.documentId === documentId && chunk.position >= from && chunk.position < to)
        .sort((a, b) => a.position - b.position);
    },

    async document(id) {
      return documents().find(({ document }) => document.id === id)?.document;
    },

    async documents(sourceId) {
      return documents()
        .filter(({ document }) => sourceId === undefined || document.sourceId === sourceId)
        .map(({ document, chunks }) => summarize(document, chunks.length))
        .sort(compareSummaries);
    },

    async origins() {
      return [...opened().published.values()].map(({ origin, documents: own }) => ({
        origin,
        documents: own.map(({ document }) => document.id),
      }));
    },

    async generation() {
      return opened().generation;
    },
    async statistics() {
      return countAll(documents(), opened().generation);
    },

    async get(name) {
      const value = opened().values.get(name);
      return value === undefined ? undefined : (JSON.parse(value) as unknown);
    },

    async put(name, value) {
      writable().values.set(name, JSON.stringify(value));
    },

    async close() {
      mode = 'closed';
    },
  };
}

const key = (sourceId: string, uri: string): string => JSON.stringify([sourceId, uri]);

function emptyIndex(schema: IndexSchema): Index {
  checkSpaceNames(schema);
  return {
    schema,
    analyzer: createAnalyzer(schema.analyzer),
    written: new Map(),
    published: new Map(),
    generation: 0,
    values: new Map(),
  };
}

const indexDocument = ({ document, chunks }: StoredDocument, analyzer: Analyzer): IndexedDocument => ({
  document,
  chunks: chunks.map((chunk) => indexChunk(chunk, analyzer)),
});

function countAll(documents: readonly IndexedDocument[], generation: number): StoreStatistics {
  const sources = new Map<string, { documents: number; chunks: number }>();
  let [chunks, tokens] = [0, 0];
  for (const { document, chunks: own } of documents) {
    const before = sources.get(document.sourceId) ?? { documents: 0, chunks: 0 };
    sources.set(document.sourceId, { documents: before.documents + 1, chunks: before.chunks + own.length });
    chunks += own.length;
    tokens += own.reduce((sum, { chunk }) => sum + chunk.tokenCount, 0);
  }
  return { documents: documents.length, chunks, tokens, generation, bytes: 0, sources: Object.fromEntries(sources) };
}
