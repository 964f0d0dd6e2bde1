/** Which values of the declared vocabulary a question is about: by name, by hint, or by what it finds. */
import type { VocabularyEntry } from '../../core/settings.ts';
import type { Topic } from './analysis.ts';

/** Entries that the question names; where it names none, those that most of its words hint at. */
export function topicsOf(question: string, vocabulary: readonly VocabularyEntry[]): readonly Topic[] {
  const words = folded(question);
  const named = longestOnly(words, vocabulary);
  if (named.length > 0) return named.map((entry) => topic(entry, 'name'));
  const hinted = vocabulary
    .map((entry) => ({ entry, hints: entry.hints.filter((hint) => holds(words, hint)).length }))
    .filter(({ hints }) => hints > 0);
  const most = Math.max(...hinted.map(({ hints }) => hints));
  return hinted.filter(({ hints }) => hints === most).map(({ entry }) => topic(entry, 'hint'));
}

export const topic = ({ field, value, label }: VocabularyEntry, by: Topic['by']): Topic => ({
  field,
  value,
  label,
  by,
});

/** "multisig v1" names that, not also what is called "v1": a name inside a longer one that was found does not count. */
function longestOnly(words: string, vocabulary: readonly VocabularyEntry[]): readonly VocabularyEntry[] {
  const names = vocabulary
    .flatMap((entry) => entry.names.map((name) => ({ entry, name: folded(name) })))
    .sort((a, b) => b.name.length - a.name.length);
  const found = new Set<VocabularyEntry>();
  let left = words;
  for (const { entry, name } of names) {
    if (!left.includes(name)) continue;
    found.add(entry);
    left = left.replaceAll(name, ' \u0000 ');
  }
  return vocabulary.filter((entry) => found.has(entry));
}

const holds = (words: string, hint: string): boolean => words.includes(folded(hint));

/** Words between single spaces, with one at each end: a name is found as whole words only. */
const folded = (text: string): string =>
  ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}+#.]+/gu, ' ')
    .replace(/\.(?= |$)/gu, '')
    .trim()} `;
