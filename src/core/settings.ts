/**
 * Everything that can be set, as plain data. A preset is a complete `Settings`; a configuration file, the
 * environment and flags override single values (`src/config.ts` validates and merges).
 * `parse`, `chunk`, `embed`, `analyze` and `store` are *index settings*: a change needs `ingest --rebuild`.
 * All others are *query settings* and may differ at any time.
 */
import type { AnalyzerSettings, KeywordWeights } from './contracts.ts';

export interface ParseSettings {
  /** Larger files are a listed exclusion. */
  readonly maxFileBytes: number;
  /** Longer texts are indexed as plain text, with a warning: bounds the parser's time and memory. */
  readonly maxMarkdownChars: number;
  /** Pages with `draft: true` in their front matter: left out (listed), or indexed like others. */
  readonly drafts: 'exclude' | 'include';
}

export interface ChunkSettings {
  readonly use: 'markdown-sections';
  /** Tokens of the embedder's own tokenizer, context and special tokens included. */
  readonly minTokens: number;
  readonly targetTokens: number;
  readonly maxTokens: number;
  readonly overlapTokens: number;
}

export interface EmbedSettings {
  readonly use: 'built-in' | 'none';
  /** Also embed "title > headings" alone, as the space `heading`. */
  readonly headings: boolean;
}

export interface StoreSettings {
  readonly use: 'embedded' | 'memory';
}

export interface Bm25Settings {
  readonly k1: number;
  readonly b: number;
  readonly fields: KeywordWeights;
}

export type SearchMode = 'dense' | 'keyword' | 'hybrid';

export interface RetrieveSettings {
  /** Hits that `search` shows. */
  readonly topK: number;
  /** Length of each leg's list before fusion. */
  readonly depth: number;
  readonly mode: SearchMode;
  readonly bm25: Bm25Settings;
}

export interface FuseSettings {
  /** `weighted`: min–max over each list, then weights. `coverage`: the same, weights by the query's coverage. `rrf`: Σ 1/(k + rank). */
  readonly method: 'weighted' | 'coverage' | 'rrf';
  readonly weights: { readonly keyword: number; readonly dense: number; readonly heading: number };
  readonly k: number;
  /** `null`, or 0 to 1: weighted fusion with this weight for the dense legs together (1 = dense only). */
  readonly alpha: number | null;
}

export interface ContextSettings {
  readonly maxPassages: number;
  /** Budget of all passages together, in characters. */
  readonly maxChars: number;
  /** Chunks before and after a hit that join its passage. */
  readonly neighbours: number;
}

export interface GenerateSettings {
  readonly use: 'extractive';
  /** Length of an extractive answer. */
  readonly maxWords: number;
}

export interface ConfidenceSettings {
  /** Where the documents are less likely than this to hold an answer, none is given (`insufficient-context`); 0 to 1. */
  readonly threshold: number;
}

export interface SourceSettings {
  /** A SOURCE as on the command line. */
  readonly from: string;
  readonly as?: string;
  /** Globs relative to the source's root. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  /** Address under which the documents are published: `url` = base + slug + anchor. */
  readonly baseUrl?: string;
  /** For git sources: `{repository} {commit} {path} {start} {end}`. */
  readonly urlTemplate?: string;
  /** ISO 639-1 of all its documents. */
  readonly language?: string;
}

export interface Settings {
  readonly preset: string;
  readonly sources: readonly SourceSettings[];
  readonly parse: ParseSettings;
  readonly chunk: ChunkSettings;
  readonly embed: EmbedSettings;
  readonly analyze: AnalyzerSettings;
  readonly store: StoreSettings;
  readonly retrieve: RetrieveSettings;
  readonly fuse: FuseSettings;
  readonly context: ContextSettings;
  readonly generate: GenerateSettings;
  readonly confidence: ConfidenceSettings;
}

/** A preset: settings, JSON-serialisable, with a sentence that says what it is for. */
export interface Preset extends Omit<Settings, 'preset' | 'sources'> {
  readonly name: string;
  readonly description: string;
}
