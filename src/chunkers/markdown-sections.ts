/**
 * Header-first chunks (seed 000, "Chunking Strategy"): a section whole when it fits, else its blocks packed to the
 * target size; code and tables whole as long as they fit; overlap only inside a section that had to be cut.
 */
import type { Chunker } from '../core/contracts.ts';
import { chunkId } from '../core/identity.ts';
import type { ChunkSettings } from '../core/settings.ts';
import type { Block, Chunk, Document, Metadata, Section, Span } from '../core/types.ts';
import { lineRange, lineStarts } from '../text/lines.ts';
import { sentences } from '../text/sentences.ts';
import { cutBlock } from './pieces.ts';
import type { CountTokens, Piece } from './pieces.ts';

export interface MarkdownSectionsOptions extends ChunkSettings {
  /** The embedder's own tokenizer and limit (special tokens included in the limit). */
  readonly countTokens: CountTokens;
  readonly embedderMaxTokens: number;
  /** What is embedded and searched instead of a slice of the text: marks and link targets out. */
  readonly searchable: Searchable;
}

/** `verbatim`: code, and plain text, in which marks are characters like others. */
export type Searchable = (slice: string, as: 'markdown' | 'verbatim') => string;

/** Room for a model's begin and end marks. */
const SPECIAL_TOKENS = 2;

export default function markdownSections(options: MarkdownSectionsOptions): Chunker {
  return {
    chunk(document) {
      const drafts = bodies(document).flatMap((body) => cutBody(document, body, options));
      return finish(document, drafts, options);
    },
  };
}

/** A heading with what stands directly below it, up to the next heading of any level. */
interface Body {
  readonly section: Section | undefined;
  readonly blocks: readonly Block[];
}

interface Draft {
  readonly span: Span;
  readonly section: Section | undefined;
  readonly tokens: number;
}

/** Blocks by the heading they stand under; a heading with nothing below it joins the next one. */
function bodies(document: Document): Body[] {
  const found: { section: Section | undefined; blocks: Block[] }[] = [];
  const byStart = new Map(document.sections.map((section) => [section.headingSpan.start, section]));
  let bare = true;
  for (const block of document.blocks) {
    const section = block.kind === 'heading' ? byStart.get(block.span.start) : undefined;
    const current = found.at(-1);
    if (current === undefined) found.push({ section, blocks: [block] });
    else if (section === undefined) current.blocks.push(block);
    else if (bare && current.section !== undefined && section.level > current.section.level) {
      current.section = section;
      current.blocks.push(block);
    } else found.push({ section, blocks: [block] });
    bare = section !== undefined;
  }
  return found;
}

function cutBody(document: Document, body: Body, options: MarkdownSectionsOptions): Draft[] {
  const limit = textLimit(document, body.section, options);
  const target = Math.min(options.targetTokens, limit);
  const pieces = body.blocks.flatMap((block) => cutBlock(document.text, block, limit, options.countTokens));
  const groups = pack(pieces, limit, target, options.minTokens);
  return groups.map((group, index) => {
    const span = { start: (group[0] as Piece).span.start, end: (group.at(-1) as Piece).span.end };
    const tokens = total(group);
    const before = index === 0 ? undefined : groups[index - 1]?.at(-1);
    const start =
      before === undefined
        ? span.start
        : overlapStart(document.text, before, Math.min(options.overlapTokens, limit - tokens), options);
    return { span: { start: start ?? span.start, end: span.end }, section: body.section, tokens };
  });
}

/** Tokens that are left for the text when context and special tokens are in. */
function textLimit(document: Document, section: Section | undefined, options: MarkdownSectionsOptions): number {
  const most = Math.min(options.maxTokens, options.embedderMaxTokens);
  const context = options.countTokens(contextOf(document, section));
  // A context longer than half the window (a title of 300 words) must not squeeze the text out.
  return Math.max(Math.floor(most / 2), most - context - SPECIAL_TOKENS);
}

/** All in one when it fits; else up to the target, and no small rest when it can stay with its neighbour. */
function pack(pieces: readonly Piece[], limit: number, target: number, min: number): Piece[][] {
  if (total(pieces) <= limit) return pieces.length === 0 ? [] : [[...pieces]];
  const groups: Piece[][] = [];
  let current: Piece[] = [];
  let size = 0;
  for (const piece of pieces) {
    const full = size + piece.tokens > limit || (size >= min && size + piece.tokens > target);
    // A heading never ends a chunk: it belongs to what follows.
    if (full && current.length > 0 && current.at(-1)?.kind !== 'heading') {
      groups.push(current);
      current = [];
      size = 0;
    } else if (full && size + piece.tokens > limit && current.length > 0) {
      groups.push(current);
      current = [];
      size = 0;
    }
    current.push(piece);
    size += piece.tokens;
  }
  const last = groups.at(-1);
  if (last !== undefined && size < min && total(last) + size <= limit) last.push(...current);
  else groups.push(current);
  return groups;
}

const total = (pieces: readonly Piece[]): number => pieces.reduce((sum, piece) => sum + piece.tokens, 0);

/** Where the overlap begins: the last whole sentences of the piece before, at most `budget` tokens; code gives none. */
function overlapStart(
  text: string,
  before: Piece,
  budget: number,
  options: MarkdownSectionsOptions,
): number | undefined {
  if (budget <= 0 || before.kind === 'code' || before.kind === 'table' || before.kind === 'heading') return undefined;
  const spans = sentences(text.slice(before.span.start, before.span.end));
  let start: number | undefined;
  let used = 0;
  for (const span of spans.reverse()) {
    used += options.countTokens(text.slice(before.span.start + span.start, before.span.start + span.end));
    if (used > budget) break;
    start = before.span.start + span.start;
  }
  return start;
}

/** "Title > Heading > Subheading", the title once. */
function contextOf(document: Document, section: Section | undefined): string {
  const path = section?.path ?? [];
  return (path[0] === document.title ? path : [document.title, ...path]).join(' > ');
}

function finish(document: Document, drafts: readonly Draft[], options: MarkdownSectionsOptions): Chunk[] {
  const starts = lineStarts(document.text);
  const ids = drafts.map((draft, position) =>
    chunkId(document.id, position, document.text.slice(draft.span.start, draft.span.end)),
  );
  return drafts.map((draft, position) => {
    const text = document.text.slice(draft.span.start, draft.span.end);
    const context = contextOf(document, draft.section);
    const searchText = searchTextOf(document, draft.span, options.searchable);
    const lines = lineRange(starts, draft.span);
    const anchor = draft.section?.anchor;
    return {
      id: ids[position] as string,
      documentId: document.id,
      sourceId: document.sourceId,
      position,
      span: draft.span,
      text,
      context,
      ...(searchText === text ? {} : { searchText }),
      uri: document.uri,
      path: document.path,
      title: document.title,
      headingPath: draft.section?.path ?? [],
      ...(document.url === undefined
        ? {}
        : { url: anchor === undefined ? document.url : `${document.url}#${encodeURIComponent(anchor)}` }),
      type: document.type,
      language: document.language,
      tokenCount: options.countTokens(context) + options.countTokens(searchText),
      parentIds: [],
      metadata: chunkMetadata(document, draft.section, position, ids, lines),
    };
  });
}

/**
 * The span as people read it, block by block: what lies in no block (comments, imports) is left out, and a piece from
 * the middle of a fence is still code.
 */
function searchTextOf(document: Document, span: Span, searchable: Searchable): string {
  const parts: string[] = [];
  const first = firstTouching(document.blocks, span);
  for (const block of document.blocks.slice(first)) {
    if (block.span.start >= span.end) break;
    const slice = document.text.slice(Math.max(block.span.start, span.start), Math.min(block.span.end, span.end));
    const fenced = block.kind === 'code' && block.span.start >= span.start && FENCE.test(slice);
    parts.push(
      searchable(slice, document.type === 'text' || (block.kind === 'code' && !fenced) ? 'verbatim' : 'markdown'),
    );
  }
  return parts.filter((part) => part !== '').join('\n');
}

const FENCE = /^[\s>*+\d.)-]*(?:```|~~~)/;

/** Blocks are in order: the first that ends behind the span's start, by halving. */
function firstTouching(blocks: readonly Block[], span: Span): number {
  let [low, high] = [0, blocks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((blocks[middle] as Block).span.end <= span.start) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The fields of seed 000 ("Metadata Extraction", "Payload Design") beside the document's own. */
function chunkMetadata(
  document: Document,
  section: Section | undefined,
  position: number,
  ids: readonly string[],
  lines: { readonly start: number; readonly end: number },
): Metadata {
  const path = section?.path ?? [];
  const slug = document.metadata['slug'];
  return {
    ...document.metadata,
    doc_id: document.id,
    file_path: document.path,
    ...(section === undefined ? {} : { parent_sections: path.slice(0, -1), url_hash: `#${section.anchor}` }),
    url_slug: typeof slug === 'string' ? slug : (document.path.split('/').at(-1) ?? '').replace(/\.[^.]+$/, ''),
    chunk_index: position,
    total_chunks: ids.length,
    lineStart: lines.start,
    lineEnd: lines.end,
    ...(position > 0 ? { previous: ids[position - 1] as string } : {}),
    ...(position + 1 < ids.length ? { next: ids[position + 1] as string } : {}),
  };
}
