/**
 * The extension points. A driver is a default-exported factory that returns an object literal and opens what it
 * needs on first use. The engine does for every driver what is common: batching, retries, timeouts, caching,
 * truncation, cancellation; a driver only talks to its own thing. Capabilities are fields, never `instanceof`.
 */
import type { Filter } from './filter.ts';
import type {
  Chunk,
  Citation,
  Document,
  EmbeddedChunk,
  Exclusion,
  LegHit,
  Passage,
  RawDocument,
  SparseVector,
  Usage,
  Warning,
} from './types.ts';

export interface CallOptions {
  readonly signal?: AbortSignal;
}

// ---------------------------------------------------------------------------------------------------- sources

/** What the index already holds of one address. */
export interface KnownRevision {
  readonly revision: string;
  /** The source's own cheap proof of sameness (size and times of a file); `''` when it has none. */
  readonly stamp: string;
}

export type SourceChange =
  /** Optional, before all others: how many addresses will follow. Only progress is computed from it. */
  | { readonly type: 'listed'; readonly total: number }
  | {
      readonly type: 'upsert';
      readonly uri: string;
      readonly path: string;
      readonly stamp: string;
      /** Called at most once. @throws RagError `document-failed`, which costs this document only. */
      read(options?: CallOptions): Promise<RawDocument>;
    }
  /** `stamp` is given when only the stamp changed (a file was touched, its bytes are the same). */
  | { readonly type: 'unchanged'; readonly uri: string; readonly stamp?: string; readonly revision?: string }
  | { readonly type: 'delete'; readonly uri: string }
  | { readonly type: 'exclude'; readonly exclusion: Exclusion }
  /** Of the source itself, or of a part that made no document: a line of a file of records. */
  | { readonly type: 'warning'; readonly warning: Warning }
  | { readonly type: 'failure'; readonly path: string; readonly message: string };

/** Where documents come from. Yields every known address exactly once, as upsert, unchanged or delete. */
export interface Source {
  /** Unique in the index; the filterable field `source`. */
  readonly id: string;
  /** As the user wrote it, without secrets. */
  readonly address: string;
  /** @throws RagError `source-missing` | `source-failed` before the first change, so that nothing is deleted. */
  changes(known: ReadonlyMap<string, KnownRevision>, options?: CallOptions): AsyncIterable<SourceChange>;
  /** Files beside a document, for parsers that include them. */
  siblings(uri: string): SiblingFiles;
  /** The current bytes' revision of one address, or undefined when it is gone: says whether an answer is stale. */
  currentRevision?(uri: string): Promise<string | undefined>;
  close?(): Promise<void>;
}

// ---------------------------------------------------------------------------------------------------- parsers

/** Reads files relative to a document; never outside the source's root. What was read is a dependency. */
export interface SiblingFiles {
  read(relative: string): Promise<Uint8Array | undefined>;
}

/** Bytes to documents: one file may hold many records (`uri#id`). Never throws on odd content: it warns. */
export interface Parser {
  readonly mediaTypes: readonly string[];
  parse(raw: RawDocument, files: SiblingFiles): AsyncIterable<Document>;
}

// --------------------------------------------------------------------------------------------------- chunkers

/** Every non-blank character of the document is in a chunk or in one of `document.exclusions`. */
export interface Chunker {
  /** Deterministic. A promise where the text itself has to be embedded to find its boundaries. */
  chunk(document: Document, options?: CallOptions): readonly Chunk[] | Promise<readonly Chunk[]>;
}

// -------------------------------------------------------------------------------------------------- embedders

export interface Embedder {
  /** Name and fingerprint of the weights: an index refuses vectors of another model. */
  readonly model: string;
  readonly dimensions: number;
  readonly maxBatch: number;
  /** Longest input in tokens, special tokens included; `Infinity` when there is no limit. */
  readonly maxTokens: number;
  countTokens(text: string): number;
  /** Unit vectors, in the order of `texts`. `as` chooses the prompt of models that have two. */
  embed(texts: readonly string[], as: 'query' | 'passage', options?: CallOptions): Promise<readonly Float32Array[]>;
  /** Opens at once what the first `embed` would open (weights, worker threads), and throws what that would throw. */
  warm?(): Promise<void>;
  /** Ends worker threads; the embedder may not be used afterwards. */
  close?(): Promise<void>;
}

/** Learned sparse vectors (SPLADE, Formal et al. 2021): weights over a vocabulary, of questions and of passages. */
export interface SparseEmbedder {
  readonly model: string;
  readonly maxTokens: number;
  embed(texts: readonly string[], as: 'query' | 'passage', options?: CallOptions): Promise<readonly SparseVector[]>;
  close?(): Promise<void>;
}

// ----------------------------------------------------------------------------------------------------- stores

/** How text becomes index terms: part of the index, a change needs a rebuild. */
export interface AnalyzerSettings {
  /** ISO 639-1 for all documents, or `auto`: the document's own declared or detected language. */
  readonly language: string;
  readonly stem: boolean;
  readonly stopWords: boolean;
  /** Index whole identifiers (`DB_HOST`) and their parts. */
  readonly identifiers: boolean;
  /** Keep `$…$` and TeX commands as words of their own. */
  readonly math: boolean;
}

/** What an index was built with. A store refuses to open an index that differs. */
export interface IndexSchema {
  /** Dense spaces by name: the embedder's fingerprint and the vector length. */
  readonly spaces: Readonly<Record<string, { readonly model: string; readonly dimensions: number }>>;
  /** Learned sparse spaces by name; none when absent. */
  readonly sparse?: Readonly<Record<string, { readonly model: string }>>;
  readonly analyzer: AnalyzerSettings;
  /** Everything else that shaped the chunks (parsers, chunker), as data; compared as JSON. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** One file or page of a source, the unit of replacement: all its documents change together. */
export interface Origin {
  readonly sourceId: string;
  readonly uri: string;
  readonly path: string;
  readonly revision: string;
  readonly stamp: string;
}

/** BM25F-like counts: a term's weight in a chunk is the sum of its counts times the field's weight. */
export interface KeywordWeights {
  readonly path: number;
  readonly title: number;
  readonly heading: number;
  readonly body: number;
}

export interface StoredOrigin {
  readonly origin: Origin;
  readonly documents: readonly string[];
}

export type StoreQuery =
  | {
      readonly leg: 'dense';
      readonly space: string;
      readonly vector: Float32Array;
      readonly topK: number;
      readonly filter?: Filter;
    }
  /** Inner product with the learned sparse vectors of a space. */
  | {
      readonly leg: 'sparse';
      readonly space: string;
      readonly vector: SparseVector;
      readonly topK: number;
      readonly filter?: Filter;
    }
  | {
      readonly leg: 'keyword';
      /** Text, never query syntax. */
      readonly text: string;
      readonly k1: number;
      readonly b: number;
      readonly fields: KeywordWeights;
      readonly topK: number;
      readonly filter?: Filter;
    };

/** A search result of one leg, best first; equal scores in the order in which the chunks were stored. */
export interface LegRun {
  readonly hits: readonly LegHit[];
  /** Keyword leg only: the words that were searched, those that occur nowhere included. */
  readonly terms?: readonly QueryTerm[];
  /** Keyword leg only: for each of the first hits, the share of the known terms' idf that it contains, 0 to 1. */
  readonly coverage?: readonly number[];
}

/** A word of the question as the keyword leg searched it. */
export interface QueryTerm {
  readonly term: string;
  /** Its terms in each language of the index; they count as one. */
  readonly variants: readonly string[];
  /** Inverse document frequency; that of a word in no chunk is the highest. */
  readonly idf: number;
  /** Chunks that hold any of the variants. */
  readonly chunks: number;
}

export interface SourceRecord {
  readonly id: string;
  /** What `ingest` was given, and what a later sync reads again; JSON, no secrets. */
  readonly definition: Readonly<Record<string, unknown>>;
}

export interface StoreStatistics {
  readonly documents: number;
  readonly chunks: number;
  readonly tokens: number;
  /** Completed ingest runs. */
  readonly generation: number;
  /** On disk; 0 for a store in memory. */
  readonly bytes: number;
  /** Documents and chunks by source. */
  readonly sources: Readonly<Record<string, { readonly documents: number; readonly chunks: number }>>;
}

export interface DocumentSummary {
  readonly id: string;
  readonly sourceId: string;
  readonly uri: string;
  readonly path: string;
  readonly title: string;
  readonly revision: string;
  readonly type: string;
  readonly chunks: number;
}

/**
 * Keeps documents, chunks and vectors, and answers one leg at a time. A *generation* is one completed ingest run:
 * `replace` and `remove` are each atomic and survive a kill, but readers see them only after `publish`.
 * The writer itself (the object that called `replace`) reads the generation last published, like everybody else,
 * except in `revisions`, which tells what is already there, so that a killed run is continued.
 */
export interface Store {
  readonly supports: ReadonlySet<'dense' | 'sparse' | 'keyword'>;
  /** Creates the index or opens it. @throws RagError `index-mismatch` | `index-damaged` */
  open(schema: IndexSchema, mode: 'read' | 'write'): Promise<void>;
  revisions(sourceId: string): Promise<ReadonlyMap<string, KnownRevision>>;
  /** Replaces all documents of an origin in one transaction; idempotent. */
  replace(origin: Origin, documents: readonly StoredDocument[]): Promise<void>;
  /** Records a new stamp for unchanged bytes. */
  touch(sourceId: string, uri: string, stamp: string): Promise<void>;
  remove(sourceId: string, uri: string): Promise<void>;
  /** Ends the run: readers switch to everything written since the last publish. Returns the generation's number. */
  publish(): Promise<number>;
  /** The run last published, 0 before the first. Equal before and after several reads: they saw the same documents. */
  generation(): Promise<number>;
  search(query: StoreQuery, options?: CallOptions): Promise<LegRun>;
  /** In the order of `ids`; unknown ids are left out. */
  chunks(ids: readonly string[]): Promise<readonly Chunk[]>;
  /** Chunks of one document whose position is in `[from, to)`, in order. */
  neighbours(documentId: string, from: number, to: number): Promise<readonly Chunk[]>;
  document(id: string): Promise<Document | undefined>;
  documents(sourceId?: string): Promise<readonly DocumentSummary[]>;
  /** Every origin with the ids of its documents, in the order of storage: what a copy of the index replaces. */
  origins(): Promise<readonly StoredOrigin[]>;
  statistics(): Promise<StoreStatistics>;
  /** Small named JSON values kept with the index (sources, preset, last sync). `put` takes effect at once. */
  get(key: string): Promise<unknown>;
  put(key: string, value: unknown): Promise<void>;
  close(): Promise<void>;
}

export interface StoredDocument {
  readonly document: Document;
  readonly chunks: readonly EmbeddedChunk[];
}

// -------------------------------------------------------------------------------------------------- rerankers

/** Gives back indices, so it can neither invent nor lose a passage. */
export interface Reranker {
  /** Name and, for local weights, fingerprint. */
  readonly model: string;
  close?(): Promise<void>;
  rerank(
    query: string,
    texts: readonly string[],
    options: CallOptions & { readonly topK: number },
  ): Promise<readonly { readonly index: number; readonly score: number }[]>;
}

// ------------------------------------------------------------------------------------------------- generators

export interface GenerateRequest {
  readonly question: string;
  readonly passages: readonly Passage[];
  /** Blocks and sections of the passages' documents, for generators that quote. */
  readonly documents: ReadonlyMap<string, Document>;
  /** The question's words, as the keyword leg weighs them. */
  readonly terms: readonly QueryTerm[];
}

/** A statement with the exact quotes it stands on. Free text with `[n]` marks comes with the language models. */
export type GeneratorEvent =
  | { readonly type: 'quoted-statement'; readonly text: string; readonly quotes: readonly QuotedSpan[] }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'warning'; readonly warning: Warning };

/** A place in a passage's document that a statement stands on. */
export interface QuotedSpan {
  readonly label: number;
  readonly span: Citation['span'];
}

/** Plain text from a model: a hypothetical answer, other words for a question, a judgement. */
export interface WriteRequest {
  readonly instructions: string;
  /** Data, never instructions: documents and questions go here. */
  readonly input: string;
  readonly maxOutputTokens: number;
}

export type WriteEvent =
  { readonly type: 'text-delta'; readonly text: string } | { readonly type: 'usage'; readonly usage: Usage };

export interface Generator {
  readonly model: string;
  generate(request: GenerateRequest, options?: CallOptions): AsyncIterable<GeneratorEvent>;
  /** Only language models can: `extractive` has none. */
  write?(request: WriteRequest, options?: CallOptions): AsyncIterable<WriteEvent>;
}

// ----------------------------------------------------------------------------------------------------- caches

/** Keys include the preset's hash and the index generation. */
export interface Cache {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string, ttlSeconds: number): Promise<void>;
  delete(key: string): Promise<void>;
  close(): Promise<void>;
}
