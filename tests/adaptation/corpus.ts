/**
 * Folders of pages that teach, or that cannot. In `dictionary` each word of a heading stands for one word of the text,
 * never written beside it: only what is learned from other sections finds the text. In `noise` neither the headings nor
 * the sentences say anything of one another.
 */
import { createRandom } from '../../src/evaluation/random.ts';

const HEADING_WORDS =
  'river copper winter garden silver castle orange mountain violin harbor candle forest mirror dragon pepper shadow tunnel velvet window island'.split(
    ' ',
  );
export const TEXT_WORDS: readonly string[] =
  'rocket lemon tractor opera pencil donkey marble cotton hammer turtle blanket ladder pocket whistle barrel spider needle bucket pillow cherry'.split(
    ' ',
  );
const PAGES = 12;
const SECTIONS = 16;

const pairAt = (index: number): [number, number] => {
  const count = HEADING_WORDS.length;
  const first = index % count;
  const second = (first + 1 + (Math.floor(index / count) % (count - 1))) % count;
  return [first, second];
};

/** @param meaning Which words of the text the words of a heading stand for; asked for each sentence. */
function pages(meaning: (first: number, second: number) => [number, number]): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: PAGES }, (_, page) => {
      const sections = Array.from({ length: SECTIONS }, (_, i) => {
        const index = page * SECTIONS + i;
        const [first, second] = pairAt(index);
        const sentence = (say: (a: string, b: string) => string): string => {
          const [a, b] = meaning(first, second);
          return say(TEXT_WORDS[a] as string, TEXT_WORDS[b] as string);
        };
        return [
          `## ${HEADING_WORDS[first] as string} ${HEADING_WORDS[second] as string}`,
          sentence((a, b) => `People of town ${index} say that the ${a} and the ${b} belong together here.`),
          sentence((a, b) => `Nobody has ever seen a ${b} without its ${a} anywhere.`),
          sentence((a, b) => `Then the ${a} follows the ${b} in this long list.`),
        ].join('\n\n');
      });
      return [`docs/page-${page}.md`, `# Page ${page}\n\n${sections.join('\n\n')}\n`];
    }),
  );
}

export const dictionary = (): Record<string, string> => pages((first, second) => [first, second]);

export function noise(): Record<string, string> {
  const random = createRandom(7);
  const any = (): number => Math.floor(random() * TEXT_WORDS.length);
  return pages(() => [any(), any()]);
}

/** A heading that is in no page, and the words that it would stand for. */
export const UNSEEN = { heading: 'window winter', meaning: 'tractor pillow' } as const;
