/** A text in parts of so many tokens, each of which repeats the end of the one before: line by line where that goes. */
import type { Span } from '../core/types.ts';
import { characterStart, cutLong, lineSpans, tokensBehind } from './cut.ts';
import type { CountTokens, Unit } from './cut.ts';
import { sentences } from './sentences.ts';

export interface TokenSpanOptions {
  readonly maxTokens: number;
  /** Repeated of the part before, at most. */
  readonly overlapTokens: number;
  readonly countTokens: CountTokens;
}

/** Parts of at most `maxTokens`, in order; every character that is not blank is in one. */
export function tokenSpans(text: string, { maxTokens, ...options }: TokenSpanOptions): Span[] {
  const units = lineUnits(text, { start: 0, end: text.length }, maxTokens, options.countTokens);
  return fillUnits(text, units, { ...options, limitOf: () => maxTokens }).map(({ span }) => span);
}

/** Lines that fit; of those that do not, sentences, and of those words. Blank lines are in none. */
export function lineUnits(text: string, span: Span, limit: number, count: CountTokens): Unit[] {
  const units: Unit[] = [];
  for (const line of lineSpans(text, span)) {
    const slice = text.slice(line.start, line.end);
    if (slice.trim() === '') continue;
    const tokens = count(slice);
    if (tokens <= limit) units.push({ span: line, tokens });
    else
      for (const sentence of sentences(slice)) {
        const { start, end } = sentence;
        for (const unit of cutLong(text, { start: line.start + start, end: line.start + end }, limit, count))
          units.push(unit);
      }
  }
  return units;
}

export interface FillOptions extends Omit<TokenSpanOptions, 'maxTokens'> {
  /** Tokens of a part whose first own unit this is; no unit may be longer. */
  readonly limitOf: (first: Unit) => number;
}

export interface Filled {
  readonly span: Span;
  /** The first unit that the part before does not have. */
  readonly first: Unit;
}

/** Units joined as long as they fit. No part is all in another one, and no text is in more than two. */
export function fillUnits(text: string, units: readonly Unit[], options: FillOptions): Filled[] {
  const { limitOf, overlapTokens, countTokens: count } = options;
  const filled: Filled[] = [];
  let before = 0;
  for (let at = 0; at < units.length;) {
    const first = units[at] as Unit;
    const limit = limitOf(first);
    const overlap = overlapBefore(text, units, before, at, Math.min(overlapTokens, limit - first.tokens), count);
    let size = overlap === undefined ? first.tokens : overlap.tokens + tokensAdded(text, overlap, first, count);
    const repeated = size <= limit ? overlap : undefined;
    if (repeated === undefined) size = first.tokens;
    let next = at + 1;
    for (; next < units.length; next++) {
      size += tokensAdded(text, units[next - 1] as Unit, units[next] as Unit, count);
      if (size > limit) break;
    }
    filled.push({
      span: { start: (repeated ?? first).span.start, end: (units[next - 1] as Unit).span.end },
      first,
    });
    before = at;
    at = next;
  }
  return filled;
}

/** Of a unit behind another one, with what stands between them and is in neither (a comment). */
function tokensAdded(text: string, before: Unit, unit: Unit, count: CountTokens): number {
  const between = text.slice(before.span.end, unit.span.start);
  return (between === '' ? 0 : count(between)) + tokensBehind(text, before, unit, count);
}

/**
 * The end of the part before as one unit of at most `budget` tokens: its last whole units, else the end of its last
 * one. Never its first unit: that would be all of it.
 */
function overlapBefore(
  text: string,
  units: readonly Unit[],
  before: number,
  at: number,
  budget: number,
  count: CountTokens,
): Unit | undefined {
  const last = units[at - 1];
  if (last === undefined || budget <= 0) return undefined;
  let overlap: Unit | undefined;
  for (let i = at - 1; i > before; i--) {
    const unit = units[i] as Unit;
    const tokens = unit.tokens + (overlap === undefined ? 0 : tokensAdded(text, unit, overlap, count));
    if (tokens > budget) break;
    overlap = { span: { start: unit.span.start, end: last.span.end }, tokens };
  }
  return overlap ?? tail(text, last, budget, count);
}

/** The last sentences of a unit, else its last words, of at most `budget` tokens; less than the whole unit. */
function tail(text: string, { span }: Unit, budget: number, count: CountTokens): Unit | undefined {
  let found: Unit | undefined;
  for (const sentence of sentences(text.slice(span.start, span.end)).reverse()) {
    const start = span.start + sentence.start;
    const tokens = (found?.tokens ?? 0) + count(text.slice(start, span.start + sentence.end));
    if (tokens > budget || start === span.start) break;
    found = { span: { start, end: span.end }, tokens };
  }
  if (found !== undefined) return found;
  let length = Math.min(span.end - span.start - 1, budget * 4);
  while (length > 0) {
    const start = wordStart(text, span, span.end - length);
    const tokens = count(text.slice(start, span.end));
    if (start >= span.end) return undefined;
    if (tokens <= budget) return { span: { start, end: span.end }, tokens };
    length = Math.floor((length * budget * 0.9) / tokens);
  }
  return undefined;
}

/** The first beginning of a word at or behind `wanted`, in the first half of what is left; else of a character. */
function wordStart(text: string, { start, end }: Span, wanted: number): number {
  for (let at = wanted; at < wanted + (end - wanted) / 2; at++) {
    if (/\s/.test(text.charAt(at - 1)) && !/\s/.test(text.charAt(at))) return at;
  }
  return characterStart(text, start, wanted);
}
