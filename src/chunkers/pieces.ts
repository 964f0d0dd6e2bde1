/**
 * Cutting one block that is longer than a chunk: code and tables at line ends, prose at sentence ends, and only what
 * has neither (a line of 200 kB, a script without spaces) at a word or, at last, between two characters.
 */
import type { Block, Span } from '../core/types.ts';
import { sentences } from '../text/sentences.ts';

export interface Piece {
  readonly span: Span;
  readonly kind: Block['kind'];
  readonly tokens: number;
}

export type CountTokens = (text: string) => number;

/**
 * The block as pieces of at most `limit` tokens each, in order, covering all its non-blank characters.
 *
 * @param fill The lines or sentences of a block that is cut are joined up to so many tokens.
 */
export function cutBlock(text: string, block: Block, limit: number, fill: number, count: CountTokens): Piece[] {
  const whole = count(text.slice(block.span.start, block.span.end));
  if (whole <= limit) return [{ span: block.span, kind: block.kind, tokens: whole }];
  const byLine = block.kind === 'code' || block.kind === 'table';
  const units = byLine
    ? lines(text, block.span)
    : sentences(text.slice(block.span.start, block.span.end)).map((s) => shift(s, block.span.start));
  const small = units.flatMap((unit) => cutUnit(text, unit, limit, count));
  return pack(text, small, fill, count).map(({ span, tokens }) => ({ span, kind: block.kind, tokens }));
}

/** Tokens that a piece adds behind another one: a word that was cut in two counts otherwise when it is whole again. */
export function tokensBehind(text: string, before: Unit | undefined, next: Unit, count: CountTokens): number {
  if (before?.span.end !== next.span.start || !IN_WORD.test(text.slice(next.span.start - 1, next.span.start + 1)))
    return next.tokens;
  return count(text.slice(before.span.start, next.span.end)) - before.tokens;
}

const IN_WORD = /[\p{L}\p{N}]{2}/u;

interface Unit {
  readonly span: Span;
  readonly tokens: number;
}

/** A line or sentence that is itself too long: at white space, else anywhere but inside a surrogate pair. */
function cutUnit(text: string, span: Span, limit: number, count: CountTokens): Unit[] {
  const tokens = count(text.slice(span.start, span.end));
  if (tokens <= limit) return [{ span, tokens }];
  const units: Unit[] = [];
  // A token is at least one character, so slices of `limit` characters always fit; larger ones are tried first.
  let start = span.start;
  while (start < span.end) {
    let length = Math.min(span.end - start, limit * 4);
    let end = cutAt(text, start, start + length, span.end);
    let size = count(text.slice(start, end));
    while (size > limit && length > 1) {
      length = Math.max(1, Math.floor((length * limit * 0.9) / size));
      end = cutAt(text, start, start + length, span.end);
      size = count(text.slice(start, end));
    }
    units.push({ span: { start, end }, tokens: size });
    start = end;
  }
  return units;
}

function cutAt(text: string, start: number, wanted: number, last: number): number {
  if (wanted >= last) return last;
  for (let at = wanted; at > start + (wanted - start) / 2; at--) {
    if (/\s/.test(text[at] as string)) return at;
  }
  return isLowSurrogate(text.charCodeAt(wanted)) && wanted - 1 > start
    ? wanted - 1
    : isLowSurrogate(text.charCodeAt(wanted))
      ? wanted + 1
      : wanted;
}

const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/** Neighbouring units joined as long as they fit. */
function pack(text: string, units: readonly Unit[], limit: number, count: CountTokens): Unit[] {
  const packed: Unit[] = [];
  for (const unit of units) {
    const last = packed.at(-1);
    const tokens = (last?.tokens ?? 0) + tokensBehind(text, last, unit, count);
    if (last !== undefined && tokens <= limit) {
      packed[packed.length - 1] = { span: { start: last.span.start, end: unit.span.end }, tokens };
    } else packed.push(unit);
  }
  return packed;
}

function lines(text: string, span: Span): Span[] {
  const found: Span[] = [];
  let start = span.start;
  for (const match of text.slice(span.start, span.end).matchAll(/\r\n|\r|\n/g)) {
    const end = span.start + match.index;
    if (end > start) found.push({ start, end });
    start = end + match[0].length;
  }
  if (start < span.end) found.push({ start, end: span.end });
  return found;
}

const shift = (span: Span, by: number): Span => ({ start: span.start + by, end: span.end + by });
