/**
 * Cutting one block that is longer than a chunk: code and tables at line ends, prose at sentence ends, and only what
 * has neither at a word or, at last, between two characters.
 */
import type { Block, Span } from '../core/types.ts';
import { cutLong, lineSpans, tokensBehind } from '../text/cut.ts';
import type { CountTokens, Unit } from '../text/cut.ts';
import { sentences } from '../text/sentences.ts';

export interface Piece extends Unit {
  readonly kind: Block['kind'];
}

/**
 * The block as pieces of at most `limit` tokens each, in order, covering all its non-blank characters.
 *
 * @param fill The lines or sentences of a block that is cut are joined up to so many tokens.
 */
export function cutBlock(text: string, block: Block, limit: number, fill: number, count: CountTokens): Piece[] {
  const whole = count(text.slice(block.span.start, block.span.end));
  if (whole <= limit) return [{ span: block.span, kind: block.kind, tokens: whole }];
  const units = isByLine(block) ? lineSpans(text, block.span) : sentenceSpans(text, block.span);
  const small = units.flatMap((unit) => cutLong(text, unit, limit, count));
  return join(text, small, fill, count).map(({ span, tokens }) => ({ span, kind: block.kind, tokens }));
}

/** Code and tables: their lines are what must not be cut. */
export const isByLine = ({ kind }: Pick<Block, 'kind'>): boolean => kind === 'code' || kind === 'table';

/** Sentences of a part of a text, as spans of the text. */
export const sentenceSpans = (text: string, { start, end }: Span): Span[] =>
  sentences(text.slice(start, end)).map((sentence) => ({ start: start + sentence.start, end: start + sentence.end }));

/** Neighbouring units joined as long as they fit. */
function join(text: string, units: readonly Unit[], limit: number, count: CountTokens): Unit[] {
  const joined: Unit[] = [];
  for (const unit of units) {
    const last = joined.at(-1);
    const tokens = (last?.tokens ?? 0) + tokensBehind(text, last, unit, count);
    if (last !== undefined && tokens <= limit) {
      joined[joined.length - 1] = { span: { start: last.span.start, end: unit.span.end }, tokens };
    } else joined.push(unit);
  }
  return joined;
}
