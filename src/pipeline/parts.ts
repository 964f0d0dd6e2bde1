import type { Analyzer } from '../text/analyze.ts';
import type {
  Chunker,
  Embedder,
  Generator,
  Parser,
  Reranker,
  Source,
  SparseEmbedder,
  Store,
} from '../core/contracts.ts';
import type { Settings } from '../core/settings.ts';
import type { Warning } from '../core/types.ts';

/** Another dense space of the index, and its leg. */
export interface AlsoSpace {
  readonly name: string;
  readonly embedder: Embedder;
}

/** What makes the vectors of an index. */
export interface Embedding {
  /** The spaces `dense` and `heading`. Undefined when the settings ask for none: no dense leg then. */
  readonly embedder: Embedder | undefined;
  readonly also: readonly AlsoSpace[];
  readonly sparse: SparseEmbedder | undefined;
}

/** What `ingest` works with: the drivers that the settings name, opened. */
export interface IngestParts extends Embedding {
  readonly settings: Settings;
  readonly store: Store;
  readonly chunker: Chunker;
  parserFor(mediaType: string): Parser | undefined;
}

/** What `search` works with. */
export interface SearchParts extends Embedding {
  readonly settings: Settings;
  readonly store: Store;
  readonly analyzer: Analyzer;
  /** What the store had to say so far (vectors are scanned slowly here …); every result repeats it. */
  readonly warnings: readonly Warning[];
  /** Fitted weights for this preset and embedder; undefined where none were fitted. */
  readonly confidence: ConfidenceModel | undefined;
  /** How important documents are, by path, 0 to 1: from `ingest --importance`. */
  importance(): Promise<ReadonlyMap<string, number>>;
  /** By need: opened when a question wants them. */
  reranker(): Promise<Reranker | undefined>;
  /** The built-in comparison word by word: a leg, and the lighter reranker. */
  lateInteraction(): Promise<Reranker>;
  /** For what a model writes before the search; undefined where the generator cannot write. */
  writer(): Promise<Generator | undefined>;
}

/** What an answer works with. */
export interface AnswerParts extends SearchParts {
  readonly generator: Generator;
  /** The source of a document, to ask whether its bytes have changed since; undefined when it cannot be reached. */
  sourceOf(sourceId: string): Promise<Source | undefined>;
  /** A fresh, unguessable answer id. */
  newId(): string;
}

/** Fitted for one preset and one embedder. */
export interface ConfidenceModel {
  readonly preset: string;
  readonly model: string;
  readonly right: LogisticModel;
  readonly answerable: LogisticModel;
}

/** Logistic regression over named features. */
export interface LogisticModel {
  readonly intercept: number;
  readonly weights: Readonly<Record<string, number>>;
}
