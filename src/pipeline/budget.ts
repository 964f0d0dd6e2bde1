/** What is left of a context's budget, and how a passage is cut to it. */
import type { Block, Document, Span } from '../core/types.ts';
import { cutLong, lineSpans } from '../text/cut.ts';
import type { CountTokens } from '../text/cut.ts';
import { firstTouching } from '../text/section-at.ts';
import { sentences } from '../text/sentences.ts';

export interface Budget {
  readonly chars: number;
  readonly tokens: number;
  /** Undefined where tokens are not limited. */
  readonly countTokens: CountTokens | undefined;
}

export const takes = ({ chars, tokens, countTokens }: Budget, text: string): boolean =>
  text.length <= chars && (countTokens === undefined || countTokens(text) <= tokens);

export const less = (budget: Budget, text: string): Budget => ({
  ...budget,
  chars: budget.chars - text.length,
  tokens: budget.tokens - (budget.countTokens?.(text) ?? 0),
});

export const half = (budget: Budget): Budget => ({ ...budget, chars: budget.chars / 2, tokens: budget.tokens / 2 });

/**
 * As much of a span as the budget takes: to the end of a sentence, or of a line of code or of a table, and never to a
 * heading alone. Undefined when that leaves nothing.
 */
export function cutToSentence(document: Document, { start, end }: Span, left: Budget): Span | undefined {
  const { text } = document;
  if (takes(left, text.slice(start, end))) return { start, end };
  const ends = endsWithin(document, { start, end: Math.min(end, start + Math.max(0, left.chars)) });
  // The last of them that fits, by halving: tokens are counted a few times only.
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (takes(left, text.slice(start, ends[middle]))) low = middle + 1;
    else high = middle;
  }
  const last = ends[low - 1];
  return last === undefined ? undefined : { start, end: last };
}

/** As much as the budget takes, to the end of a word, where not even one sentence fits. */
export function cutToWord({ text }: Document, { start, end }: Span, left: Budget): Span | undefined {
  const chars = Math.max(1, left.chars);
  let [cut] = cutLong(text, { start, end: Math.min(end, start + 2 * chars) }, chars, (part) => part.length);
  if (cut !== undefined && left.countTokens !== undefined)
    [cut] = cutLong(text, cut.span, Math.max(1, left.tokens), left.countTokens);
  return cut !== undefined && takes(left, text.slice(start, cut.span.end)) ? cut.span : undefined;
}

/** Where a text may end: behind the sentences of prose and the lines of code and tables, in order. */
function endsWithin({ text, blocks }: Document, span: Span): number[] {
  const ends: number[] = [];
  for (let i = firstTouching(blocks, span.start); i < blocks.length; i++) {
    const block = blocks[i] as Block;
    if (block.span.start >= span.end) break;
    if (block.kind === 'heading') continue;
    const part = { start: Math.max(block.span.start, span.start), end: Math.min(block.span.end, span.end) };
    const found =
      block.kind === 'code' || block.kind === 'table'
        ? lineSpans(text, part).map((line) => line.end)
        : sentences(text.slice(part.start, part.end)).map((sentence) => part.start + sentence.end);
    // What the span itself cuts off does not end there.
    for (const end of part.end < block.span.end ? found.slice(0, -1) : found) ends.push(end);
  }
  return ends;
}
