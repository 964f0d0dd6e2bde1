/**
 * The vocabulary. One type per state: what was fetched, what was stored and what was scored are different types,
 * so that no field is "sometimes there". Every position is a {@link Span} of `Document.text`, unless it says otherwise.
 */

import type { PublicError } from './errors.ts';

/** Half-open range `[start, end)` in UTF-16 code units of `Document.text` (`answerSpan`: of `Answer.text`). */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** 1-based, inclusive range of lines. A line ends at LF, CRLF or a lone CR. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

export type MetadataValue = string | number | boolean | readonly string[] | readonly number[];

/** Free, JSON-serialisable facts about a document or chunk; every key can be filtered on. */
export type Metadata = Readonly<Record<string, MetadataValue>>;

/** Something that went less well than asked, and that the user must be able to see. Never an error. */
export interface Warning {
  /** kebab-case, stable: programs may compare it. */
  readonly code: string;
  readonly message: string;
  /** Address of the document it concerns, when there is one. */
  readonly uri?: string;
  readonly hint?: string;
}

/** An input that a rule left out: hidden, binary, ignored, of a format without a parser, over a limit. */
export interface Exclusion {
  /** Path relative to the source's root. */
  readonly path: string;
  readonly reason: ExclusionReason;
  readonly detail?: string;
}

export type ExclusionReason =
  | 'hidden'
  | 'binary'
  | 'ignored'
  | 'not-included'
  | 'no-parser'
  | 'symbolic-link'
  | 'not-a-file'
  | 'too-large'
  | 'draft'
  | 'unverified'
  | 'empty'
  | 'submodule'
  | 'lfs-pointer';

/** The bytes of one file or page as a source hands them over, before any parser has looked at them. */
export interface RawDocument {
  readonly sourceId: string;
  /** Full address and identity, e.g. `file:///…/guide/build.md` or `git+REPOSITORY:path`. */
  readonly uri: string;
  /** What people read: relative to the source's root, `/`-separated. */
  readonly path: string;
  /** Blob id, ETag or content hash: changes whenever the bytes change. */
  readonly revision: string;
  readonly mediaType: string;
  readonly body: Uint8Array;
  readonly metadata: Metadata;
  /** Where a person can open the document, without an anchor. */
  readonly url?: string;
  /** Where the source is published: a document that declares its own slug has another `url` below it. */
  readonly baseUrl?: string;
}

/** A heading and what stands below it, up to the next heading of the same or a higher level. */
export interface Section {
  /** Heading text as people read it, without marks. */
  readonly title: string;
  /** 1 to 6. */
  readonly level: number;
  /** Fragment without `#`, unique in the document. */
  readonly anchor: string;
  /** Titles from the outermost heading down to this one, this one included. */
  readonly path: readonly string[];
  /** From the first character of the heading to the end of the section, children included. */
  readonly span: Span;
  /** The heading's own characters. */
  readonly headingSpan: Span;
}

export type BlockKind = 'paragraph' | 'heading' | 'list-item' | 'code' | 'table' | 'html' | 'quote' | 'other';

/**
 * A leaf block of a document, in order and without overlap: what a chunker may keep whole and an extractive
 * answer may quote. List items are their own blocks (nested items too), containers are not.
 */
export interface Block {
  readonly kind: BlockKind;
  /** Whole lines, without the line end of the last one. */
  readonly span: Span;
  /** Indentation depth of list items (0 = outermost); 0 for everything else. */
  readonly depth: number;
  /** Info string of a fence (`ts`, `bash`). */
  readonly language?: string;
}

/** A range of the text that is deliberately in no chunk, e.g. front matter or MDX imports. */
export interface TextExclusion {
  readonly span: Span;
  readonly reason: 'front-matter' | 'comment' | 'script' | 'mdx-import' | 'draft' | 'markup-only';
}

/** One parsed document. For text formats `text` is the decoded file itself, byte-order mark apart. */
export interface Document {
  /** Deterministic: a hash of source and uri. */
  readonly id: string;
  readonly sourceId: string;
  readonly uri: string;
  readonly path: string;
  readonly url?: string;
  readonly title: string;
  readonly text: string;
  readonly sections: readonly Section[];
  readonly blocks: readonly Block[];
  readonly exclusions: readonly TextExclusion[];
  readonly revision: string;
  /** SHA-256 of `text`, hex. */
  readonly contentHash: string;
  /** `markdown`, `text`, `code` …: the filterable field `type`. */
  readonly type: string;
  /** MediaWiki's marks stand between the words. Absent: those of Markdown, or none in code and in `type: text`. */
  readonly markup?: 'wiki';
  /** ISO 639-1, or `''` when neither declared nor detected. */
  readonly language: string;
  readonly metadata: Metadata;
  readonly warnings: readonly Warning[];
}

/** The unit that is embedded, searched and returned. `text === document.text.slice(span.start, span.end)`, always. */
export interface Chunk {
  readonly id: string;
  readonly documentId: string;
  readonly sourceId: string;
  /** 0-based order within the document. */
  readonly position: number;
  readonly span: Span;
  readonly text: string;
  /** "title > headings", prepended for embedding and search only, never shown or cited. */
  readonly context: string;
  /** Embedded and searched instead of `text` (marks, link targets and comments out); never shown or cited. */
  readonly searchText?: string;
  readonly uri: string;
  readonly path: string;
  readonly title: string;
  readonly headingPath: readonly string[];
  readonly url?: string;
  readonly type: string;
  readonly language: string;
  readonly tokenCount: number;
  /** Ids of larger chunks that contain this one (two-tier chunking). */
  readonly parentIds: readonly string[];
  readonly metadata: Metadata;
}

/** Weights of entries of a vocabulary, by the entry's number. Numbers ascend; entries that are left out weigh 0. */
export interface SparseVector {
  readonly indices: Uint32Array;
  readonly values: Float32Array;
}

/** Vectors of a chunk by the name of their space (`dense`, `heading` …). */
export interface Vectors {
  readonly dense: Readonly<Record<string, Float32Array>>;
  readonly sparse?: Readonly<Record<string, SparseVector>>;
  /** Late interaction: one vector a token. */
  readonly tokens?: Readonly<Record<string, readonly Float32Array[]>>;
}

export interface EmbeddedChunk {
  readonly chunk: Chunk;
  readonly vectors: Vectors;
}

/** What one stage said about a hit. `rank` starts at 1. Scores of different stages are not comparable. */
export interface StageScore {
  readonly stage: string;
  readonly rank: number;
  readonly score: number;
}

/** A chunk in a ranked list. `score` orders this list; `scores` explains how it came about. */
export interface Hit {
  readonly chunk: Chunk;
  readonly score: number;
  readonly scores: readonly StageScore[];
  /** Other addresses of the same content. */
  readonly alsoAt: readonly string[];
}

/** One leg's result before the chunks are loaded: what a store's search returns. */
export interface LegHit {
  readonly chunkId: string;
  readonly score: number;
}

/** What the generator is shown as `[label]`, and what a citation points into. */
export interface Passage {
  readonly label: number;
  readonly text: string;
  readonly documentId: string;
  readonly span: Span;
  readonly uri: string;
  readonly path: string;
  readonly title: string;
  readonly headingPath: readonly string[];
  readonly url?: string;
  readonly alsoAt: readonly string[];
  readonly hits: readonly Hit[];
}

export type Support = 'supported' | 'contradicted' | 'unsupported' | 'not-checked';

/** Exact words at an exact place of an exact revision. Several citations may share a label and a sentence. */
export interface Citation {
  readonly label: number;
  readonly answerSpan: Span;
  readonly documentId: string;
  readonly uri: string;
  readonly path: string;
  readonly title: string;
  readonly headingPath: readonly string[];
  readonly url: string | null;
  /** Equals `document.text.slice(span.start, span.end)` at `revision`; read back before it is emitted. */
  readonly quote: string;
  readonly span: Span;
  readonly lines: LineRange;
  readonly page: LineRange | null;
  readonly revision: string;
  readonly commit: string | null;
  readonly alsoAt: readonly string[];
  readonly support: Support;
}

/** An unknown `[7]` is reported, never dropped. */
export interface Verification {
  readonly unknownLabels: readonly number[];
  readonly uncited: readonly Span[];
  readonly unsupported: readonly Span[];
  readonly contradicted: readonly Span[];
}

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number | null;
}

export type StageName = 'plan' | 'retrieve' | 'fuse' | 'rerank' | 'context' | 'generate' | 'prove';

export type Outcome = 'answered' | 'insufficient-context' | 'needs-clarification' | 'handed-over';

export interface Answer {
  readonly id: string;
  readonly conversationId: string | null;
  readonly outcome: Outcome;
  readonly question: string;
  readonly text: string;
  /** Probability that the answer is right, 0 to 1; `null` (with a warning) where none was fitted. */
  readonly confidence: number | null;
  readonly citations: readonly Citation[];
  readonly passages: readonly Passage[];
  readonly verification: Verification;
  readonly conflicts: readonly unknown[];
  readonly preset: string;
  readonly generator: string;
  readonly cache: 'miss' | 'exact' | 'semantic';
  readonly usage: Usage;
  readonly timings: Partial<Record<StageName, number>>;
  readonly warnings: readonly Warning[];
}

/** Noun-action; exactly one terminal event (`answer-end` or `answer-error`), always the last. */
export type AnswerEvent =
  | { readonly type: 'answer-start'; readonly id: string; readonly preset: string }
  | { readonly type: 'stage-end'; readonly stage: StageName; readonly milliseconds: number }
  | { readonly type: 'passages-available'; readonly passages: readonly Passage[] }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'citation-available'; readonly citation: Citation }
  | { readonly type: 'claim-checked'; readonly answerSpan: Span; readonly support: Support }
  | { readonly type: 'warning'; readonly warning: Warning }
  | { readonly type: 'answer-end'; readonly answer: Answer }
  | { readonly type: 'answer-error'; readonly error: PublicError };
