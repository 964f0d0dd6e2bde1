/**
 * What an extractive answer can quote: sentences of paragraphs, list items, rows of tables, blocks of code, each with
 * its place and with what must come along for it to be understood (the line that introduces a list or code, the
 * head of a table).
 */
import type { Block, Document, Passage, Section, Span } from '../../core/types.ts';
import { sentences } from '../../text/sentences.ts';

export interface Unit {
  readonly label: number;
  readonly document: Document;
  readonly kind: 'sentence' | 'list-item' | 'table-row' | 'code';
  readonly span: Span;
  /** Index of its block in `document.blocks`. */
  readonly block: number;
  /** Places that come along: a lead-in, a table's head. */
  readonly with: readonly Span[];
  readonly headingPath: readonly string[];
  /** Rank of the best hit that holds it, from 0. */
  readonly rank: number;
  /** The hit's score as a share of the best hit's. */
  readonly hitScore: number;
}

/** All units of the passages' hits, once each, in the order of the hits; nothing outside of its passage. */
export function unitsOf(passages: readonly Passage[], documents: ReadonlyMap<string, Document>): Unit[] {
  const ranked = passages
    .flatMap((passage) => passage.hits.map((hit) => ({ passage, hit })))
    .sort((a, b) => b.hit.score - a.hit.score);
  const best = ranked[0]?.hit.score ?? 0;
  const seen = new Set<string>();
  const units: Unit[] = [];
  ranked.forEach(({ passage, hit }, rank) => {
    const document = documents.get(passage.documentId);
    if (document === undefined) return;
    document.blocks.forEach((block, index) => {
      if (block.span.end <= hit.chunk.span.start || block.span.start >= hit.chunk.span.end) return;
      for (const unit of blockUnits(document, block, index)) {
        const key = `${document.id}:${String(unit.span.start)}`;
        if (seen.has(key) || !holds(hit.chunk.span, unit.span) || !holds(passage.span, unit.span)) continue;
        seen.add(key);
        const section = sectionAt(document.sections, unit.span.start);
        units.push({
          ...unit,
          with: unit.with.filter((span) => holds(passage.span, span)),
          label: passage.label,
          document,
          block: index,
          headingPath: section?.path ?? [],
          rank,
          hitScore: best > 0 ? hit.score / best : 0,
        });
      }
    });
  });
  return units;
}

const holds = (outer: Span, inner: Span): boolean => outer.start <= inner.start && inner.end <= outer.end;

type Bare = Pick<Unit, 'kind' | 'span' | 'with'>;

function blockUnits(document: Document, block: Block, index: number): Bare[] {
  const { text } = document;
  switch (block.kind) {
    case 'paragraph':
    case 'quote':
      return sentences(text.slice(block.span.start, block.span.end)).map((span) => ({
        kind: 'sentence',
        span: { start: block.span.start + span.start, end: block.span.start + span.end },
        with: [],
      }));
    case 'list-item':
      return [{ kind: 'list-item', span: trim(text, block.span), with: leadIn(document, index) }];
    case 'table':
      return tableRows(text, block.span);
    case 'code':
      return [{ kind: 'code', span: trim(text, block.span), with: leadIn(document, index) }];
    case 'heading':
    case 'html':
    case 'other':
      return [];
  }
}

/** The paragraph before a list or code, when it ends in a colon; the item above a nested one. */
function leadIn(document: Document, index: number): Span[] {
  const block = document.blocks[index] as Block;
  for (let at = index - 1; at >= 0; at--) {
    const before = document.blocks[at] as Block;
    if (before.kind === 'list-item' && block.kind === 'list-item') {
      if (before.depth < block.depth) return [trim(document.text, before.span)];
      continue;
    }
    if (before.kind !== 'paragraph' && before.kind !== 'list-item') return [];
    const last = sentences(document.text.slice(before.span.start, before.span.end)).at(-1);
    if (last === undefined) return [];
    const span = { start: before.span.start + last.start, end: before.span.start + last.end };
    return /:[*_`]*$/.test(document.text.slice(span.start, span.end)) ? [span] : [];
  }
  return [];
}

const RULE = /^[\s|:-]+$/;

/** Rows of a pipe table; its head comes along with each. */
function tableRows(text: string, span: Span): Bare[] {
  const rows: Span[] = [];
  let start = span.start;
  for (const line of text.slice(span.start, span.end).split(/(?<=\r\n|\n|\r(?!\n))/)) {
    const row = trim(text, { start, end: start + line.length });
    if (row.end > row.start && !RULE.test(line)) rows.push(row);
    start += line.length;
  }
  const [head, ...body] = rows;
  if (head === undefined) return [];
  return body.length === 0
    ? [{ kind: 'table-row', span: head, with: [] }]
    : body.map((row) => ({ kind: 'table-row', span: row, with: [head] }));
}

function trim(text: string, span: Span): Span {
  let { start, end } = span;
  while (start < end && /\s/.test(text[start] as string)) start++;
  while (end > start && /\s/.test(text[end - 1] as string)) end--;
  return { start, end };
}

function sectionAt(sections: readonly Section[], offset: number): Section | undefined {
  let found: Section | undefined;
  for (const section of sections) if (section.span.start <= offset && offset < section.span.end) found = section;
  return found;
}
