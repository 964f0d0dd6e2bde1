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
import { contextWriter } from './context.ts';
import { cutBlocks, pack } from './pack.ts';
import type { Group } from './pack.ts';
import type { CountTokens, Piece } from './pieces.ts';

export interface MarkdownSectionsOptions extends ChunkSettings {
  /** The embedder's own tokenizer and limit (special tokens included in the limit). */
  readonly countTokens: CountTokens;
  readonly embedderMaxTokens: number;
  /** What is embedded and searched instead of a slice of the text: marks and link targets out. */
  readonly searchable: Searchable;
}

/** `verbatim`: code, and plain text, in which marks are characters like others. */
export type Searchable = (slice: string, as: 'markdown' | 'wiki' | 'verbatim') => string;

/** Room for a model's begin and end marks. */
const SPECIAL_TOKENS = 2;

export default function markdownSections(options: MarkdownSectionsOptions): Chunker {
  return {
    chunk(document) {
      const most = Math.min(options.maxTokens, options.embedderMaxTokens) - SPECIAL_TOKENS;
      const contextOf = contextWriter(document, Math.floor(most / 2), options.countTokens);
      const drafts = bodies(document).flatMap((body) => {
        const context = contextOf(body.section);
        return cutBody(document, { ...body, context }, most - options.countTokens(context), options);
      });
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
  readonly context: string;
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

/** @param limit Tokens that are left for the text when context and special tokens are in. */
function cutBody(
  document: Document,
  { blocks, section, context }: Body & { readonly context: string },
  limit: number,
  options: MarkdownSectionsOptions,
): Draft[] {
  const { text } = document;
  const groups = pack(text, cutBlocks(text, blocks, limit, options), limit, options);
  return groups.map(({ pieces, tokens }, index) => {
    const { start } = (pieces[0] as Piece).span;
    const budget = Math.min(options.overlapTokens, limit - tokens);
    const overlap = overlapStart(text, groups[index - 1], start, budget, options.countTokens);
    return { span: { start: overlap ?? start, end: (pieces.at(-1) as Piece).span.end }, section, context };
  });
}

/**
 * Where the overlap begins: the last whole sentences of the piece before, at most `budget` tokens and never all of its
 * chunk. Code gives none, nor does a line that had to be cut.
 */
function overlapStart(
  text: string,
  previous: Group | undefined,
  start: number,
  budget: number,
  count: CountTokens,
): number | undefined {
  const before = previous?.pieces.at(-1);
  if (before === undefined || before.span.end === start) return undefined;
  if (before.kind === 'code' || before.kind === 'table' || before.kind === 'heading') return undefined;
  let overlap: number | undefined;
  let used = 0;
  for (const sentence of sentences(text.slice(before.span.start, before.span.end)).reverse()) {
    const at = before.span.start + sentence.start;
    used += count(text.slice(at, before.span.start + sentence.end));
    if (used > budget || at === previous?.pieces[0]?.span.start) break;
    overlap = at;
  }
  return overlap;
}

function finish(document: Document, drafts: readonly Draft[], options: MarkdownSectionsOptions): Chunk[] {
  const starts = lineStarts(document.text);
  const ids = drafts.map((draft, position) =>
    chunkId(document.id, position, document.text.slice(draft.span.start, draft.span.end)),
  );
  return drafts.map((draft, position) => {
    const text = document.text.slice(draft.span.start, draft.span.end);
    const { context } = draft;
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
  const { blocks } = document;
  for (let i = firstTouching(blocks, span); i < blocks.length; i++) {
    const block = blocks[i] as Block;
    if (block.span.start >= span.end) break;
    const slice = document.text.slice(Math.max(block.span.start, span.start), Math.min(block.span.end, span.end));
    const fenced = block.kind === 'code' && block.span.start >= span.start && FENCE.test(slice);
    const verbatim = document.type === 'text' || (block.kind === 'code' && !fenced);
    parts.push(searchable(slice, verbatim ? 'verbatim' : (document.markup ?? 'markdown')));
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
