/**
 * Text to index terms. A plain word is folded, checked against the stop list and stemmed; an identifier is kept
 * whole, never stemmed, and also given as its parts (camelCase, snake_case, letters and digits), which are stemmed
 * like words. Words of one character are dropped, except in scripts where one character is a word.
 */
import type { AnalyzerSettings } from '../core/contracts.ts';
import { stemmerOf, stopWordsOf } from './languages.ts';
import type { Stemmer } from './languages.ts';
import { stripAccents, words } from './words.ts';

export interface Analyzer {
  /** Index terms of a text in a language (ISO 639-1, `''` = none), in order, with repetitions. */
  terms(text: string, language: string): string[];
  /** Distinct terms of a question, analysed in each language that the index holds. */
  queryTerms(text: string, languages: readonly string[]): string[];
}

const POSSESSIVE = /'s$/;

export function createAnalyzer(settings: AnalyzerSettings): Analyzer {
  const stemmers = new Map<string, Stemmer | undefined>();
  const stemmer = (language: string): Stemmer | undefined => {
    if (!settings.stem) return undefined;
    if (!stemmers.has(language)) stemmers.set(language, stemmerOf(language));
    return stemmers.get(language);
  };

  const terms = (text: string, declared: string): string[] => {
    const language = settings.language === 'auto' ? declared : settings.language;
    const stem = stemmer(language);
    const stopWords = settings.stopWords ? stopWordsOf(language) : undefined;
    const found: string[] = [];
    const push = (word: string): void => {
      if (word.length < 2 || stopWords?.has(word) === true) return;
      const bare = word.replace(POSSESSIVE, '');
      if (bare.length < 2) return;
      found.push(stripAccents(stem === undefined ? bare : stem(bare)));
    };
    for (const word of words(text)) {
      if (word.unspaced) found.push(word.text);
      else if (word.parts.length === 0 || !settings.identifiers) push(word.text);
      else {
        if (word.text.length > 1) found.push(stripAccents(word.text));
        if (word.parts.length > 1) for (const part of word.parts) push(part);
      }
    }
    return found;
  };

  return {
    terms,
    queryTerms(text, languages) {
      const all = languages.length === 0 ? [''] : languages;
      return [...new Set(all.flatMap((language) => terms(text, language)))];
    },
  };
}
