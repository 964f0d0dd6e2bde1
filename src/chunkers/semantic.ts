/**
 * Cut where the meaning of neighbouring sentences parts (seed 001, "Planned Improvements"; Kamradt 2023): two
 * sentences before a place and two behind it are embedded, and the places where these are least alike are boundaries.
 * Headings always are; code and tables are one sentence each.
 */
import type { CallOptions, Chunker, Embedder } from '../core/contracts.ts';
import { RagError } from '../core/errors.ts';
import type { Block, Document, Span } from '../core/types.ts';
import { tokensBehind } from '../text/cut.ts';
import { bodies } from './bodies.ts';
import { toChunks } from './drafts.ts';
import type { Draft } from './drafts.ts';
import type { ChunkerOptions } from './options.ts';
import { cutBlocks } from './pack.ts';
import { isByLine, sentenceSpans } from './pieces.ts';
import type { Piece } from './pieces.ts';
import { rooms } from './rooms.ts';
import type { Room } from './rooms.ts';
import { searchedText } from './searched.ts';

export interface SemanticOptions extends ChunkerOptions {
  /** The embedder of the index; without one, the built-in. */
  readonly embedder: Pick<Embedder, 'embed' | 'maxBatch'>;
}

export default function semantic(options: SemanticOptions): Chunker {
  return {
    async chunk(document, callOptions = {}) {
      const roomOf = rooms(document, options);
      const all = bodies(document).map(({ section, blocks }) => {
        const room = roomOf(section);
        return { room, pieces: cutFinely(document, blocks, room, options) };
      });
      const apart = await distances(document, all, options, callOptions);
      const threshold = percentile([...apart.values()], options.breakPercentile);
      const drafts = all.flatMap(({ room, pieces }) =>
        groupsOf(document.text, pieces, apart, threshold, room.tokens, options).map((span): Draft => ({
          section: room.section,
          context: room.context,
          span,
        })),
      );
      return toChunks(document, drafts, options);
    },
  };
}

interface Pieces {
  readonly room: Room;
  readonly pieces: readonly Piece[];
}

/** Headings, sentences, fences and tables, in order. */
function cutFinely({ text }: Document, blocks: readonly Block[], room: Room, options: ChunkerOptions): Piece[] {
  const fine = blocks.flatMap((block) =>
    block.kind === 'heading' || isByLine(block)
      ? [block]
      : sentenceSpans(text, block.span).map((span): Block => ({ ...block, span })),
  );
  return cutBlocks(text, fine, room.tokens, options);
}

/**
 * How far the text before a piece is from the text that begins with it: 1 - cosine. Only of pieces that a boundary may
 * stand before: none behind a heading, and none where all is too small to be cut.
 */
async function distances(
  document: Document,
  all: readonly Pieces[],
  options: SemanticOptions,
  callOptions: CallOptions,
): Promise<ReadonlyMap<Piece, number>> {
  const windows: Span[] = [];
  const places: { readonly piece: Piece; readonly before: number; readonly behind: number }[] = [];
  for (const { pieces } of all) {
    const units = pieces.filter(({ kind }) => kind !== 'heading');
    if (units.length < 2 || pieces.reduce((sum, { tokens }) => sum + tokens, 0) <= options.minTokens) continue;
    // Window 0 is unit 0, window i units i - 1 and i, the last one the last unit: before unit i ends window i - 1.
    const first = windows.length;
    for (let i = 0; i <= units.length; i++) {
      const [one, two] = [units[Math.max(0, i - 1)] as Piece, units[Math.min(i, units.length - 1)] as Piece];
      windows.push({ start: one.span.start, end: two.span.end });
    }
    const behindHeading = new Set(pieces.filter((_, i) => pieces[i - 1]?.kind === 'heading'));
    units.forEach((piece, i) => {
      if (i === 0 || behindHeading.has(piece)) return;
      places.push({ piece, before: first + i - 1, behind: first + i + 1 });
    });
  }
  const texts = windows.map((span) => searchedText(document, span, options.searchable));
  const vectors = await embedAll(texts, options.embedder, callOptions);
  return new Map(places.map(({ piece, before, behind }) => [piece, 1 - dot(vectors[before], vectors[behind])]));
}

async function embedAll(
  texts: readonly string[],
  embedder: SemanticOptions['embedder'],
  callOptions: CallOptions,
): Promise<readonly Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (let at = 0; at < texts.length; at += embedder.maxBatch) {
    for (const vector of await embedder.embed(texts.slice(at, at + embedder.maxBatch), 'passage', callOptions))
      vectors.push(vector);
  }
  return vectors;
}

function dot(a: Float32Array | undefined, b: Float32Array | undefined): number {
  if (a === undefined || b === undefined)
    throw new RagError('internal', 'the embedder returned fewer vectors than texts');
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}

/** Between the two values that it falls between, as far as it does; Infinity of none. */
function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (percent / 100) * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return low === undefined || high === undefined ? Infinity : low + (high - low) * (place - Math.floor(place));
}

interface Group {
  /** Index behind its last piece. */
  readonly at: number;
  readonly size: number;
}

/** What stands under one heading as chunks. */
function groupsOf(
  text: string,
  pieces: readonly Piece[],
  apart: ReadonlyMap<Piece, number>,
  threshold: number,
  limit: number,
  options: SemanticOptions,
): Span[] {
  const groups: Group[] = [];
  for (let from = 0; from < pieces.length; from = (groups.at(-1) as Group).at) {
    groups.push(groupFrom(from, text, pieces, apart, threshold, limit, options));
  }
  const [rest, last] = [groups.at(-1), groups.at(-2)];
  if (rest !== undefined && last !== undefined && rest.size < options.minTokens && last.size + rest.size <= limit) {
    groups.splice(-2, 2, rest);
  }
  return groups.map(({ at }, i) => ({
    start: (pieces[groups[i - 1]?.at ?? 0] as Piece).span.start,
    end: (pieces[at - 1] as Piece).span.end,
  }));
}

/** Up to the next boundary; where none comes before the chunk is full, up to the best place in its second half. */
function groupFrom(
  from: number,
  text: string,
  pieces: readonly Piece[],
  apart: ReadonlyMap<Piece, number>,
  threshold: number,
  limit: number,
  { minTokens, countTokens }: SemanticOptions,
): Group {
  let size = (pieces[from] as Piece).tokens;
  let best: (Group & { readonly distance: number }) | undefined;
  for (let at = from + 1; ; at++) {
    const piece = pieces[at];
    if (piece === undefined) return { at, size };
    const distance = apart.get(piece) ?? -1;
    if (distance > threshold && size >= minTokens) return { at, size };
    if (size >= limit / 2 && distance > (best?.distance ?? -1)) best = { at, size, distance };
    const grown = size + tokensBehind(text, pieces[at - 1], piece, countTokens);
    if (grown > limit) return best ?? { at, size };
    size = grown;
  }
}
