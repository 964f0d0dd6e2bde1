/** What a document states, sentence by sentence: what a question can be made of, and what answers it. */
import type { Block, Document, Section, Span } from '../../core/types.ts';
import { sentences } from '../../text/sentences.ts';

export interface Statement {
  readonly kind: 'sentence' | 'list-item' | 'table-row';
  readonly span: Span;
  /** The exact words of the document. */
  readonly quote: string;
  /** In one line, without marks. */
  readonly plain: string;
  /** The innermost section; undefined before the first heading. */
  readonly section: Section | undefined;
  /** Of a table row: plain text by column, and the titles of the columns. */
  readonly cells: readonly string[];
  readonly columns: readonly string[];
}

/** In order. Code, headings and quotations state nothing themselves. */
export function statementsOf(document: Document): Statement[] {
  return document.blocks.flatMap((block) => statementsOfBlock(document, block));
}

function statementsOfBlock({ text, sections }: Document, block: Block): Statement[] {
  const make = (kind: Statement['kind'], start: number, end: number, more: Partial<Statement> = {}): Statement => {
    const quote = text.slice(start, end);
    const section = innermost(sections, start);
    return { kind, span: { start, end }, quote, plain: plainText(quote), section, cells: [], columns: [], ...more };
  };
  const { start, end } = block.span;
  switch (block.kind) {
    case 'paragraph':
      return sentences(text.slice(start, end)).map((span) => make('sentence', start + span.start, start + span.end));
    case 'list-item': {
      const item = text.slice(start, end);
      const mark = /^\s*(?:[-*+]|\d{1,9}[.)])\s+/.exec(item)?.[0].length ?? 0;
      return sentences(item.slice(mark)).map((span) =>
        make('list-item', start + mark + span.start, start + mark + span.end),
      );
    }
    case 'table':
      return rowsOf(text.slice(start, end)).map(({ at, row, cells, columns }) =>
        make('table-row', start + at, start + at + row.length, { cells, columns }),
      );
    case 'heading':
    case 'code':
    case 'html':
    case 'quote':
    case 'other':
      return [];
  }
}

function innermost(sections: readonly Section[], at: number): Section | undefined {
  return sections.findLast(({ span }) => span.start <= at && at < span.end);
}

/** Code, whose marks are its own; images; links; tags; ids of headings; emphasis; escapes. */
const MARKS =
  /(?<!`)(?<fence>`{1,3})(?!`)(?<code>[^`\n]{1,500})\k<fence>|!\[[^\]\n]{0,500}\]\([^()\n]{0,2000}\)|\[(?<label>(?:[^[\]`\n]|`[^`\n]{1,500}`){1,500})\](?:\([^()\n]{0,2000}\)|\[[^\]\n]{0,500}\])|<\/?[A-Za-z][^<>\n]{0,1000}>|\{#[\w-]{1,100}\}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|\*{1,3}|~~|\\(?=[\p{P}\p{S}])/gu;

/** In one line, as people read it. */
export function plainText(text: string): string {
  const unmarked = (part: string): string => part.replace(MARKS, (...match) => wordsOf(match.at(-1) as MarkGroups));
  return unmarked(text.replace(/^[ \t]*>[ \t]?/gm, ''))
    .replace(/\s+/g, ' ')
    .trim();
}

interface MarkGroups {
  readonly code?: string;
  readonly label?: string;
}

const wordsOf = ({ code, label }: MarkGroups): string => code ?? (label === undefined ? '' : label.replace(/`/g, ''));

interface TableRow {
  readonly at: number;
  readonly row: string;
  readonly cells: readonly string[];
  readonly columns: readonly string[];
}

/** Rows of a pipe table, its head and rule left out. */
function rowsOf(table: string): TableRow[] {
  const lines: { readonly at: number; readonly row: string }[] = [];
  let at = 0;
  for (const line of table.split(/(?<=\n)/)) {
    const row = line.trim();
    if (row !== '' && !/^[\s|:-]+$/.test(row)) lines.push({ at: at + line.indexOf(row), row });
    at += line.length;
  }
  const [head, ...body] = lines;
  if (head === undefined) return [];
  const columns = cellsOf(head.row);
  return body.map((line) => ({ ...line, cells: cellsOf(line.row), columns }));
}

const cellsOf = (row: string): string[] =>
  row
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map(plainText);
