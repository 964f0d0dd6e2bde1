/** The real parser, tokenizer and chunker on a text, and what every chunking has to keep. */
import { expect } from 'vitest';
import { parentId, parentSpan } from '../../src/core/identity.ts';
import type { Block, Chunk, Document, Span } from '../../src/core/types.ts';
import type { ChunkSettings } from '../../src/core/settings.ts';
import type { Embedder } from '../../src/core/contracts.ts';
import { presetSettings } from '../../src/presets/preset-settings.ts';
import { openChunker, openEmbedder } from '../../src/registry.ts';
import { parse, slice, type ParseOptions } from '../parsers/parse.ts';

const settings = presetSettings('default');

export const embedder: Embedder = (await openEmbedder(settings)) as Embedder;
export const count = (text: string): number => embedder.countTokens(text);

/** The sizes of the default preset. */
export const SIZES: ChunkSettings = settings.chunk;

/** So small that short texts are cut. */
export const SMALL: ChunkSettings = {
  ...SIZES,
  ...{ minTokens: 12, targetTokens: 40, maxTokens: 60, overlapTokens: 10 },
  ...{ maxChars: 160, overlapChars: 30, parentChars: 400 },
};

/** All chunkers. */
export const CHUNKERS: readonly ChunkSettings['use'][] = [
  'markdown-sections',
  'fixed-tokens',
  'two-tier',
  'fenced-tokens',
  'semantic',
];

export interface Chunked {
  readonly document: Document;
  readonly chunks: readonly Chunk[];
  readonly sizes: ChunkSettings;
}

export async function chunkDocument(document: Document, sizes: ChunkSettings = SIZES): Promise<Chunked> {
  const chunker = await openChunker({ ...settings, chunk: sizes }, embedder);
  return { document, chunks: await chunker.chunk(document), sizes };
}

export const chunk = async (text: string, sizes = SIZES, options: ParseOptions = {}): Promise<Chunked> =>
  chunkDocument(await parse(text, options), sizes);

/** Room that a model needs for its begin and end marks. */
const SPECIAL_TOKENS = 2;

/** Everything that holds for every chunking of every document. */
export function checkChunks(chunked: Chunked): void {
  checkPlaces(chunked);
  checkCoverage(chunked);
  checkSizes(chunked);
  checkLinks(chunked);
  CHECKS[chunked.sizes.use](chunked);
}

/** What one chunker promises beyond that. */
const CHECKS: Readonly<Record<ChunkSettings['use'], (chunked: Chunked) => void>> = {
  'markdown-sections'(chunked) {
    checkSectionOverlap(chunked);
    checkWholeBlocks(chunked);
    checkHeadings(chunked);
  },
  'fixed-tokens'(chunked) {
    checkRepeated(chunked, count, chunked.sizes.overlapTokens);
  },
  'two-tier'(chunked) {
    checkRepeated(chunked, (text) => text.length, chunked.sizes.overlapChars);
    for (const { text } of chunked.chunks) expect(text.length).toBeLessThanOrEqual(chunked.sizes.maxChars);
    checkParents(chunked);
  },
  'fenced-tokens'(chunked) {
    checkRepeated(chunked, count, chunked.sizes.overlapTokens);
    checkWholeBlocks(chunked);
    checkOverlapBegins(chunked);
  },
  semantic(chunked) {
    checkRepeated(chunked, count, 0);
    checkWholeBlocks(chunked);
    checkHeadings(chunked);
  },
};

function checkPlaces({ document, chunks }: Chunked): void {
  let [start, end] = [-1, -1];
  for (const chunk of chunks) {
    expect(chunk.text).toBe(slice(document, chunk));
    expect(chunk.text.trim()).not.toBe('');
    expect(chunk.span.start).toBeGreaterThan(start);
    expect(chunk.span.end).toBeGreaterThan(end);
    expect(cutsCharacter(document.text, chunk.span.start)).toBe(false);
    expect(cutsCharacter(document.text, chunk.span.end)).toBe(false);
    ({ start, end } = chunk.span);
  }
}

const cutsCharacter = (text: string, at: number): boolean =>
  /[\ud800-\udbff]/u.test(text.charAt(at - 1)) && /[\udc00-\udfff]/u.test(text.charAt(at));

/** No character but white space is outside of the chunks and the exclusions. */
function checkCoverage({
  document,
  chunks,
}: Pick<Chunked, 'document'> & { chunks: readonly Pick<Chunk, 'span'>[] }): void {
  const parts = [...chunks, ...document.exclusions].map(({ span }) => span).sort((a, b) => a.start - b.start);
  let covered = 0;
  for (const { start, end } of [...parts, { start: document.text.length, end: document.text.length }]) {
    expect(document.text.slice(covered, Math.max(covered, start)).trim()).toBe('');
    covered = Math.max(covered, end);
  }
}

/**
 * What is embedded fits, context and special tokens included. Where a mark was cut in two, what is read between the
 * halves may join words and have more tokens than the text that fits.
 */
function checkSizes({ chunks, sizes }: Chunked): void {
  for (const { tokenCount, context, text, searchText = text } of chunks) {
    expect(tokenCount).toBe(count(context) + count(searchText));
    const tokens = Math.min(count(`${context}\n${searchText}`), count(`${context}\n${text}`));
    expect(tokens + SPECIAL_TOKENS).toBeLessThanOrEqual(sizes.maxTokens);
  }
}

/** Only sentences of prose are repeated, inside a section that was cut, and not too many. */
function checkSectionOverlap({ document, chunks, sizes }: Chunked): void {
  chunks.forEach((chunk, i) => {
    const before = chunks[i - 1];
    if (before === undefined || chunk.span.start >= before.span.end) return;
    const repeated = { span: { start: chunk.span.start, end: before.span.end } };
    expect(chunk.metadata['url_hash']).toBe(before.metadata['url_hash']);
    expect(count(slice(document, repeated))).toBeLessThanOrEqual(sizes.overlapTokens);
    expect(blocksIn(document, repeated).map(({ kind }) => kind)).not.toContain('code');
    expect(blocksIn(document, repeated).map(({ kind }) => kind)).not.toContain('table');
  });
}

const blocksIn = ({ blocks }: Document, chunk: Pick<Chunk, 'span'>): readonly Block[] => touching(blocks, chunk);

/** Parts that share characters with another one; they are in order, by their ends too. */
function touching<T extends Pick<Chunk, 'span'>>(parts: readonly T[], { span }: Pick<Chunk, 'span'>): readonly T[] {
  let [low, high] = [0, parts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((parts[middle] as T).span.end <= span.start) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (end < parts.length && (parts[end] as T).span.start < span.end) end++;
  return parts.slice(low, end);
}

/** Tokens that a chunk has for its text. */
const roomOf = ({ context }: Chunk, { sizes }: Chunked): number => sizes.maxTokens - count(context) - SPECIAL_TOKENS;

/** Code and tables that fit are in one chunk; others are cut at the ends of lines, as long as these fit. */
function checkWholeBlocks(chunked: Chunked): void {
  const { document, chunks } = chunked;
  for (const block of document.blocks.filter(({ kind }) => kind === 'code' || kind === 'table')) {
    const holding = touching(chunks, block);
    if (holding.some(({ span }) => span.start <= block.span.start && block.span.end <= span.end)) continue;
    // What begins inside of it stands under the block's own heading.
    const first = holding.at(-1) as Chunk;
    expect(count(slice(document, block))).toBeGreaterThan(roomOf(first, chunked));
    for (const cut of holding.slice(1).map(({ span }) => span.start)) {
      const line = lineAround(document.text, cut);
      if (count(slice(document, { span: line })) <= roomOf(first, chunked)) {
        expect(document.text.slice(line.start, cut).trim()).toBe('');
      }
    }
  }
}

function lineAround(text: string, at: number): { readonly start: number; readonly end: number } {
  let [start, end] = [at, at];
  while (start > 0 && !/[\r\n]/u.test(text.charAt(start - 1))) start--;
  while (end < text.length && !/[\r\n]/u.test(text.charAt(end))) end++;
  return { start, end };
}

/**
 * A chunk never ends with a heading whose own text is in the next one, unless that is code or a table to be kept whole,
 * or the headings one below the other fill half of the room.
 */
function checkHeadings(chunked: Chunked): void {
  const { document, chunks } = chunked;
  const following = new Map(document.blocks.map((block, i) => [block, document.blocks[i + 1]]));
  for (const chunk of chunks.slice(0, -1)) {
    const blocks = blocksIn(document, chunk);
    const headings = blocks.slice(blocks.findLastIndex(({ kind }) => kind !== 'heading') + 1);
    const last = headings.at(-1);
    if (last === undefined || last.span.end > chunk.span.end) continue;
    const next = following.get(last);
    if (next === undefined || next.kind === 'heading') continue;
    const tokens = headings.reduce((sum, heading) => sum + count(slice(document, heading)), 0);
    const kept = next.kind === 'code' || next.kind === 'table' || tokens > roomOf(chunk, chunked) / 2;
    expect(kept ? '' : slice(document, last)).toBe('');
    expect(tokens + count(slice(document, next))).toBeGreaterThan(roomOf(chunk, chunked));
  }
}

function checkLinks({ document, chunks }: Chunked): void {
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(chunks.length);
  chunks.forEach((chunk, position) => {
    expect(chunk.position).toBe(position);
    expect(chunk.metadata).toMatchObject({ chunk_index: position, total_chunks: chunks.length, doc_id: document.id });
    expect(chunk.metadata['previous']).toBe(chunks[position - 1]?.id);
    expect(chunk.metadata['next']).toBe(chunks[position + 1]?.id);
  });
}

/** A chunk repeats the end of the one before at most, and no more of it than is allowed. */
function checkRepeated({ document, chunks }: Chunked, size: (text: string) => number, most: number): void {
  chunks.forEach(({ span }, i) => {
    const [before, beforeThat] = [chunks[i - 1], chunks[i - 2]];
    expect(span.start).toBeGreaterThanOrEqual(beforeThat?.span.end ?? 0);
    if (before === undefined || span.start >= before.span.end) return;
    expect(size(document.text.slice(span.start, before.span.end))).toBeLessThanOrEqual(most);
  });
}

/** What is repeated never begins inside of code or a table. */
function checkOverlapBegins({ document, chunks }: Chunked): void {
  chunks.forEach(({ span }, i) => {
    if (span.start >= (chunks[i - 1]?.span.end ?? 0)) return;
    const [block] = blocksIn(document, { span });
    if (block?.kind === 'code' || block?.kind === 'table') expect(span.start).toBeLessThanOrEqual(block.span.start);
  });
}

/** Sections that share no text, leave none out and are not too long; each chunk knows those that it touches. */
function checkParents({ document, chunks, sizes }: Chunked): void {
  const known = new Map<string, Span>();
  for (const { span, parentIds, metadata } of chunks) {
    expect(parentIds.length).toBeGreaterThan(0);
    expect(metadata['parent_paths']).toHaveLength(parentIds.length);
    const parents = parentIds.map((id) => parentSpan(id));
    for (const [i, parent] of parents.entries()) {
      expect(parent?.documentId).toBe(document.id);
      const own = parent?.span as Span;
      expect(own.end - own.start).toBeLessThanOrEqual(sizes.parentChars);
      expect(own.start < span.end && span.start < own.end).toBe(true);
      known.set(parentIds[i] as string, own);
    }
  }
  const spans = [...known.values()].sort((a, b) => a.start - b.start);
  spans.forEach(({ start }, i) => expect(start).toBeGreaterThanOrEqual(spans[i - 1]?.end ?? 0));
  checkCoverage({ document, chunks: spans.map((span) => ({ span })) });
  for (const { span, parentIds } of chunks) {
    const touched = spans.filter(({ start, end }) => start < span.end && span.start < end);
    expect(parentIds).toEqual(touched.map((own) => parentId(document.id, own)));
  }
}
