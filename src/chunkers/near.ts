/** Where a piece of so many characters had better end and begin: at an end of something, when one is near. */
import type { Block, Document, Span } from '../core/types.ts';
import { characterEnd, characterStart, lineSpans } from '../text/cut.ts';
import { firstTouching } from '../text/section-at.ts';
import { isByLine, sentenceSpans } from './pieces.ts';

/** How much of its length a piece gives up for a better end. */
const NEAR = 0.2;

/**
 * Where a piece of `[start, wanted)` ends, at or before `wanted`: behind a block, else a sentence (in code and tables a
 * line), else a line, else a word, of those that are near; else behind a character. Not behind a heading, if it can be
 * before it.
 */
export function goodEnd({ text, blocks }: Document, start: number, wanted: number): number {
  const least = wanted - (wanted - start) * NEAR;
  const at = firstTouching(blocks, wanted - 1);
  const block = blocks[at];
  const isCut = block !== undefined && block.span.start < wanted && wanted < block.span.end;
  const whole = block?.span.end === wanted ? at : at - 1;
  let before = whole;
  while (blocks[before]?.kind === 'heading') before--;
  const behind = blocks[before]?.span.end ?? 0;
  if (behind > start && behind >= least) return behind;
  if (!isCut) return blocks[whole]?.span.end ?? wanted;
  const inside = { start: Math.max(block.span.start, start), end: wanted };
  const ends = [...insideSpans(text, block, inside), lineSpans(text, inside)].map((spans) => spans.at(-2)?.end ?? 0);
  const end = ends.find((each) => each >= least);
  if (end !== undefined) return end;
  for (let place = wanted; place >= least; place--) if (/\s/.test(text.charAt(place))) return place;
  return characterEnd(text, start, wanted);
}

/**
 * Where a piece begins that repeats `[wanted, end)` of the one before, at or behind `wanted`: at a block, sentence or
 * line in the first half, else at a word, else at a character. `end` when nothing is left.
 */
export function goodStart({ text, blocks }: Document, start: number, wanted: number, end: number): number {
  const at = firstTouching(blocks, wanted);
  const block = blocks[at];
  if (block === undefined || block.span.start >= end) return end;
  if (block.span.start >= wanted) return block.span.start;
  const inside = { start: Math.max(block.span.start, start), end: Math.min(block.span.end, end) };
  const half = wanted + (end - wanted) / 2;
  const next = blocks[at + 1]?.span.start ?? end;
  const starts = [...insideSpans(text, block, inside), lineSpans(text, inside)]
    .map((spans) => spans.find((span) => span.start >= wanted)?.start ?? end)
    .concat(next)
    .filter((each) => each <= half);
  if (starts.length > 0) return Math.min(...starts);
  for (let place = wanted; place < end; place++) {
    if (/\s/.test(text.charAt(place - 1)) && !/\s/.test(text.charAt(place))) return place;
  }
  return Math.min(end, characterStart(text, start, wanted));
}

/** The sentences of a part of a block, or none, where its lines are what counts. */
const insideSpans = (text: string, block: Block, span: Span): Span[][] =>
  isByLine(block) ? [] : [sentenceSpans(text, span)];

/** The first text of a block at or behind a place, with the indentation of its line; the end of the text if none is. */
export function nextText({ text, blocks }: Pick<Document, 'text' | 'blocks'>, place: number): number {
  const block = blocks[firstTouching(blocks, place)];
  if (block === undefined) return text.length;
  if (block.span.start >= place) return block.span.start;
  const rest = /^\s*/.exec(text.slice(place, block.span.end))?.[0] ?? '';
  const lineStart = Math.max(rest.lastIndexOf('\n'), rest.lastIndexOf('\r')) + 1;
  return rest.length === block.span.end - place
    ? nextText({ text, blocks }, block.span.end)
    : place + (lineStart || rest.length);
}
