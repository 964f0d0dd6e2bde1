import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAnalyzer } from '../../src/text/analyze.ts';

const settings = { language: 'auto', stem: true, stopWords: true, identifiers: true };

/** Each with the English terms that it gives on its own. */
const SPELLINGS: readonly (readonly [string, readonly string[]])[] = [
  ['builds', ['build']],
  ['the', []],
  ['x', []],
  ["server's", ['server']],
  ['server’s', ['server']],
  ['DB_HOST', ['db_host', 'db', 'host']],
  ['createServer', ['createserver', 'creat', 'server']],
  ['5.4.1', ['5.4.1']],
  ['MÜNCHEN', ['munchen']],
  ['café', ['cafe']],
  ['世界', ['世界']],
];

describe('terms', () => {
  test.each(SPELLINGS)('of %s', (spelling, terms) => {
    expect(createAnalyzer(settings).terms(spelling, 'en')).toEqual(terms);
  });

  test('a word gives the same terms in every text, also the second time', () => {
    const words = fc.array(fc.constantFrom(...SPELLINGS), { maxLength: 12 });
    const analyzer = createAnalyzer(settings);
    fc.assert(
      fc.property(words, fc.constantFrom(' ', ' — ', '\n', '; '), (chosen, between) => {
        const text = chosen.map(([spelling]) => spelling).join(between);
        const terms = chosen.flatMap(([, own]) => own);
        expect(analyzer.terms(text, 'en')).toEqual(terms);
      }),
    );
  });

  test('what one language made of a word is not used for another', () => {
    const analyzer = createAnalyzer(settings);
    expect(analyzer.terms('Häuser die', 'de')).toEqual(['haus']);
    expect(analyzer.terms('Häuser die', '')).toEqual(['hauser', 'die']);
    expect(analyzer.terms('Häuser die', 'de')).toEqual(['haus']);
  });
});
