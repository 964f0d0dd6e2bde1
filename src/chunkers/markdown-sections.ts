/**
 * Header-first chunks (seed 000, "Chunking Strategy"): a section whole when it fits, else its blocks packed to the
 * target size; code and tables whole as long as they fit; overlap only inside a section that had to be cut.
 */
import type { Chunker } from '../core/contracts.ts';
import type { Document } from '../core/types.ts';
import type { CountTokens } from '../text/cut.ts';
import { bodies } from './bodies.ts';
import type { Body } from './bodies.ts';
import { contextWriter } from './context.ts';
import { toChunks } from './drafts.ts';
import type { Draft } from './drafts.ts';
import { SPECIAL_TOKENS } from './options.ts';
import type { ChunkerOptions } from './options.ts';
import { cutBlocks, pack } from './pack.ts';
import type { Group } from './pack.ts';
import { isByLine, sentenceSpans } from './pieces.ts';
import type { Piece } from './pieces.ts';

export default function markdownSections(options: ChunkerOptions): Chunker {
  return {
    chunk(document) {
      // The only chunker that never makes a chunk longer than the embedder takes, whatever `maxTokens` says.
      const most = options.maxTokens - SPECIAL_TOKENS;
      const contextOf = contextWriter(document, Math.floor(most / 2), options.countTokens);
      const drafts = bodies(document).flatMap((body) => {
        const context = contextOf(body.section);
        return cutBody(document, { ...body, context }, most - options.countTokens(context), options);
      });
      return toChunks(document, drafts, options);
    },
  };
}

/** @param limit Tokens that are left for the text when context and special tokens are in. */
function cutBody(
  document: Document,
  { blocks, section, context }: Body & { readonly context: string },
  limit: number,
  options: ChunkerOptions,
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
  if (before === undefined || before.span.end === start || isByLine(before) || before.kind === 'heading')
    return undefined;
  let overlap: number | undefined;
  let used = 0;
  for (const sentence of sentenceSpans(text, before.span).reverse()) {
    used += count(text.slice(sentence.start, sentence.end));
    if (used > budget || sentence.start === previous?.pieces[0]?.span.start) break;
    overlap = sentence.start;
  }
  return overlap;
}
