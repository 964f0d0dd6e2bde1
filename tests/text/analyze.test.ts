import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AnalyzerSettings } from '../../src/core/contracts.ts';
import { createAnalyzer } from '../../src/text/analyze.ts';
import { words } from '../../src/text/words.ts';

const SETTINGS: AnalyzerSettings = { language: 'auto', stem: true, stopWords: true, identifiers: true, math: false };
const analyzer = createAnalyzer(SETTINGS);
const terms = (text: string, language = 'en'): readonly string[] => analyzer.terms(text, language);

describe('terms', () => {
  // [S3-stop-words]
  test.each([
    ['words are stemmed', 'indexes indexed indexing', ['index', 'index', 'index']],
    ['identifiers whole and in parts', 'Set DB_HOST now', ['set', 'db_host', 'db', 'host', 'now']],
    ['an identifier is never stemmed, its parts are', 'wm_active_users', ['wm_active_users', 'wm', 'activ', 'user']],
    ['camel case', 'createServer', ['createserver', 'creat', 'server']],
    ['letters and digits', 'utf8 HTTPServer2', ['utf8', 'utf', 'httpserver2', 'http', 'server']],
    ['a version with and without its v', 'v5.4.1 5.4.1', ['v5.4.1', '5.4.1', '5.4.1']],
    ['dunder names', '__init__', ['__init__', 'init']],
    ['possessives', 'the user’s DB_HOST’s port', ['user', 'db_host', 'db', 'host', 'port']],
    ['single letters are dropped', 'a b c x', []],
    ['stop words and question words only', 'how do I do this and what is it', []],
    ['signs only', '?!… --- 😀', []],
    ['accents', 'Café naïve', ['cafe', 'naiv']],
    ['one character is a word in scripts without spaces', '中 a', ['中']],
  ])('%s', (_, text, expected) => {
    expect(terms(text)).toEqual(expected);
  });

  test('in the language of the document', () => {
    expect(terms('die Häuser', 'de')).toEqual(['haus']);
    expect(terms('the houses', 'en')).toEqual(['hous']);
    expect(terms('the houses', '')).toEqual(['the', 'houses']);
  });

  test('the language of the settings goes before that of the document', () => {
    const german = createAnalyzer({ ...SETTINGS, language: 'de' });
    expect(german.terms('Häuser', 'en')).toEqual(['haus']);
  });

  test('each setting can be switched off', () => {
    expect(createAnalyzer({ ...SETTINGS, stem: false }).terms('the houses', 'en')).toEqual(['houses']);
    expect(createAnalyzer({ ...SETTINGS, stopWords: false }).terms('the houses', 'en')).toEqual(['the', 'hous']);
    expect(createAnalyzer({ ...SETTINGS, identifiers: false }).terms('DB_HOST', 'en')).toEqual(['db_host']);
  });

  test('those of a text are those of its words, whether it was seen before or not', () => {
    const written = fc.array(
      fc.constantFrom('the', 'houses', 'DB_HOST', 'don’t', 'naïve', 'Größe', 'ＡＢ', 'v5.4.1', '数据库', 'x', '—'),
    );
    fc.assert(
      fc.property(written, fc.constantFrom('en', 'de', ''), (list, language) => {
        const text = list.join(' ');
        const single = list.flatMap((word) => createAnalyzer(SETTINGS).terms(word, language));
        expect(analyzer.terms(text, language)).toEqual(single);
        expect(analyzer.terms(text, language)).toEqual(single);
      }),
      { numRuns: 30 },
    );
  });

  test('composed and decomposed texts have the same terms', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(terms(text.normalize('NFD'))).toEqual(terms(text.normalize('NFC')));
      }),
    );
  });
});

describe('words of a question', () => {
  const queryTerms = (text: string, languages: readonly string[]): unknown =>
    analyzer.queryWords(text, languages).map(({ variants }) => variants);

  test('a word that is stemmed differently in several languages counts once', () => {
    expect(queryTerms('timer settings', ['de', 'en'])).toEqual([
      ['tim', 'timer'],
      ['setting', 'set'],
    ]);
    expect(queryTerms('port', ['de', 'en', 'fr'])).toEqual([['port']]);
  });

  test('a repeated word counts once, in whatever case', () => {
    expect(queryTerms('port Port PORT ports', ['en'])).toEqual([['port']]);
  });

  test('identifiers whole and in parts', () => {
    expect(queryTerms('DB_HOST', ['en'])).toEqual([['db_host'], ['db'], ['host']]);
  });

  test.each(['how do I do this?', 'the', '???', '', '""', "'"])('%j has none', (question) => {
    expect(queryTerms(question, ['en'])).toEqual([]);
  });

  test('a stop word of any language of the index is none', () => {
    expect(queryTerms('wie the port', ['de', 'en'])).toEqual([['port']]);
    expect(queryTerms('wie the port', ['fr'])).toEqual([['wi'], ['the'], ['port']]);
  });

  test('an empty index has no language, and the words of the question still are terms', () => {
    expect(queryTerms('the ports', [])).toEqual([['the'], ['ports']]);
  });

  test('every term of a question in one language is a term of the same words as text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'grapheme' }), fc.lorem({ maxCount: 20 })), (text) => {
        const indexed = new Set(terms(text));
        for (const { term, variants } of analyzer.queryWords(text, ['en'])) {
          expect(variants).toEqual([term]);
          expect(indexed).toContain(term);
        }
      }),
    );
  });
});

test('hostile texts, in linear time', () => {
  const started = performance.now();
  for (const text of ['aB'.repeat(200_000), '1.'.repeat(200_000), "a'".repeat(200_000), 'x_'.repeat(200_000)]) {
    expect(analyzer.terms(text, 'en').length).toBeLessThanOrEqual(2 * words(text).length + text.length);
  }
  expect(performance.now() - started).toBeLessThan(10_000);
});
