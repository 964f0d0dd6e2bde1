/** MediaWiki text to leaf blocks, exclusions and headings, with exact spans: nothing of the text is left over. */
import type { Block, Span, TextExclusion } from '../core/types.ts';
import { lineStarts } from '../text/lines.ts';
import { closesFence, fenceLanguage, openingFence } from './fence.ts';
import type { Heading } from './markdown-blocks.ts';
import { categoryOf, imageCaption, isMagicWord, isRule, isTornMark, listMarks, wikiHeading } from './wiki-lines.ts';

export interface WikiBlocks {
  readonly blocks: readonly Block[];
  readonly exclusions: readonly TextExclusion[];
  readonly headings: readonly Heading[];
  readonly categories: readonly string[];
}

/** A comment, template or table that does not end within so many lines is read as text. */
const MAX_LOOK_AHEAD = 2000;

export function wikiBlocks(text: string): WikiBlocks {
  const starts = lineStarts(text);
  const lines = new WikiLines(text, starts);
  const found: Found = { blocks: [], exclusions: [], headings: [], categories: [] };
  let paragraph = -1;
  const endParagraph = (before: number): void => {
    if (paragraph >= 0) found.blocks.push({ kind: 'paragraph', depth: 0, span: lines.span(paragraph, before) });
    paragraph = -1;
  };
  for (let at = 0; at < starts.length;) {
    const blank = lines.content(at).trim() === '';
    const held = blank ? undefined : partAt(lines, at);
    if (blank || held !== undefined) endParagraph(at);
    else if (paragraph < 0) paragraph = at;
    held?.add(found);
    at += held?.lines ?? 1;
  }
  endParagraph(starts.length);
  return found;
}

interface Found {
  readonly blocks: Block[];
  readonly exclusions: TextExclusion[];
  readonly headings: Heading[];
  readonly categories: string[];
}

/** What begins at a line that is no paragraph, and how many lines it takes. */
interface Part {
  readonly lines: number;
  add(found: Found): void;
}

function partAt(lines: WikiLines, at: number): Part | undefined {
  const line = lines.content(at);
  const read = (number: number): string => lines.content(number);
  const heading = wikiHeading(read, at);
  if (heading !== undefined) return headingPart(lines, at, heading);
  const category = categoryOf(line);
  if (category !== undefined) {
    return {
      lines: 1,
      add: (found) => {
        found.categories.push(category);
        exclude(found, lines.span(at, at + 1), 'markup-only');
      },
    };
  }
  if (isMagicWord(line) || isRule(line) || isTornMark(line)) return excluded(lines, at, 1, 'markup-only');
  return (
    codePart(lines, at) ??
    tablePart(lines, at) ??
    commentPart(lines, at) ??
    templatePart(lines, at) ??
    linePart(lines, at)
  );
}

function headingPart(lines: WikiLines, at: number, heading: { level: number; source: string; lines: number }): Part {
  const span = lines.span(at, at + heading.lines);
  return {
    lines: heading.lines,
    add: ({ blocks, headings }) => {
      blocks.push({ kind: 'heading', depth: 0, span });
      headings.push({ level: heading.level, source: heading.source, span });
    },
  };
}

/** Fences, and the tags whose content is not wiki text. */
function codePart(lines: WikiLines, at: number): Part | undefined {
  const line = lines.content(at).trimStart();
  const fence = openingFence(line);
  const tag = /^<(pre|syntaxhighlight|source)\b/iu.exec(line)?.[1];
  if (fence === undefined && tag === undefined) return undefined;
  const closes = (content: string, first: boolean): boolean =>
    fence === undefined
      ? content.toLowerCase().includes(`</${tag?.toLowerCase()}`)
      : !first && closesFence(content, fence);
  // A fence that does not end is code up to the end, as in Markdown.
  const end = lines.find(at, fence === undefined ? MAX_LOOK_AHEAD : Infinity, (content, i) =>
    closes(content, i === at),
  );
  if (end === undefined && fence === undefined) return undefined;
  const next = (end ?? lines.count - 1) + 1;
  const language = fence === undefined ? undefined : fenceLanguage(fence.info);
  const span = lines.span(at, next);
  return {
    lines: next - at,
    add: ({ blocks }) =>
      void blocks.push({ kind: 'code', depth: 0, span, ...(language === undefined ? {} : { language }) }),
  };
}

/** `{| … |}`: its rows are the block, so that the first of them is the table's head. */
function tablePart(lines: WikiLines, at: number): Part | undefined {
  if (!lines.content(at).trimStart().startsWith('{|')) return undefined;
  let depth = 0;
  const end = lines.find(at, MAX_LOOK_AHEAD, (line) => {
    const start = line.trimStart();
    if (start.startsWith('{|')) depth++;
    else if (start.startsWith('|}')) depth--;
    return depth === 0;
  });
  if (end === undefined) return excluded(lines, at, 1, 'markup-only');
  return {
    lines: end - at + 1,
    add: (found) => {
      let [first, last] = [at + 1, end];
      while (first < last && /^\s*(?:\|-.*)?$/u.test(lines.content(first))) first++;
      while (last > first && /^\s*(?:\|-.*)?$/u.test(lines.content(last - 1))) last--;
      exclude(found, lines.span(at, first), 'markup-only');
      if (last > first) found.blocks.push({ kind: 'table', depth: 0, span: lines.span(first, last) });
      exclude(found, lines.span(last, end + 1), 'markup-only');
    },
  };
}

function commentPart(lines: WikiLines, at: number): Part | undefined {
  if (!lines.content(at).trimStart().startsWith('<!--')) return undefined;
  const end = lines.find(at, MAX_LOOK_AHEAD, (line) => line.includes('-->'));
  return end === undefined || !lines.content(end).trimEnd().endsWith('-->')
    ? undefined
    : excluded(lines, at, end - at + 1, 'comment');
}

/** A template that takes whole lines. One without arguments has no words of its own. */
function templatePart(lines: WikiLines, at: number): Part | undefined {
  if (!lines.content(at).trimStart().startsWith('{{')) return undefined;
  let depth = 0;
  const end = lines.find(at, MAX_LOOK_AHEAD, (line) => {
    for (const [mark] of line.matchAll(/\{\{|\}\}/gu)) depth += mark === '{{' ? 1 : -1;
    return depth <= 0;
  });
  if (end === undefined || !lines.content(end).trimEnd().endsWith('}}')) return undefined;
  const span = lines.span(at, end + 1);
  if (!lines.slice(span).includes('|')) return excluded(lines, at, end - at + 1, 'markup-only');
  return { lines: end - at + 1, add: ({ blocks }) => void blocks.push({ kind: 'other', depth: 0, span }) };
}

/** Images and items of lists, which end with their line. */
function linePart(lines: WikiLines, at: number): Part | undefined {
  const line = lines.content(at);
  const span = lines.span(at, at + 1);
  const caption = imageCaption(line);
  if (caption !== undefined) {
    const words = { start: lines.start(at) + caption.start, end: lines.start(at) + caption.end };
    return {
      lines: 1,
      add: (found) => {
        const hasWords = line.slice(caption.start, caption.end).trim() !== '';
        exclude(found, { start: span.start, end: hasWords ? words.start : span.end }, 'markup-only');
        if (!hasWords) return;
        found.blocks.push({ kind: 'paragraph', depth: 0, span: words });
        exclude(found, { start: words.end, end: span.end }, 'markup-only');
      },
    };
  }
  const marks = listMarks(line);
  if (marks === 0) return undefined;
  if (/^\s*'*\s*$/u.test(line.slice(marks))) return excluded(lines, at, 1, 'markup-only');
  const depth = /^\d/u.test(line) ? 0 : marks - 1;
  return { lines: 1, add: ({ blocks }) => void blocks.push({ kind: 'list-item', depth, span }) };
}

const excluded = (lines: WikiLines, at: number, count: number, reason: TextExclusion['reason']): Part => ({
  lines: count,
  add: (found) => exclude(found, lines.span(at, at + count), reason),
});

function exclude({ exclusions }: Found, span: Span, reason: TextExclusion['reason']): void {
  if (span.end > span.start) exclusions.push({ span, reason });
}

class WikiLines {
  readonly count: number;
  readonly #text: string;
  readonly #starts: readonly number[];
  /** Lines that look-aheads may still read: keeps the time linear. */
  #budget: number;

  constructor(text: string, starts: readonly number[]) {
    this.#text = text;
    this.#starts = starts;
    this.count = starts.length;
    this.#budget = 4 * starts.length + 10_000;
  }

  start(line: number): number {
    return this.#starts[line] ?? this.#text.length;
  }

  /** Without its line end. */
  content(line: number): string {
    return line < 0 || line >= this.count
      ? ''
      : this.#text.slice(this.start(line), this.start(line + 1)).replace(/[\r\n]+$/u, '');
  }

  /** Lines `[from, to)` without white space at their end. */
  span(from: number, to: number): Span {
    const start = this.start(from);
    let end = this.start(to);
    while (end > start && /\s/u.test(this.#text.charAt(end - 1))) end--;
    return { start, end };
  }

  slice({ start, end }: Span): string {
    return this.#text.slice(start, end);
  }

  /** The first line from `from` on, within `limit` lines, that is accepted. */
  find(from: number, limit: number, accepts: (content: string, line: number) => boolean): number | undefined {
    const end = Math.min(this.count, from + Math.min(limit, this.#budget));
    for (let line = from; line < end; line++, this.#budget--) if (accepts(this.content(line), line)) return line;
    return undefined;
  }
}
