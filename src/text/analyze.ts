/**
 * Text to index terms. A plain word is folded, checked against the stop list and stemmed; an identifier is kept
 * whole, never stemmed, and also given as its parts (camelCase, snake_case, letters and digits), which are stemmed
 * like words. Words of one character are dropped, except in scripts where one character is a word. Where notation
 * counts (`math`), formulas and commands follow the words.
 */
import type { AnalyzerSettings } from '../core/contracts.ts';
import { stemmerOf, stopWordsOf } from './languages.ts';
import type { Stemmer } from './languages.ts';
import { mathTerms } from './math.ts';
import { spellings, stripAccents, words } from './words.ts';

export interface Analyzer {
  /** Index terms of a text in a language (ISO 639-1, `''` = none), with repetitions. */
  terms(text: string, language: string): string[];
  /**
   * The question word by word, each as the terms it has in the languages that the index holds. A word counts once:
   * its variants share one document frequency, or a term of the rarest language would outweigh all others.
   */
  queryWords(text: string, languages: readonly string[]): QueryWord[];
}

export interface QueryWord {
  /** The term in the first language that has one. */
  readonly term: string;
  readonly variants: readonly string[];
}

const POSSESSIVE = /'s$/;
const NONE: ReadonlySet<string> = new Set();

/** Bounds of what is remembered: most words of a text have been seen before, most long ones never come again. */
const REMEMBERED_SPELLINGS = 200_000;
const REMEMBERED_LENGTH = 40;

/** Words as they are indexed: `whole` ones (identifiers, words of scripts without spaces) are terms as they stand. */
function* pieces(text: string, identifiers: boolean): Generator<{ readonly text: string; readonly whole: boolean }> {
  for (const word of words(text)) {
    if (word.unspaced) yield { text: word.text, whole: true };
    else if (word.parts.length === 0 || !identifiers) yield { text: word.text, whole: false };
    else {
      if (word.text.length > 1) yield { text: word.text.replace(POSSESSIVE, ''), whole: true };
      for (const part of word.parts) yield { text: part, whole: false };
    }
  }
}

export function createAnalyzer(settings: AnalyzerSettings): Analyzer {
  const stemmers = new Map<string, Stemmer | undefined>();
  const stemmer = (language: string): Stemmer | undefined => {
    if (!settings.stem) return undefined;
    if (!stemmers.has(language)) stemmers.set(language, stemmerOf(language));
    return stemmers.get(language);
  };

  const languageOf = (declared: string): string => (settings.language === 'auto' ? declared : settings.language);
  const stopWordsFor = (language: string): ReadonlySet<string> => (settings.stopWords ? stopWordsOf(language) : NONE);

  /** The term of a plain word, or undefined when it is dropped. */
  const termOf = (word: string, stem: Stemmer | undefined, stopWords: ReadonlySet<string>): string | undefined => {
    if (word.length < 2 || stopWords.has(word)) return undefined;
    const bare = word.replace(POSSESSIVE, '');
    return bare.length < 2 ? undefined : stripAccents(stem === undefined ? bare : stem(bare));
  };

  const analyze = (text: string, language: string): string[] => {
    const stem = stemmer(language);
    const stopWords = stopWordsFor(language);
    const found: string[] = [];
    for (const { text: word, whole } of pieces(text, settings.identifiers)) {
      const term = whole ? stripAccents(word) : termOf(word, stem, stopWords);
      if (term !== undefined) found.push(term);
    }
    return found;
  };

  /** By language: the terms of a word as it is written. A word gives the same terms in every text. */
  const remembered = new Map<string, Map<string, readonly string[]>>();

  const wordTerms = (text: string, declared: string): string[] => {
    const language = languageOf(declared);
    const written = spellings(text);
    if (written === undefined) return analyze(text, language);
    let known = remembered.get(language);
    if (known === undefined || known.size > REMEMBERED_SPELLINGS)
      remembered.set(language, (known = new Map<string, readonly string[]>()));
    const found: string[] = [];
    for (const spelling of written) {
      let own = known.get(spelling);
      if (own === undefined) {
        // A copy: a piece of the text would keep all of the text in memory.
        const word = Buffer.from(spelling).toString();
        own = analyze(word, language);
        if (word.length <= REMEMBERED_LENGTH) known.set(word, own);
      }
      for (const term of own) found.push(term);
    }
    return found;
  };

  return {
    terms: (text, language) =>
      settings.math ? [...wordTerms(text, language), ...mathTerms(text)] : wordTerms(text, language),
    queryWords(text, declared) {
      const languages = [...new Set(declared.length === 0 ? [''] : declared.map(languageOf))];
      const found = new Map<string, QueryWord>();
      for (const { text: word, whole } of pieces(text, settings.identifiers)) {
        if (found.has(word)) continue;
        // A stop word of any language of the index says nothing; documents of no known language keep theirs indexed.
        if (!whole && languages.some((language) => stopWordsFor(language).has(word))) continue;
        const variants = whole
          ? [stripAccents(word)]
          : languages.map((language) => termOf(word, stemmer(language), NONE)).filter((term) => term !== undefined);
        const [term] = variants;
        if (term !== undefined && ![...found.values()].some((other) => other.term === term))
          found.set(word, { term, variants: [...new Set(variants)] });
      }
      if (settings.math) for (const term of mathTerms(text)) found.set(term, { term, variants: [term] });
      return [...found.values()];
    },
  };
}
