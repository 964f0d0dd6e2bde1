import type { Analyzer } from '../text/analyze.ts';
import type { Chunker, Embedder, Generator, Parser, Source, Store } from '../core/contracts.ts';
import type { Settings } from '../core/settings.ts';
import type { Warning } from '../core/types.ts';

/** What `ingest` works with: the drivers that the settings name, opened. */
export interface IngestParts {
  readonly settings: Settings;
  readonly store: Store;
  readonly chunker: Chunker;
  /** Undefined when the settings ask for none: no dense leg then. */
  readonly embedder: Embedder | undefined;
  parserFor(mediaType: string): Parser | undefined;
}

/** What `search` works with. */
export interface SearchParts {
  readonly settings: Settings;
  readonly store: Store;
  readonly embedder: Embedder | undefined;
  readonly analyzer: Analyzer;
  /** What the store had to say so far (vectors are scanned slowly here …); every result repeats it. */
  readonly warnings: readonly Warning[];
  /** Fitted weights for this preset and embedder; undefined where none were fitted. */
  readonly confidence: ConfidenceModel | undefined;
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
