/**
 * Cutting what is too long, by the tokens of a model: a line or a sentence at a word, and what has no words (a line of
 * 200 kB, a script without spaces) between two characters as people see them.
 */
import type { Span } from '../core/types.ts';

/** Tokens of a text as one model counts them, without its special tokens. */
export type CountTokens = (text: string) => number;

/** A part of a text with its tokens. */
export interface Unit {
  readonly span: Span;
  readonly tokens: number;
}

/** A line or sentence as units of at most `limit` tokens: itself when it fits, else cut at white space where it can be. */
export function cutLong(text: string, span: Span, limit: number, count: CountTokens): Unit[] {
  const tokens = count(text.slice(span.start, span.end));
  if (tokens <= limit) return [{ span, tokens }];
  const units: Unit[] = [];
  // A token is at least one character, so slices of `limit` characters always fit; larger ones are tried first.
  let start = span.start;
  while (start < span.end) {
    let length = Math.min(span.end - start, limit * 4);
    let end = wordEnd(text, start, start + length, span.end);
    let size = count(text.slice(start, end));
    while (size > limit && length > 1) {
      length = Math.max(1, Math.floor((length * limit * 0.9) / size));
      end = wordEnd(text, start, start + length, span.end);
      size = count(text.slice(start, end));
    }
    units.push({ span: { start, end }, tokens: size });
    start = end;
  }
  return units;
}

/** The last white space in the second half of `[start, wanted)`; where there is none, the end of a character. */
function wordEnd(text: string, start: number, wanted: number, last: number): number {
  if (wanted >= last) return last;
  for (let at = wanted; at > start + (wanted - start) / 2; at--) {
    if (/\s/.test(text[at] as string)) return at;
  }
  return characterEnd(text, start, wanted);
}

/**
 * The last end of a character at or before `wanted`, behind `start`. A character is what people see as one: é of two
 * code points, a flag, a family. One that is longer than the whole range is cut, but never a surrogate pair.
 */
export function characterEnd(text: string, start: number, wanted: number): number {
  const character = characterAt(text, start, wanted);
  if (character.start > start) return character.start;
  if (!isLowSurrogate(text.charCodeAt(wanted))) return wanted;
  return wanted - 1 > start ? wanted - 1 : wanted + 1;
}

/** The first beginning of a character at or behind `wanted`; `start` is one itself. */
export function characterStart(text: string, start: number, wanted: number): number {
  const character = characterAt(text, start, wanted);
  return character.start === wanted ? wanted : character.end;
}

/** The character that a place is in; `{ start: at, end: at + 1 }` for plain letters, without asking the platform. */
function characterAt(text: string, start: number, at: number): Span {
  if (isPlain(text.charCodeAt(at - 1)) && isPlain(text.charCodeAt(at))) return { start: at, end: at + 1 };
  // What follows decides whether a character ends; a few code units are enough to tell.
  const slice = text.slice(start, at + LOOK_AHEAD);
  const found = (segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' }))
    .segment(slice)
    .containing(at - start);
  if (found === undefined) return { start: at, end: at };
  return { start: start + found.index, end: start + found.index + found.segment.length };
}

const LOOK_AHEAD = 16;
let segmenter: Intl.Segmenter | undefined;

/** Latin letters, digits and signs: each is a character, whatever stands beside it. */
const isPlain = (code: number): boolean => code >= 32 && code < 0x300;

const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/** Tokens that a unit adds behind another one: a word that was cut in two counts otherwise when it is whole again. */
export function tokensBehind(text: string, before: Unit | undefined, next: Unit, count: CountTokens): number {
  if (before?.span.end !== next.span.start || !IN_WORD.test(text.slice(next.span.start - 1, next.span.start + 1)))
    return next.tokens;
  return count(text.slice(before.span.start, next.span.end)) - before.tokens;
}

const IN_WORD = /[\p{L}\p{N}]{2}/u;

/** The lines of a part of a text, without their ends and without empty ones. */
export function lineSpans(text: string, span: Span): Span[] {
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
