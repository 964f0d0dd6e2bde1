/**
 * The plain store: everything in memory, every question answered by looking at every chunk. Slow and easy to check;
 * it says what the `Store` contract means, and the contract suite holds the embedded store to it.
 */
import type {
  QueryTerm,
  IndexSchema,
  KnownRevision,
  LegRun,
  Origin,
  Store,
  StoredDocument,
  StoreQuery,
  StoreStatistics,
} from '../core/contracts.ts';
import { RagError } from '../core/errors.ts';
import { matchesFilter } from '../core/filter.ts';
import type { Chunk, LegHit } from '../core/types.ts';
import { createAnalyzer } from '../text/analyze.ts';
import type { Analyzer, QueryWord } from '../text/analyze.ts';
import { COVERAGE_DEPTH, chunkTerms, fieldWeights, inverseDocumentFrequency, lengthNorm, termScore } from './bm25.ts';
import { checkDocuments, checkVector } from './checks.ts';
import { dot } from './dot.ts';
import { checkSchema } from './schema.ts';
import { compareSummaries, summarize } from './summary.ts';

interface Entry {
  readonly origin: Origin;
  readonly documents: readonly IndexedDocument[];
}

interface IndexedDocument extends Omit<StoredDocument, 'chunks'> {
  readonly chunks: readonly IndexedChunk[];
}

interface IndexedChunk {
  readonly chunk: Chunk;
  readonly vectors: Readonly<Record<string, Float32Array>>;
  /** By field: how often each term occurs. */
  readonly counts: readonly ReadonlyMap<string, number>[];
  readonly lengths: readonly number[];
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
    supports: new Set(['dense', 'keyword'] as const),

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
      if (query.leg === 'sparse') throw new RagError('setting-invalid', 'this index has no sparse vectors');
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

const emptyIndex = (schema: IndexSchema): Index => ({
  schema,
  analyzer: createAnalyzer(schema.analyzer),
  written: new Map(),
  published: new Map(),
  generation: 0,
  values: new Map(),
});

function indexDocument({ document, chunks }: StoredDocument, analyzer: Analyzer): IndexedDocument {
  const indexed = chunks.map(({ chunk, vectors }) => {
    const terms = chunkTerms(chunk, analyzer);
    const dense = Object.entries(vectors.dense).map(([space, vector]) => [space, vector.slice()] as const);
    return {
      chunk,
      vectors: Object.fromEntries(dense),
      counts: terms.map(countTerms),
      lengths: terms.map((list) => list.length),
    };
  });
  return { document, chunks: indexed };
}

function countTerms(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

function searchDense(
  chunks: readonly IndexedChunk[],
  query: Extract<StoreQuery, { leg: 'dense' }>,
  schema: IndexSchema,
): LegRun {
  checkVector(schema, query.space, query.vector);
  const hits: LegHit[] = [];
  for (const { chunk, vectors } of chunks) {
    const vector = vectors[query.space];
    if (vector === undefined || (query.filter !== undefined && !matchesFilter(chunk, query.filter))) continue;
    hits.push({ chunkId: chunk.id, score: dot(query.vector, vector) });
  }
  return { hits: best(hits, query.topK) };
}

function searchKeyword(
  chunks: readonly IndexedChunk[],
  query: Extract<StoreQuery, { leg: 'keyword' }>,
  words: readonly QueryWord[],
): LegRun {
  const weights = fieldWeights(query.fields);
  const countIn = ({ counts }: IndexedChunk, { variants }: QueryWord, field: number): number =>
    variants.reduce((sum, variant) => sum + (counts[field]?.get(variant) ?? 0), 0);
  const contains = (chunk: IndexedChunk, word: QueryWord): boolean =>
    chunk.counts.some((_, field) => countIn(chunk, word, field) > 0);
  const lengthOf = ({ lengths }: IndexedChunk): number => weighted(weights, lengths);
  const average = chunks.reduce((sum, chunk) => sum + lengthOf(chunk), 0) / Math.max(1, chunks.length);

  const terms = words.map((word): QueryTerm => {
    const found = chunks.filter((chunk) => contains(chunk, word)).length;
    return { ...word, chunks: found, idf: inverseDocumentFrequency(chunks.length, found) };
  });

  const hits: LegHit[] = [];
  for (const indexed of chunks) {
    const norm = lengthNorm(query.k1, query.b, lengthOf(indexed), average);
    let score = 0;
    for (const term of terms) {
      const frequency = weighted(
        weights,
        indexed.counts.map((_, field) => countIn(indexed, term, field)),
      );
      if (frequency > 0) score += termScore(term.idf, frequency, query.k1, norm);
    }
    const passes = query.filter === undefined || matchesFilter(indexed.chunk, query.filter);
    if (score > 0 && passes) hits.push({ chunkId: indexed.chunk.id, score });
  }

  const run = best(hits, query.topK);
  const byId = new Map(chunks.map((indexed) => [indexed.chunk.id, indexed]));
  const known = terms.filter((term) => term.chunks > 0);
  const mass = known.reduce((sum, { idf }) => sum + idf, 0);
  const coverage = run.slice(0, COVERAGE_DEPTH).map(({ chunkId }) => {
    const indexed = byId.get(chunkId) as IndexedChunk;
    return known.reduce((sum, term) => sum + (contains(indexed, term) ? term.idf : 0), 0) / mass;
  });
  return { hits: run, terms, coverage };
}

const weighted = (weights: readonly number[], counts: readonly number[]): number =>
  counts.reduce((sum, count, field) => sum + (weights[field] as number) * count, 0);

/** `sort` is stable: equal scores stay in the order of storage. */
const best = (hits: readonly LegHit[], topK: number): LegHit[] =>
  [...hits].sort((a, b) => b.score - a.score).slice(0, Math.max(0, topK));

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
