/** What every chunker is given. */
import type { ChunkSettings } from '../core/settings.ts';
import type { CountTokens } from '../text/cut.ts';

export interface ChunkerOptions extends ChunkSettings {
  /** The embedder's own tokenizer. */
  readonly countTokens: CountTokens;
  /** What is embedded and searched instead of a slice of the text: marks and link targets out. */
  readonly searchable: Searchable;
}

/** `verbatim`: code, and plain text, in which marks are characters like others. */
export type Searchable = (slice: string, as: 'markdown' | 'wiki' | 'verbatim') => string;

/** Room for a model's begin and end marks. */
export const SPECIAL_TOKENS = 2;
