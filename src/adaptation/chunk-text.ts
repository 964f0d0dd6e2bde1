/** What the built-in model learns from: each chunk as its heading and its sentences, in word pieces. */
import type { Chunk } from '../core/types.ts';
import type { WordPieces } from '../static-model/word-pieces.ts';
import { sentences } from '../text/sentences.ts';

/** A half-open range of a text's pieces. */
export interface PieceRange {
  readonly from: number;
  readonly to: number;
}

export interface ChunkText {
  readonly id: string;
  readonly documentId: string;
  /** Equal for chunks of one section: they are never each other's wrong answers. */
  readonly section: string;
  /** Pieces of "title > headings". */
  readonly heading: Int32Array;
  /** Pieces of the text, without the heading that it begins with. */
  readonly body: Int32Array;
  /** Sentences of prose within `body` that stand in no other chunk. */
  readonly sentences: readonly PieceRange[];
}

/** A sentence must have so many pieces to be asked like a question, and a text so many left to answer it. */
const MIN_SENTENCE = 4;
export const MIN_BODY = 8;

/** Paragraphs, and what begins a line like a list item or a row. */
const BREAK = /\n\s*\n|\n(?=[-*|]|\d+\.)/;
/** Marks of comments, before the words. */
const COMMENT_MARKS = /^[ \t]*(?:\/?\*+|\/\/+|#+)[ \t]*/gm;

/** Chunks with too little text are left out. */
export function chunkTexts(chunks: readonly Chunk[], pieces: WordPieces): ChunkText[] {
  const parts = chunks.map((chunk) => partsOf(bodyOf(chunk)));
  // Boilerplate tells nothing of the text it stands in.
  const occurrences = new Map<string, number>();
  for (const own of parts) for (const part of new Set(own)) occurrences.set(part, (occurrences.get(part) ?? 0) + 1);
  return chunks.flatMap((chunk, i) => {
    const body: number[] = [];
    const found: PieceRange[] = [];
    for (const part of parts[i] ?? []) {
      const from = body.length;
      for (const id of pieces.ids(part)) if (id >= 0) body.push(id);
      const range = { from, to: body.length };
      if (occurrences.get(part) === 1 && range.to - from >= MIN_SENTENCE && isProse(part)) found.push(range);
    }
    if (body.length < MIN_BODY) return [];
    const { id, documentId, context } = chunk;
    const heading = Int32Array.from(pieces.ids(context).filter((piece) => piece >= 0));
    const section = context.trim() === '' ? id : context;
    return [{ id, documentId, section, heading, body: Int32Array.from(body), sentences: found }];
  });
}

/** The searched text without the heading that it begins with: the heading is what it has to be found by. */
export function bodyOf(chunk: Chunk): string {
  const text = chunk.searchText ?? chunk.text;
  const heading = chunk.headingPath.at(-1) ?? chunk.title;
  return heading !== '' && text.startsWith(heading) ? text.slice(heading.length) : text;
}

/** Sentences and list items, code between them as it comes. */
export const partsOf = (text: string): string[] =>
  text
    .split(BREAK)
    .flatMap((paragraph) => sentences(paragraph).map(({ start, end }) => paragraph.slice(start, end)))
    .map((part) => part.replace(COMMENT_MARKS, ''))
    .filter((part) => /\p{L}/u.test(part));

/** Words, not code: begins with a letter, is mostly letters, has four words and no line that ends like a statement. */
export function isProse(part: string): boolean {
  const text = part.trim();
  const letters = text.match(/[\p{L}\s]/gu)?.length ?? 0;
  const words = text.match(/\p{L}{2,}/gu)?.length ?? 0;
  return /^\p{L}/u.test(text) && letters >= 0.8 * text.length && words >= 4 && !/[{};=]\s*$/m.test(text);
}
