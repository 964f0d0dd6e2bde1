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
  /** Metadata that follows from other metadata, for documents that do not have it themselves. */
  readonly derive: readonly DerivedField[];
}

/** E.g. the field `protocol` from `category`: bisq2 is bisq_easy, bisq1 is multisig_v1 (seed 003). */
export interface DerivedField {
  readonly field: string;
  /** A metadata field, or `type`. */
  readonly from: string;
  readonly values: Readonly<Record<string, string | number>>;
}

export interface ChunkSettings {
  /**
   * `markdown-sections`: header first (seed 000). `fixed-tokens`: even pieces at line ends (seed 001). `two-tier`: small
   * pieces that know the sections around them (seed 002). `fenced-tokens`: large pieces, fences whole (seed 004).
   * `semantic`: cut where the meaning of neighbouring sentences parts.
   */
  readonly use: 'markdown-sections' | 'fixed-tokens' | 'two-tier' | 'fenced-tokens' | 'semantic';
  /** Tokens of the embedder's own tokenizer, context and special tokens included. */
  readonly minTokens: number;
  readonly targetTokens: number;
  readonly maxTokens: number;
  readonly overlapTokens: number;
  /** `two-tier`, in characters: the searched pieces, what they repeat, and the sections that they belong to. */
  readonly maxChars: number;
  readonly overlapChars: number;
  readonly parentChars: number;
  /** `semantic`: a boundary is where the distance of neighbours is above this percentile of the document's. */
  readonly breakPercentile: number;
  /** A chunk longer than the embedder takes: embedded in windows (their mean), or an error before anything is built. */
  readonly overlong: 'window' | 'refuse';
}

/** A model that makes vectors, and where it is. */
export interface EmbedderSettings {
  readonly use: 'built-in' | 'onnx' | 'openai' | 'cohere' | 'voyage' | 'ollama';
  /** Name on the hub or at the provider, or a folder; `''` is the driver's own default. */
  readonly model: string;
  /** Another address than the provider's own, e.g. of an OpenAI-compatible server. */
  readonly baseUrl: string | null;
  /** Name of the environment variable that holds the key; null is the provider's usual one. */
  readonly keyVariable: string | null;
  /** Shorter vectors, where the model allows; null is the model's own length. */
  readonly dimensions: number | null;
}

/** One more dense space in the same index. */
export interface AlsoEmbedder extends EmbedderSettings {
  /** Name of its space and leg. */
  readonly name: string;
}

export interface EmbedSettings extends Omit<EmbedderSettings, 'use'> {
  readonly use: EmbedderSettings['use'] | 'none';
  /** Also embed "title > headings" alone, as the space `heading`. */
  readonly headings: boolean;
  /** More embedders of the same chunks; fusing two dense models is a measured gain. */
  readonly also: readonly AlsoEmbedder[];
  /** Learned sparse vectors (SPLADE), as the leg `sparse`. */
  readonly sparse: { readonly use: 'none' | 'splade'; readonly model: string };
  /**
   * Whether the built-in model learns from the indexed text itself. `auto`: when pairs held back from it say that it
   * pays. `always`: whatever they say, to measure it.
   */
  readonly adapt: 'auto' | 'always' | 'never';
}

/** Where and how local models run. They change no vector beyond rounding, so they are no index settings. */
export interface ModelSettings {
  readonly device: 'cpu' | 'cuda' | 'webgpu';
  /** Threads that embed at once; 0 is one for each core. */
  readonly workers: number;
  /** Where downloaded models are kept; null is the user's cache folder. */
  readonly folder: string | null;
  /** The hub that models are downloaded from. */
  readonly hub: string;
  /** Never download. */
  readonly offline: boolean;
  /** `eager`: models are loaded when an engine is made, not when they are first needed. */
  readonly loading: 'lazy' | 'eager';
}

/** Calls to model services: one client a service. */
export interface HttpSettings {
  readonly timeoutSeconds: number;
  readonly maxConnections: number;
  readonly keepAliveConnections: number;
  readonly retries: number;
}

export interface CacheSettings {
  /** Vectors by content, model and prompt, beside the index: a rebuild embeds only what is new. */
  readonly embeddings: 'disk' | 'none';
  /** null: as long as the index. */
  readonly embeddingTtlSeconds: number | null;
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
  /** Late interaction (MaxSim over word pieces) as a leg of its own, over what the other legs found. */
  readonly lateInteraction: boolean;
}

/** A word of the documents' own vocabulary that a question can be about: a version, a protocol, a product. */
export interface VocabularyEntry {
  /** Metadata field, e.g. `protocol`. */
  readonly field: string;
  /** Its value in the documents, e.g. `bisq_easy`. */
  readonly value: string;
  /** What people call it; used in the clarifying question. */
  readonly label: string;
  /** Words that name it outright. */
  readonly names: readonly string[];
  /** Words that hint at it. */
  readonly hints: readonly string[];
}

/** Searches one after the other until there is enough: staged retrieval (seed 003). */
export interface Route {
  readonly name: string;
  /** Which questions take it: about one value of the vocabulary, comparing several, about none, or all. */
  readonly when: { readonly about: string } | 'comparison' | 'unclear' | 'always';
  readonly steps: readonly RouteStep[];
}

export interface RouteStep {
  /** Only documents with these values; `{}` is all of them. */
  readonly filter: Readonly<Record<string, string | readonly string[]>>;
  /** Hits that the step may add. */
  readonly topK: number;
  /** Taken only when there are fewer hits than this so far; null: always. */
  readonly whenFewerThan: number | null;
}

export interface QuerySettings {
  /** Intent of the question: how-to, conceptual, troubleshooting, reference, comparison. Shown by `explain`. */
  readonly intent: boolean;
  /**
   * `synonyms`: words that the corpus itself uses alike. `queries`: rewritten by the generator. `hyde`: by an answer
   * that the generator imagines (Gao et al. 2022).
   */
  readonly expand: 'none' | 'synonyms' | 'queries' | 'hyde';
  /** Words or queries that are added at most. */
  readonly expansions: number;
  /** How much what was added counts, beside 1 for the question itself. */
  readonly expansionWeight: number;
  readonly vocabulary: readonly VocabularyEntry[];
  /** Words of the question become filters where they name a value of the vocabulary. */
  readonly filters: boolean;
  readonly routes: readonly Route[];
  /** Ask back when the question could be about several values of the vocabulary and nothing tells which. */
  readonly clarify: boolean;
}

export interface FuseSettings {
  /**
   * `weighted`: min–max over each list's first `depth`, then weights. `coverage`: the same, weights by the query's
   * coverage. `rrf`: Σ 1/(k + rank). `min-max`: each list as it is, equal scores 1 (seed 003). `relative`: score / best.
   */
  readonly method: 'weighted' | 'coverage' | 'rrf' | 'min-max' | 'relative';
  readonly weights: {
    readonly keyword: number;
    readonly dense: number;
    readonly heading: number;
    readonly sparse: number;
    readonly lateInteraction: number;
    /** Of `embed.also`, in its order; those that are missing share .4. */
    readonly also: readonly number[];
  };
  readonly k: number;
  /** `null`, or 0 to 1: weighted fusion with this weight for the dense legs together (1 = dense only). */
  readonly alpha: number | null;
}

export interface AdjustSettings {
  /** Factor on the score of documents with this metadata, e.g. wiki 1.1, FAQ 1.0 (seed 003). */
  readonly weights: readonly { readonly field: string; readonly value: string; readonly weight: number }[];
  /** Factor for release notes and changelogs, unless the question asks for a version or a change; 1 is none. */
  readonly changelogs: number;
  /** How much a document's importance (0 to 1) counts; 0 is not at all. */
  readonly importance: number;
  /** Hits whose cosine is below are left out; null: none. */
  readonly minCosine: number | null;
  /** The embedder that `minCosine` was measured on: with another it is not applied, and a warning says so. */
  readonly minCosineModel: string | null;
  /** A hit just under the threshold stays when its neighbour in the document is above it. */
  readonly secondChance: boolean;
  /** Maximal marginal relevance: 1 is relevance alone, 0 is difference alone (Carbonell & Goldstein 1998). */
  readonly diversity: number;
  /** `dynamic`: the list ends where scores fall off. */
  readonly pool: 'fixed' | 'dynamic';
}

export interface RerankSettings {
  readonly use: 'none' | 'late-interaction' | 'onnx' | 'jina' | 'cohere' | 'voyage' | 'judge';
  readonly model: string;
  readonly baseUrl: string | null;
  readonly keyVariable: string | null;
  /** Hits that are reranked; those behind keep their order. */
  readonly candidates: number;
  /** Characters of a text that are sent; null: whole. A cut is a warning. */
  readonly maxChars: number | null;
  /** Share of the reranker's score in the order, 0 to 1; the rest is the fused score. */
  readonly weight: number;
  /** `agreement`: not when the legs agree on the first hits. `score`: not above `skipAbove` (seed 000). */
  readonly skip: 'never' | 'agreement' | 'score';
  readonly skipAbove: number;
  /** For questions of few words, the lighter built-in `late-interaction` instead. */
  readonly lightBelowWords: number;
}

export interface ContextSettings {
  readonly maxPassages: number;
  /** Budget of all passages together, in characters. */
  readonly maxChars: number;
  /** Budget in tokens of the embedder; null: none. */
  readonly maxTokens: number | null;
  /** Chunks before and after a hit that join its passage. */
  readonly neighbours: number;
  /** Whole sections (`chunk.use: two-tier`) instead of the pieces that were found. */
  readonly parents: boolean;
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
  readonly records?: RecordSettings;
}

/** Which key of a JSON line, or column of a database, is what. What is not said is found by its usual names. */
export interface RecordSettings {
  /** Table of a database. */
  readonly table?: string;
  readonly id?: string;
  readonly title?: string;
  readonly text?: string;
  readonly url?: string;
  readonly question?: string;
  readonly answer?: string;
  /** Only rows in which this is 1 or true are indexed. */
  readonly verified?: string;
  /** Marks in the texts of JSON lines; default: told by the texts. */
  readonly markup?: 'markdown' | 'wiki';
}

export interface Settings {
  readonly preset: string;
  readonly sources: readonly SourceSettings[];
  readonly parse: ParseSettings;
  readonly chunk: ChunkSettings;
  readonly embed: EmbedSettings;
  readonly analyze: AnalyzerSettings;
  readonly store: StoreSettings;
  readonly query: QuerySettings;
  readonly retrieve: RetrieveSettings;
  readonly fuse: FuseSettings;
  readonly adjust: AdjustSettings;
  readonly rerank: RerankSettings;
  readonly context: ContextSettings;
  readonly generate: GenerateSettings;
  readonly confidence: ConfidenceSettings;
  readonly models: ModelSettings;
  readonly http: HttpSettings;
  readonly cache: CacheSettings;
}

/** A preset: settings, JSON-serialisable, with a sentence that says what it is for. */
export interface Preset extends Omit<Settings, 'preset' | 'sources'> {
  readonly name: string;
  readonly description: string;
  /** By dotted key: what holds with a larger model, which deserves more weight beside the words than the built-in one. */
  readonly larger?: {
    /** Where `embed.use` is another than the built-in one. */
    readonly instead: Readonly<Record<string, unknown>>;
    /** Where `embed.also` has others beside the built-in one. */
    readonly beside: Readonly<Record<string, unknown>>;
  };
  /** The design that it carries, where it has one. */
  readonly design?: Design;
}

/** What a design names beyond a fresh machine, or says otherwise than measurement does. Data, printed by `preset show`. */
export interface Design {
  /** Which of the five designs, e.g. `WaveMaker Docs Agent`. */
  readonly of: string;
  /** By dotted key: the design's own models, stores and services; they take effect with `--as-designed` only. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Numbers and rules for parts that this version does not have, by the name of the part. */
  readonly later: Readonly<Record<string, unknown>>;
  /** Where the preset departs from the design, and why. */
  readonly deviations: readonly string[];
}
