import type { Span } from '../core/types.ts';

/** Words whose full stop does not end a sentence. */
const ABBREVIATIONS = new Set(
  'e.g i.e etc vs cf al fig figs eq no nos vol pp p ch sec approx resp incl mr mrs ms dr prof st jr sr inc ltd co corp dept est jan feb mar apr jun jul aug sep sept oct nov dec'.split(
    ' ',
  ),
);
/** A possible end: closing punctuation, then optional quotes, brackets and Markdown marks, then white space. */
const END = /[.!?…]+["'”’)\]*_`]*(?=\s)|[。！？]+[」』）"”]*/g;
const NEXT_STARTS_LOWER = /^\s+[\p{Ll}]/u;

/**
 * Sentences of a paragraph as spans relative to `text`, in order, white space between them left out.
 * A line end does not end a sentence; an abbreviation, an initial or a full stop before a small letter does not.
 */
export function sentences(text: string): Span[] {
  const spans: Span[] = [];
  let start = 0;
  for (const match of text.matchAll(END)) {
    const end = match.index + match[0].length;
    if (match[0].startsWith('.') && !endsSentence(text, match.index, end)) continue;
    push(spans, text, start, end);
    start = end;
  }
  push(spans, text, start, text.length);
  return spans;
}

function endsSentence(text: string, dot: number, end: number): boolean {
  if (NEXT_STARTS_LOWER.test(text.slice(end, end + 12))) return false;
  const before = /[\p{L}\p{N}.]*$/u.exec(text.slice(Math.max(0, dot - 20), dot))?.[0] ?? '';
  if (ABBREVIATIONS.has(before.toLowerCase())) return false;
  // An initial ("J. Smith") or the number of a list item ("1. Open …").
  return !/^(?:\p{Lu}|\d{1,3})$/u.test(before) || (/^\d/.test(before) && dot - before.length > lineStart(text, dot));
}

const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1;

function push(spans: Span[], text: string, from: number, to: number): void {
  let [start, end] = [from, to];
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  if (start < end) spans.push({ start, end });
}

const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0x3000;
