/** Block tokens to leaf blocks, exclusions and headings, with exact spans: nothing of the text is left over. */
import type { Token } from 'markdown-it';
import type { Block, BlockKind, Span, TextExclusion } from '../core/types.ts';
import { lineStarts } from '../text/lines.ts';
import { blockTokens } from './block-tokens.ts';
import { fenceLanguage } from './fence.ts';
import type { MdxToken } from './markdown-mdx.ts';
import { containerTitle, searchableText } from './searchable.ts';

export interface Heading {
  readonly level: number;
  /** As written, without the heading's own marks. */
  readonly source: string;
  readonly span: Span;
}

export interface MarkdownBlocks {
  readonly blocks: readonly Block[];
  readonly exclusions: readonly TextExclusion[];
  /** Those outside of quotes, lists, fences and HTML. */
  readonly headings: readonly Heading[];
  readonly isReference: (label: string) => boolean;
  /** 1-based lines of JSX or ESM that does not end and was read as Markdown. */
  readonly unreadableLines: readonly number[];
}

/**
 * Takes the text from offset `start` (behind the front matter) apart.
 * @throws TooMuchNesting
 */
export function markdownBlocks(text: string, start: number, mdx: boolean): MarkdownBlocks {
  const { tokens, isReference, unreadable } = blockTokens(text.slice(start), mdx);
  const lines = new Lines(text, start);
  const parts = new Parts(lines);
  const headings: Heading[] = [];
  const containers: ('quote' | 'item')[] = [];
  for (const [i, token] of tokens.entries()) {
    if (token.type === 'blockquote_open') containers.push('quote');
    else if (token.type === 'list_item_open') containers.push('item');
    else if (token.type === 'blockquote_close' || token.type === 'list_item_close') containers.pop();
    else if (token.map !== null && LEAVES.has(token.type)) {
      const span = lines.span(token.map[0], token.map[1]);
      parts.add(token.map, span, partOf(token, text.slice(span.start, span.end), containers));
      if (token.type === 'heading_open' && containers.length === 0) {
        headings.push({ level: Number(token.tag.slice(1)), source: tokens[i + 1]?.content ?? '', span });
      }
    }
  }
  parts.finish();
  const firstLine = lineStarts(text.slice(0, start)).length;
  const { blocks, exclusions } = parts;
  return { blocks, exclusions, headings, isReference, unreadableLines: unreadable.map((line) => line + firstLine) };
}

type Part = Omit<Block, 'span'> | { readonly reason: TextExclusion['reason'] };

const LEAVES: ReadonlySet<string> = new Set([
  ...[
    'heading_open',
    'paragraph_open',
    'fence',
    'code_block',
    'html_block',
    'table_open',
    'hr',
    'reference_definition',
  ],
  ...(['container_marker', 'component_tags', 'module_statement', 'mdx_comment'] satisfies MdxToken[]),
]);

function partOf(token: Token, slice: string, containers: readonly ('quote' | 'item')[]): Part {
  switch (token.type) {
    case 'heading_open':
      return textBlock(containers.length === 0 ? 'heading' : 'paragraph', containers);
    case 'paragraph_open':
      return textBlock('paragraph', containers);
    case 'fence': {
      const language = fenceLanguage(token.info);
      return { kind: 'code', depth: 0, ...(language === undefined ? {} : { language }) };
    }
    case 'code_block':
      return { kind: 'code', depth: 0 };
    case 'table_open':
      return { kind: 'table', depth: 0 };
    case 'html_block':
      return htmlPart(slice);
    case 'container_marker':
      return containerTitle(slice.trim()) === '' ? MARKUP : OTHER;
    case 'component_tags':
      return searchableText(slice) === '' ? MARKUP : OTHER;
    case 'module_statement':
      return { reason: 'mdx-import' };
    case 'mdx_comment':
      return { reason: 'comment' };
    case 'hr':
      return MARKUP;
    default:
      return OTHER;
  }
}

const MARKUP: Part = { reason: 'markup-only' };
const OTHER: Part = { kind: 'other', depth: 0 };

/** Text directly in a quote is a quote, in a list item a list item of its depth; else it is what it is. */
function textBlock(kind: BlockKind, containers: readonly ('quote' | 'item')[]): Part {
  const innermost = containers.at(-1);
  if (innermost === 'quote') return { kind: 'quote', depth: 0 };
  if (innermost === 'item') return { kind: 'list-item', depth: containers.filter((c) => c === 'item').length - 1 };
  return { kind, depth: 0 };
}

function htmlPart(slice: string): Part {
  if (searchableText(slice) !== '') return { kind: 'html', depth: 0 };
  if (/<(?:script|style)\b/iu.test(slice)) return { reason: 'script' };
  return slice.includes('<!--') ? { reason: 'comment' } : MARKUP;
}

/** Offsets of lines, counted from the first line behind the front matter. */
class Lines {
  readonly count: number;
  readonly #text: string;
  readonly #starts: readonly number[];

  constructor(text: string, start: number) {
    this.#text = text;
    this.#starts = lineStarts(text.slice(start)).map((offset) => offset + start);
    this.count = this.#starts.length;
  }

  /** Lines `[from, to)` without blank lines and the line end at their end. */
  span(from: number, to: number): Span {
    const start = this.#starts[from] ?? this.#text.length;
    let end = this.#starts[to] ?? this.#text.length;
    while (end > start && /\s/u.test(this.#text.charAt(end - 1))) end--;
    return { start, end };
  }

  content(line: number): string {
    return this.#text.slice(this.#starts[line] ?? this.#text.length, this.#starts[line + 1]);
  }
}

/** Collects blocks and exclusions in order, and fills the gaps between them. */
class Parts {
  readonly blocks: Block[] = [];
  readonly exclusions: TextExclusion[] = [];
  readonly #lines: Lines;
  #nextLine = 0;

  constructor(lines: Lines) {
    this.#lines = lines;
  }

  add(map: readonly [number, number], span: Span, part: Part): void {
    this.#fillGap(map[0]);
    this.#put(span, part);
    this.#nextLine = Math.max(this.#nextLine, map[1]);
  }

  finish(): void {
    this.#fillGap(this.#lines.count);
  }

  #put(span: Span, part: Part): void {
    if (span.end === span.start) return;
    if ('reason' in part) this.exclusions.push({ span, reason: part.reason });
    else this.blocks.push({ ...part, span });
  }

  /** Lines of no token: marks of empty quotes and items, and what is nested too deeply to be taken apart. */
  #fillGap(until: number): void {
    let line = this.#nextLine;
    while (line < until) {
      const part = gapPart(this.#lines.content(line));
      let to = line + 1;
      while (part !== undefined && to < until && gapPart(this.#lines.content(to)) === part) to++;
      if (part !== undefined) this.#put(this.#lines.span(line, to), part);
      line = to;
    }
  }
}

function gapPart(line: string): Part | undefined {
  if (line.trim() === '') return undefined;
  return /^[\s>*+\-.)\d]*$/u.test(line) ? MARKUP : OTHER;
}
