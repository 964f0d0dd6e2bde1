/**
 * Small pieces that are searched, and the sections around them (seed 002, "Two-Tier Chunking"): `maxChars` characters
 * over the whole text, whatever its headings, each linked to the sections that it touches.
 */
import type { Chunker } from '../core/contracts.ts';
import { parentId } from '../core/identity.ts';
import type { Document, Span } from '../core/types.ts';
import { sectionAt } from '../text/section-at.ts';
import { toChunks } from './drafts.ts';
import type { Draft } from './drafts.ts';
import { goodEnd, goodStart, nextText } from './near.ts';
import type { ChunkerOptions } from './options.ts';
import { parentsOf } from './parents.ts';
import type { Parent } from './parents.ts';
import { rooms } from './rooms.ts';

export default function twoTier(options: ChunkerOptions): Chunker {
  return {
    chunk(document) {
      const touching = parentReader(parentsOf(document, options.parentChars));
      const drafts = pieces(document, options).map((draft) => {
        const parents = touching(draft.span);
        return {
          ...draft,
          parentIds: parents.map(({ span }) => parentId(document.id, span)),
          metadata: { parent_paths: parents.map(({ path }) => path) },
        };
      });
      return toChunks(document, drafts, options);
    },
  };
}

function pieces(document: Document, options: ChunkerOptions): Draft[] {
  const { blocks, sections } = document;
  const roomOf = rooms(document, options);
  const last = blocks.at(-1)?.span.end ?? 0;
  const drafts: Draft[] = [];
  /** Where the text begins that no piece has yet. */
  let fresh = blocks[0]?.span.start ?? 0;
  let start = fresh;
  while (fresh < last) {
    const { section, context, tokens } = roomOf(sectionAt(sections, fresh));
    let end = pieceEnd(document, start, tokens, options);
    if (end <= fresh) {
      // What is repeated left no room for anything new.
      start = fresh;
      end = pieceEnd(document, start, tokens, options);
    }
    drafts.push({ span: { start, end }, section, context });
    // Behind `fresh`: no text is in three pieces.
    start = goodStart(document, start, Math.max(end - options.overlapChars, fresh + 1), end);
    fresh = nextText(document, end);
    if (start >= end) start = fresh;
  }
  return drafts;
}

/** At most `maxChars` characters and `room` tokens behind the start. */
function pieceEnd(
  document: Document,
  start: number,
  room: number,
  { maxChars, countTokens }: Pick<ChunkerOptions, 'maxChars' | 'countTokens'>,
): number {
  const { text, blocks } = document;
  const last = blocks.at(-1)?.span.end ?? 0;
  for (let wanted = Math.min(start + maxChars, last); ;) {
    const end = wanted >= last ? last : goodEnd(document, start, wanted);
    const tokens = countTokens(text.slice(start, end));
    if (tokens <= room || wanted - start <= 1) return end;
    wanted = start + Math.max(1, Math.min(end - start - 1, Math.floor(((end - start) * room * 0.95) / tokens)));
  }
}

/** The parents of one piece after the other: those that share at least one character with it. */
function parentReader(parents: readonly Parent[]): (span: Span) => readonly Parent[] {
  let first = 0;
  return ({ start, end }) => {
    while ((parents[first]?.span.end ?? Infinity) <= start) first++;
    let behind = first;
    while ((parents[behind]?.span.start ?? Infinity) < end) behind++;
    return parents.slice(first, behind);
  };
}
