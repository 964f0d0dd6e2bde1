/** What of a chunk is embedded and searched. */
import type { Block, Document, Span } from '../core/types.ts';
import { firstTouching } from '../text/section-at.ts';
import type { Searchable } from './options.ts';

/**
 * The span as people read it, block by block: what lies in no block (comments, imports) is left out, and a piece from
 * the middle of a fence is still code.
 */
export function searchedText(document: Document, span: Span, searchable: Searchable): string {
  const parts: string[] = [];
  const { blocks } = document;
  for (let i = firstTouching(blocks, span.start); i < blocks.length; i++) {
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
