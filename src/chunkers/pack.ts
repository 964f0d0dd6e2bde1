/** What stands below one heading, filled into chunks: whole blocks, up to the target size. */
import type { ChunkSettings } from '../core/settings.ts';
import type { Block } from '../core/types.ts';
import { tokensBehind } from '../text/cut.ts';
import type { CountTokens } from '../text/cut.ts';
import { cutBlock, isByLine } from './pieces.ts';
import type { Piece } from './pieces.ts';

/** All blocks as pieces that fit, the first one behind a heading together with it: but code and lines stay whole. */
export function cutBlocks(text: string, blocks: readonly Block[], limit: number, options: PackOptions): Piece[] {
  const { countTokens: count, targetTokens: target } = options;
  const pieces: Piece[] = [];
  let heading = 0;
  for (const block of blocks) {
    let own = cutBlock(text, block, limit, Math.min(target, limit), count);
    const byLine = isByLine(block);
    if (heading + (own[0]?.tokens ?? 0) > limit && heading <= limit / 2 && !(byLine && own.length === 1)) {
      const rest = limit - heading;
      own = cutBlock(text, block, byLine ? limit : rest, Math.min(target, rest), count);
    }
    for (const piece of own) pieces.push(piece);
    const tokens = block.kind === 'heading' ? (own[0]?.tokens ?? 0) : 0;
    heading = tokens > 0 && heading + tokens <= limit / 2 ? heading + tokens : tokens;
  }
  return pieces;
}

export interface PackOptions extends Pick<ChunkSettings, 'minTokens' | 'targetTokens'> {
  readonly countTokens: CountTokens;
}

/** The pieces of one chunk. */
export interface Group {
  readonly pieces: readonly Piece[];
  readonly tokens: number;
}

/** All in one when it fits; else up to the target, and no small rest when it can stay with its neighbour. */
export function pack(text: string, pieces: readonly Piece[], limit: number, options: PackOptions): Group[] {
  const { minTokens, countTokens } = options;
  const target = Math.min(options.targetTokens, limit);
  const added = (before: Piece | undefined, piece: Piece): number => tokensBehind(text, before, piece, countTokens);
  const groupOf = (members: readonly Piece[]): Group => ({
    pieces: members,
    tokens: members.reduce((sum, piece, i) => sum + added(members[i - 1], piece), 0),
  });
  const whole = groupOf(pieces);
  if (whole.tokens <= limit) return pieces.length === 0 ? [] : [whole];

  const groups: Group[] = [];
  let current: Piece[] = [];
  let size = 0;
  /** Ends the chunk before its last `kept` pieces, which begin the next one. */
  const close = (kept: number): void => {
    if (current.length > kept) groups.push(groupOf(current.slice(0, current.length - kept)));
    current = kept === 0 ? [] : current.slice(-kept);
    size = groupOf(current).tokens;
  };
  for (const piece of pieces) {
    const full = size + added(current.at(-1), piece);
    // A heading never ends a chunk when it can go with what follows.
    if (full > limit || (size >= minTokens && full > target)) close(headingsAtEnd(current, limit - piece.tokens));
    size += added(current.at(-1), piece);
    current.push(piece);
  }
  const last = groups.at(-1);
  const joined = groupOf([...(last?.pieces ?? []), ...current]);
  if (last !== undefined && size < minTokens && joined.tokens <= limit) groups[groups.length - 1] = joined;
  else close(0);
  return groups;
}

/** How many headings stand at the end, of those that fit into `room` tokens. */
function headingsAtEnd(pieces: readonly Piece[], room: number): number {
  let kept = 0;
  let left = room;
  for (const { kind, tokens } of pieces.toReversed()) {
    left -= tokens;
    if (kind !== 'heading' || left < 0) break;
    kept++;
  }
  return kept;
}
