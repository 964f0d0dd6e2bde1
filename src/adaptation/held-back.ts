/** Pairs that the training never sees: questions made of the texts, for which the right text is known. */
import { sha256 } from '../core/identity.ts';
import type { Chunk } from '../core/types.ts';
import { bodyOf, isProse, partsOf } from './chunk-text.ts';

/** What is searched, and the questions asked of it. */
export interface HeldBack {
  readonly chunks: readonly Chunk[];
  /** The section of each chunk: others of the section that a question was taken from may answer it as well. */
  readonly sections: readonly string[];
  readonly pairs: readonly HeldBackPair[];
}

export interface HeldBackPair {
  readonly question: string;
  /** Takes the place of the chunk of its id: the same without the words that were made the question. */
  readonly answer: Chunk;
}

/** One chunk of this many is held back. */
const SHARE = 5;
/** A heading of fewer words asks nothing in particular. */
const MIN_WORDS = 2;

/** Uniform, and the same in every run and wherever the documents lie. */
const numberOf = ({ path, position, text }: Chunk): number =>
  Number.parseInt(sha256(`${path}\n${String(position)}\n${text}`).slice(0, 12), 16);

export const isHeldBack = (chunk: Chunk): boolean => numberOf(chunk) % SHARE === 0;

const sectionOf = ({ context, documentId, id }: Chunk): string =>
  context.trim() === '' ? id : `${documentId}\n${context}`;

/**
 * Sentences, asked of the chunks as they are searched. Headings, asked of the texts alone: while the answer lacks its
 * heading, others would be found by theirs, and the more so the better a model knows headings.
 */
export function heldBack(chunks: readonly Chunk[], most: number): { sentences: HeldBack; headings: HeldBack } {
  const without = chunks.map(withoutHeading);
  const sections = chunks.map(sectionOf);
  return {
    sentences: { chunks, sections, pairs: sentencePairs(chunks).slice(0, most / 2) },
    headings: { chunks: without, sections, pairs: headingPairs(chunks, without).slice(0, most / 2) },
  };
}

const withoutHeading = (chunk: Chunk): Chunk => ({
  ...chunk,
  path: '',
  title: '',
  context: '',
  headingPath: [],
  searchText: bodyOf(chunk),
});

/** The heading, or the title where there is none, of sections that have it alone. */
function headingPairs(chunks: readonly Chunk[], without: readonly Chunk[]): HeldBackPair[] {
  const headingOf = ({ headingPath, title }: Chunk): string => headingPath.at(-1) ?? title;
  const bySection = new Map(chunks.map((chunk) => [sectionOf(chunk), headingOf(chunk)]));
  const sections = counted(bySection.values());
  return chunks.flatMap((chunk, i) => {
    const question = headingOf(chunk);
    if (!isHeldBack(chunk) || sections.get(question) !== 1 || wordCount(question) < MIN_WORDS) return [];
    return [{ question, answer: without[i] as Chunk }];
  });
}

/** One sentence a chunk that no other chunk has. */
function sentencePairs(chunks: readonly Chunk[]): HeldBackPair[] {
  const parts = chunks.map((chunk) => [...new Set(partsOf(bodyOf(chunk)))]);
  const occurrences = counted(parts.flat());
  return chunks.flatMap((chunk, i) => {
    if (!isHeldBack(chunk)) return [];
    const single = (parts[i] as string[]).filter((part) => occurrences.get(part) === 1 && isProse(part));
    const question = single[Math.floor(numberOf(chunk) / SHARE) % Math.max(1, single.length)];
    const text = chunk.searchText ?? chunk.text;
    const at = question === undefined ? -1 : text.indexOf(question);
    if (question === undefined || at === -1) return [];
    const rest = `${text.slice(0, at)} ${text.slice(at + question.length)}`;
    if (wordCount(rest) === 0) return [];
    return [{ question, answer: { ...chunk, searchText: rest } }];
  });
}

function counted(values: Iterable<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

const wordCount = (text: string): number => text.match(/\p{L}{2,}/gu)?.length ?? 0;
