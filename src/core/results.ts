/** What the engine's operations give back; the surfaces print these and add nothing. */
import type { Filter } from './filter.ts';
import type { SearchMode } from './settings.ts';
import type { Exclusion, Hit, Warning } from './types.ts';

export interface IngestProgress {
  /** `adapt`: the index is complete and can be searched; the built-in model learns from it. */
  readonly phase: 'list' | 'index' | 'publish' | 'adapt';
  readonly source: string;
  /** Files looked at so far, and how many are expected (undefined while listing); of `adapt`, steps of the training. */
  readonly done: number;
  readonly total?: number;
  readonly path?: string;
}

export interface SourceReport {
  readonly source: string;
  readonly address: string;
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly deleted: number;
  /** Documents whose bytes were read in this run. */
  readonly read: number;
  readonly failures: readonly { readonly path: string; readonly message: string }[];
  readonly exclusions: readonly Exclusion[];
  readonly warnings: readonly Warning[];
}

export interface IngestReport {
  readonly generation: number;
  readonly sources: readonly SourceReport[];
  readonly removed: readonly string[];
  readonly documents: number;
  readonly chunks: number;
  readonly milliseconds: number;
  readonly finishedAt: string;
  /** Texts that a model embedded in this run, and those whose vectors were kept from before; not the built-in model's. */
  readonly embeddings?: { readonly computed: number; readonly kept: number };
  /** What came of teaching the built-in model; absent where there was no reason to try (again). */
  readonly adaptation?: AdaptationReport;
  /** Of the run as a whole; those of documents are in `sources`. */
  readonly warnings?: readonly Warning[];
}

/** How the built-in model was taught by the index (`embed.adapt`), and whether that is used. */
export interface AdaptationReport {
  /**
   * `kept`: pairs held back from it rank better with it (or `embed.adapt` is `always`). `not-better`: they do not. `too-small`: too few headings and
   * sentences. `no-simd`: this machine cannot train. `stopped`: Ctrl-C, or another process wrote to the index; the next
   * ingest tries again.
   */
  readonly outcome: 'kept' | 'not-better' | 'too-small' | 'no-simd' | 'stopped';
  /** The model that the index has now. */
  readonly model: string;
  /** Headings and sentences that it was trained on. */
  readonly pairs: number;
  /** Those that were ranked, and their MRR@10, fused, without and with it; null where nothing was ranked. */
  readonly heldBack: number;
  readonly without: number | null;
  readonly with: number | null;
  readonly milliseconds: number;
  readonly finishedAt: string;
}

export interface SearchRequest {
  readonly query: string;
  readonly top?: number;
  readonly mode?: SearchMode;
  readonly alpha?: number;
  readonly filter?: Filter;
  readonly explain?: boolean;
  readonly whyNot?: string;
  /** Hits until so many distinct documents are found (evaluation); overrides `top`. */
  readonly distinctDocuments?: number;
}

export interface SearchResult {
  readonly query: string;
  readonly hits: readonly Hit[];
  readonly timings: Readonly<Record<string, number>>;
  readonly warnings: readonly Warning[];
  readonly explanation?: Explanation;
  readonly whyNot?: WhyNot;
}

/** Every stage of a query: its settings, its candidates with rank and score, its time. */
export interface Explanation {
  readonly stages: readonly {
    readonly stage: string;
    readonly milliseconds: number;
    readonly detail: Readonly<Record<string, unknown>>;
    readonly candidates: readonly {
      readonly chunkId: string;
      readonly path: string;
      readonly section: string;
      readonly rank: number;
      readonly score: number;
      /** Why it is where it is, where a rule moved it. */
      readonly reason?: string;
    }[];
  }[];
}

export interface WhyNot {
  readonly uri: string;
  readonly verdict: 'returned' | 'lost' | 'not-indexed';
  /** The stage that lost it, e.g. `filter`, `retrieve`, `fuse`, `top`. */
  readonly stage: string | null;
  readonly reason: string;
  /** Best rank of any of its chunks at each stage; null where it does not occur. */
  readonly ranks: Readonly<Record<string, number | null>>;
  /** The setting that would change it, e.g. `--top 24`. */
  readonly setting: string | null;
}

export interface AskRequest {
  readonly question: string;
  readonly filter?: Filter;
}

export interface IndexStatus {
  readonly index: string;
  readonly preset: string;
  readonly generation: number;
  readonly documents: number;
  readonly chunks: number;
  readonly tokens: number;
  readonly bytes: number;
  readonly model: string | null;
  /** The last attempt to adapt the model; null where there was none. */
  readonly adaptation: AdaptationReport | null;
  readonly store: string;
  readonly sources: readonly {
    readonly id: string;
    readonly address: string;
    readonly documents: number;
    readonly chunks: number;
  }[];
  readonly lastSync: IngestReport | null;
}
