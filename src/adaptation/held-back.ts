/** Pairs that the training never sees: questions made of the texts, for which the right text is known. */
import type { Chunk } from '../core/types.ts';
import { bodyOf, isProse, partsOf } from './chunk-text.ts';

export interface HeldBackPair {
  readonly question: string;
  /** The chunk that answers it, without the words that were made the question. */
  readonly answer: Chunk;
}

/** One chunk of this many is held back. */
const SHARE = 7;
/** A heading or a sentence of fewer words asks nothing in particular. */
const MIN_WORDS = 2;

/** Decided by the chunk's id, which says what and where it is: the same chunks in every run. */
export const isHeldBack = ({ id }: Pick<Chunk, 'id'>): boolean => Number.parseInt(id.slice(-8), 16) % SHARE === 0;

/** Of each chunk that is held back its heading and one sentence, where no other chunk has the same. */
export function heldBackPairs(chunks: readonly Chunk[]): HeldBackPair[] {
  const headings = counted(sectionsOf(chunks));
  const parts = chunks.map((chunk) => partsOf(bodyOf(chunk)));
  const sentences = counted(parts.flatMap((own) => [...new Set(own)]));
  return chunks.flatMap((chunk, i) => {
    if (!isHeldBack(chunk)) return [];
    const heading = chunk.headingPath.at(-1) ?? '';
    const single = (parts[i] as string[]).filter((part) => sentences.get(part) === 1 && isProse(part));
    const sentence = single[Number.parseInt(chunk.id.slice(-12, -8), 16) % Math.max(1, single.length)];
    return [
      ...(headings.get(heading) === 1 && wordCount(heading) >= MIN_WORDS ? [askHeading(chunk, heading)] : []),
      ...(sentence === undefined ? [] : askSentence(chunk, sentence)),
    ];
  });
}

/** The last heading of every section, once each. */
const sectionsOf = (chunks: readonly Chunk[]): string[] => [
  ...new Map(chunks.map(({ context, headingPath }) => [context, headingPath.at(-1) ?? ''])).values(),
];

function counted(values: Iterable<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

const wordCount = (text: string): number => text.match(/\p{L}{2,}/gu)?.length ?? 0;

function askHeading(chunk: Chunk, heading: string): HeldBackPair {
  const context = chunk.context.endsWith(heading)
    ? chunk.context.slice(0, -heading.length).replace(/[\s>]+$/, '')
    : chunk.context;
  return {
    question: heading,
    answer: { ...chunk, context, headingPath: chunk.headingPath.slice(0, -1), searchText: bodyOf(chunk) },
  };
}

function askSentence(chunk: Chunk, sentence: string): HeldBackPair[] {
  const text = chunk.searchText ?? chunk.text;
  const at = text.indexOf(sentence);
  if (at === -1) return [];
  const rest = `${text.slice(0, at)} ${text.slice(at + sentence.length)}`;
  return wordCount(rest) === 0 ? [] : [{ question: sentence, answer: { ...chunk, searchText: rest } }];
}
