import type { Span } from '../core/types.ts';

/** Words whose full stop does not end a sentence. */
const ABBREVIATIONS = new Set(
  'e.g i.e etc vs cf al fig figs eq no nos vol pp p ch sec approx resp incl mr mrs ms dr prof st jr sr inc ltd co corp dept est jan feb mar apr jun jul aug sep sept oct nov dec'.split(
    ' ',
  ),
);
/**
 * A possible end: closing punctuation, then optional quotes, brackets and Markdown marks, then white space. Tried at
 * the first of several marks only, or a line of 200,000 dots would take minutes.
 */
const END = /(?<![.!?…])[.!?…]+["'”’)\]*_`]*(?=\s)|[。！？]+[」』）"”]*/g;
const NEXT_STARTS_LOWER = /^\s+[\p{Ll}]/u;

/**
 * Sentences of a paragraph as spans relative to `text`, in order, white space between them left out.
 * A line end does not end a sentence; an abbreviation, an initial, a full stop before a small letter or inside of code
 * does not.
 */
export function sentences(text: string): Span[] {
  const spans: Span[] = [];
  const inCode = codeReader(text);
  let start = 0;
  for (const match of text.matchAll(END)) {
    const end = match.index + match[0].length;
    if (inCode(match.index)) continue;
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
  if (/^\p{Lu}$/u.test(before)) return false;
  return !(/^\d{1,3}$/.test(before) && beginsLine(text, dot - before.length));
}

/** Whether only indentation and the marks of quotes stand before a place in its line. */
function beginsLine(text: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && ' \t>'.includes(text.charAt(before))) before--;
  return before < 0 || '\n\r'.includes(text.charAt(before));
}

/** Tells, for places in ascending order, whether they are in a code span. */
function codeReader(text: string): (place: number) => boolean {
  const spans = codeSpans(text);
  let at = 0;
  return (place) => {
    while (at < spans.length && (spans[at] as Span).end <= place) at++;
    return place >= (spans[at]?.start ?? Infinity);
  };
}

/** From a run of backticks to the next one of the same length, in linear time. */
function codeSpans(text: string): Span[] {
  const runs = [...text.matchAll(/`+/g)];
  const nextOfLength = new Map<number, number>();
  const closing = new Map<number, number>();
  for (let i = runs.length - 1; i >= 0; i--) {
    const { length } = (runs[i] as RegExpExecArray)[0];
    const next = nextOfLength.get(length);
    if (next !== undefined) closing.set(i, next);
    nextOfLength.set(length, i);
  }
  const spans: Span[] = [];
  for (let i = 0; i < runs.length; i++) {
    const close = closing.get(i);
    const last = runs[close ?? -1];
    if (close === undefined || last === undefined) continue;
    spans.push({ start: (runs[i] as RegExpExecArray).index, end: last.index + last[0].length });
    i = close;
  }
  return spans;
}

function push(spans: Span[], text: string, from: number, to: number): void {
  let [start, end] = [from, to];
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  if (start < end) spans.push({ start, end });
}

const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0x3000;
