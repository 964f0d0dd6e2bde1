/** Any text in pieces, for programs that have no document: the chunker of seed 001 as two functions. */
import type { Metadata, Span } from '../core/types.ts';
import type { CountTokens } from '../text/cut.ts';
import { tokenSpans } from '../text/token-spans.ts';

export interface ChunkTextOptions {
  /** The tokenizer of the model that the pieces are for. */
  readonly countTokens: CountTokens;
  /** Default: 768 (seed 001). */
  readonly maxTokens?: number;
  /** Default: 100 (seed 001, "100-150"). */
  readonly overlapTokens?: number;
}

export interface TextChunk {
  /** `text.slice(span.start, span.end)` of what was given. */
  readonly text: string;
  readonly span: Span;
  /** From 0, without gaps. */
  readonly sequence: number;
  readonly tokenCount: number;
}

/**
 * Pieces of at most `maxTokens` that end at ends of lines where that is possible, else of sentences, else of words.
 * Every character that is not blank is in one.
 *
 * @throws RangeError when a number is not a whole one of a sensible size
 */
export function chunkText(text: string, options: ChunkTextOptions): TextChunk[] {
  const { countTokens, maxTokens = 768, overlapTokens = 100 } = options;
  if (!Number.isSafeInteger(maxTokens) || maxTokens < 1)
    throw new RangeError('maxTokens must be a whole number above 0');
  if (!Number.isSafeInteger(overlapTokens) || overlapTokens < 0 || overlapTokens >= maxTokens) {
    throw new RangeError('overlapTokens must be a whole number below maxTokens');
  }
  return tokenSpans(text, { maxTokens, overlapTokens, countTokens }).map((span, sequence) => {
    const slice = text.slice(span.start, span.end);
    return { text: slice, span, sequence, tokenCount: countTokens(slice) };
  });
}

/** The same, each piece with the metadata of its text. */
export function chunkWithMetadata(
  text: string,
  metadata: Metadata,
  options: ChunkTextOptions,
): (TextChunk & { readonly metadata: Metadata })[] {
  return chunkText(text, options).map((chunk) => ({ ...chunk, metadata }));
}
