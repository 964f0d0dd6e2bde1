/**
 * The upper tier (seed 002, "Two-Tier Chunking"): the sections that the searched pieces belong to. They share no text
 * and leave none out, so every piece has at least one.
 */
import type { Block, Document, Section, Span } from '../core/types.ts';
import { firstTouching, sectionOf } from '../text/section-at.ts';
import { goodEnd, nextText } from './near.ts';

export interface Parent {
  readonly span: Span;
  /** "A > B > C", `''` above all headings, "Paragraph n" in plain text. */
  readonly path: string;
}

/** In order. None has more than `limit` characters. */
export function parentsOf(document: Document, limit: number): Parent[] {
  const { text } = document;
  if (document.type === 'text') {
    return paragraphs(document).flatMap((blocks, i) =>
      split(document, blocks, limit).map((span) => ({ span, path: `Paragraph ${i + 1}` })),
    );
  }
  return cover(document, { start: 0, end: text.length }, treeOf(document.sections), limit).map((span) => ({
    span,
    path: sectionOf(document, span)?.path.join(' > ') ?? '',
  }));
}

/** A section with those directly in it. */
interface Node {
  readonly span: Span;
  readonly children: Node[];
}

function treeOf(sections: readonly Section[]): Node[] {
  const roots: Node[] = [];
  const open: Node[] = [];
  for (const { span } of sections) {
    while (open.length > 0 && (open.at(-1) as Node).span.end <= span.start) open.pop();
    const node = { span, children: [] };
    (open.at(-1)?.children ?? roots).push(node);
    open.push(node);
  }
  return roots;
}

/**
 * A part of the document and the sections in it: the text before the first one, then each that fits, whole, and each
 * that does not in the same way. A heading without text of its own goes with its first section.
 */
function cover(document: Document, { start, end }: Span, nodes: readonly Node[], limit: number): Span[] {
  const own = blocksIn(document, { start, end: nodes[0]?.span.start ?? end });
  const isBare = nodes.length > 0 && own.every(({ kind }) => kind === 'heading');
  const found = isBare ? [] : split(document, own, limit);
  nodes.forEach((node, i) => {
    const span = { start: i === 0 && isBare ? start : node.span.start, end: node.span.end };
    const whole = hull(blocksIn(document, span));
    if (whole.end - whole.start <= limit) found.push(whole);
    else for (const part of cover(document, span, node.children, limit)) found.push(part);
  });
  return found;
}

/** Blocks as spans of at most `limit` characters each, of about the same size where there must be several. */
function split(document: Document, blocks: readonly Block[], limit: number): Span[] {
  if (blocks.length === 0) return [];
  const whole = hull(blocks);
  const length = whole.end - whole.start;
  if (length <= limit) return [whole];
  const even = Math.ceil(length / Math.ceil(length / limit));
  const spans: Span[] = [];
  for (const span of blocks.flatMap((block) => cut(document, block.span, limit))) {
    const last = spans.at(-1);
    const joined = span.end - (last?.start ?? 0);
    const isNearer = last !== undefined && Math.abs(joined - even) <= Math.abs(last.end - last.start - even);
    if (isNearer && joined <= limit) {
      spans[spans.length - 1] = { start: last.start, end: span.end };
    } else spans.push(span);
  }
  return spans;
}

function cut(document: Document, { start, end }: Span, limit: number): Span[] {
  const spans: Span[] = [];
  for (let from = start; from < end; from = nextText(document, (spans.at(-1) as Span).end)) {
    spans.push({ start: from, end: from + limit >= end ? end : goodEnd(document, from, from + limit) });
  }
  return spans;
}

/** A shorter paragraph of plain text is a title or the line of a list: it goes with what follows. */
const SHORT_PARAGRAPH = 50;

function paragraphs({ blocks }: Document): Block[][] {
  const found: Block[][] = [];
  let isShort = false;
  for (const block of blocks) {
    if (isShort) found.at(-1)?.push(block);
    else found.push([block]);
    const first = (found.at(-1) as Block[])[0] as Block;
    isShort = block.span.end - first.span.start < SHORT_PARAGRAPH;
  }
  return found;
}

const blocksIn = ({ blocks }: Document, { start, end }: Span): readonly Block[] =>
  blocks.slice(firstTouching(blocks, start), firstTouching(blocks, end));

const hull = (blocks: readonly Block[]): Span => ({
  start: blocks[0]?.span.start ?? 0,
  end: blocks.at(-1)?.span.end ?? 0,
});
