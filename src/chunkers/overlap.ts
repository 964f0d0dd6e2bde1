/** What a chunk of blocks repeats of the one before. */
import type { Document } from '../core/types.ts';
import type { CountTokens } from '../text/cut.ts';
import { firstTouching } from '../text/section-at.ts';
import { isByLine, sentenceSpans } from './pieces.ts';
import type { Piece } from './pieces.ts';

export interface Overlap {
  readonly start: number;
  readonly tokens: number;
}

/**
 * The last pieces of the chunk before that fit together, else the last sentences of its last one: at most `budget`
 * tokens, never all of it, and never from the middle of a fence, a table or a line that had to be cut.
 *
 * @param start Where the new text begins.
 */
export function overlapOf(
  { text, blocks }: Pick<Document, 'text' | 'blocks'>,
  before: readonly Piece[],
  start: number,
  budget: number,
  count: CountTokens,
): Overlap | undefined {
  const isWhole = ({ span }: Piece): boolean => {
    const block = blocks[firstTouching(blocks, span.start)];
    return block?.span.start === span.start && block.span.end === span.end;
  };
  const last = before.at(-1);
  if (last === undefined || last.span.end === start) return undefined;
  let overlap: Overlap | undefined;
  /** Takes what begins at a place, with all behind it that is in no piece (a comment), if it fits. */
  const reaches = (place: number): boolean => {
    const tokens = (overlap?.tokens ?? 0) + count(text.slice(place, overlap?.start ?? start));
    if (tokens <= budget) overlap = { start: place, tokens };
    return tokens <= budget;
  };
  for (const piece of before.slice(1).reverse()) {
    if ((isByLine(piece) && !isWhole(piece)) || !reaches(piece.span.start)) break;
  }
  if (overlap !== undefined || isByLine(last) || last.kind === 'heading') return overlap;
  for (const sentence of sentenceSpans(text, last.span).reverse()) {
    if (sentence.start === last.span.start || !reaches(sentence.start)) break;
  }
  return overlap;
}
