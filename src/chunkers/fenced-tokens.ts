/**
 * Large pieces for the pages of a website (seed 004, "Chunker"): about `targetTokens`, fenced code never cut as long as
 * it fits, and rather cut at a heading that is near than full.
 */
import type { Chunker } from '../core/contracts.ts';
import type { Document } from '../core/types.ts';
import { tokensBehind } from '../text/cut.ts';
import { bodies } from './bodies.ts';
import type { Body } from './bodies.ts';
import { toChunks } from './drafts.ts';
import type { Draft } from './drafts.ts';
import type { ChunkerOptions } from './options.ts';
import { overlapOf } from './overlap.ts';
import { cutBlocks } from './pack.ts';
import type { Piece } from './pieces.ts';
import { rooms } from './rooms.ts';
import type { Room } from './rooms.ts';

export default function fencedTokens(options: ChunkerOptions): Chunker {
  return { chunk: (document) => toChunks(document, draftsOf(document, options), options) };
}

interface Placed extends Piece {
  readonly body: Body;
  readonly room: Room;
}

function draftsOf(document: Document, options: ChunkerOptions): Draft[] {
  const { text } = document;
  const roomOf = rooms(document, options);
  const pieces = bodies(document).flatMap((body) => {
    const room = roomOf(body.section);
    return cutBlocks(text, body.blocks, room.tokens, options).map((piece): Placed => ({ ...piece, body, room }));
  });
  const drafts: Draft[] = [];
  let before = 0;
  for (let at = 0; at < pieces.length;) {
    const { span, room, tokens } = pieces[at] as Placed;
    const budget = Math.min(options.overlapTokens, room.tokens - tokens);
    const overlap = overlapOf(document, pieces.slice(before, at), span.start, budget, options.countTokens);
    const next = boundary(text, pieces, at, room.tokens - (overlap?.tokens ?? 0), options);
    const { end } = (pieces[next - 1] as Placed).span;
    drafts.push({ section: room.section, context: room.context, span: { start: overlap?.start ?? span.start, end } });
    before = at;
    at = next;
  }
  return drafts;
}

/**
 * Index behind the last piece of the chunk that begins with piece `from`. All that is left, when it fits; else the
 * heading nearest to the target, of those that leave at least half of it; else the last piece up to the target.
 */
function boundary(
  text: string,
  pieces: readonly Placed[],
  from: number,
  limit: number,
  { targetTokens, minTokens, countTokens }: ChunkerOptions,
): number {
  const target = Math.min(targetTokens, limit);
  let heading: { readonly at: number; readonly distance: number } | undefined;
  let full: { readonly at: number; readonly size: number } | undefined;
  let size = (pieces[from] as Placed).tokens;
  for (let at = from + 1; ; at++) {
    const [before, piece] = [pieces[at - 1] as Placed, pieces[at]];
    if (piece === undefined) return at;
    // A chunk may end here, with `size` tokens, unless a heading would be parted from what it stands over.
    if (before.kind !== 'heading' || before.body !== piece.body) {
      const distance = Math.abs(size - target);
      const isNear = size >= Math.max(minTokens, target / 2) && distance < (heading?.distance ?? Infinity);
      if (piece.kind === 'heading' && isNear) heading = { at, distance };
      if (size <= target || full === undefined || full.size < minTokens) full = { at, size };
    }
    size += tokensBehind(text, before, piece, countTokens);
    if (size > limit) return (heading ?? full)?.at ?? at;
  }
}
