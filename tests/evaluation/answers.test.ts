import { describe, expect, test } from 'vitest';
import {
  citationPrecision,
  citationRecall,
  hitsQuote,
  keywordRecall,
  measureAnswer,
} from '../../src/evaluation/answers.ts';
import { containsFolded, fold } from '../../src/evaluation/fold.ts';
import type { Question } from '../../src/evaluation/types.ts';
import { answer, citation, refusal } from './fake-engine.ts';

describe('folding', () => {
  test.each([
    ['letter case and white space', 'Set  the\n\tPORT', 'set the port'],
    ['emphasis and code', '**Cannot** be _set_ to `0`', 'cannot be set to 0'],
    ['list marks, nested', '- 1. Open it\n  * [ ] Close it', 'open it [ ] close it'],
    ['headings and quotes', '## Title\n> > said\n>so', 'title said so'],
    [
      'links and images',
      'see [`server.host`](/config/a_(b).md#x "T") ![logo](l.png) [a][ref]',
      'see server.host logo a',
    ],
    ['table rows', '| a | **b** |', 'a b'],
    ['escapes', 'a\\_b \\| c', 'ab c'],
    ['a minus sign is no bullet', '-1 and 3 - 2', '-1 and 3 - 2'],
  ])('%s', (_, text, folded) => {
    expect(fold(text)).toBe(folded);
  });

  test('a part of marks only is looked up as it is, and nothing is in nothing', () => {
    expect(containsFolded('use `**` to match', '**')).toBe(true);
    expect(containsFolded('use a star', '**')).toBe(false);
    expect(containsFolded('anything', ' ')).toBe(false);
  });

  test('a long run of open brackets is folded in linear time', () => {
    const start = performance.now();
    fold('[x]('.repeat(50_000) + '![['.repeat(50_000));
    expect(performance.now() - start).toBeLessThan(2000);
  });
});

describe('quoteHit', () => {
  const quote = 'Set the **`server.host`** option to `127.0.0.1` in the config to make it work.';

  test('in the first 150 words of the answer, labels apart', () => {
    expect(
      hitsQuote(answer('Do this: set the server.host option to 127.0.0.1 [2] in the config to make it work. [1]'), [
        quote,
      ]),
    ).toBe(true);
    const words = (count: number): string => 'word '.repeat(count);
    expect(hitsQuote(answer(`${words(148)}yes it`), ['yes it'])).toBe(true);
    expect(hitsQuote(answer(`${words(149)}yes it`), ['yes it'])).toBe(false);
  });

  test('an index in code is not taken for a label', () => {
    expect(hitsQuote(answer('Use `argv[0] + rest[1]` here.'), ['argv[0] + rest[1]'])).toBe(true);
  });

  test('in one of the first three citations', () => {
    const others = [citation('b', 'no'), citation('b', 'no')];
    expect(hitsQuote(answer('', [...others, citation('a', `You can ${quote}`)]), [quote])).toBe(true);
    expect(hitsQuote(answer('', [...others, ...others, citation('a', quote)]), [quote])).toBe(false);
  });

  test('a citation inside the quote counts when it is longer than 40 characters', () => {
    expect(
      hitsQuote(answer('', [citation('a', 'option to `127.0.0.1` in the config to make it work.')]), [quote]),
    ).toBe(true);
    expect(hitsQuote(answer('', [citation('a', 'in the config to make it work.')]), [quote])).toBe(false);
  });

  test('any of several quotes', () => {
    expect(hitsQuote(answer('B is it.'), ['A is it.', 'B is it.'])).toBe(true);
    expect(hitsQuote(answer('C is it.'), ['A is it.', 'B is it.'])).toBe(false);
  });
});

test('keywordRecall looks in the whole text and in all quotes', () => {
  const given = answer('Click **Resync**.', [
    citation('a', 'x'),
    citation('a', 'x'),
    citation('a', 'x'),
    citation('a', 'under `DB_HOST`'),
  ]);
  expect(keywordRecall(given, ['resync', 'DB_HOST', 'network info', 'click'])).toBe(0.75);
});

describe('citations', () => {
  const relevant = ({ uri }: { readonly uri: string }): boolean => uri === 'a';

  test('precision is a share of citations, 0 without any', () => {
    expect(
      citationPrecision(answer('', [citation('a', ''), citation('a', ''), citation('b', '')]), relevant),
    ).toBeCloseTo(2 / 3);
    expect(citationPrecision(answer(''), relevant)).toBe(0);
  });

  //            0         10        20        30        40
  const text = 'One is so. [1] Two is so. [2] Three is so. [3]';
  const one = { answerSpan: { start: 0, end: 10 } };
  const two = { answerSpan: { start: 15, end: 25 } };
  const three = { start: 30, end: 42 };
  const none = { unknownLabels: [], unsupported: [], contradicted: [] };

  test('recall is a share of sentences: cited, listed as uncited, or listed nowhere', () => {
    const cited = [citation('a', '', one), citation('b', '', one), citation('b', '', two)];
    expect(citationRecall(answer(text, cited, { verification: { ...none, uncited: [three] } }), relevant)).toBeCloseTo(
      1 / 3,
    );
    expect(citationRecall(answer(text, cited), relevant)).toBeCloseTo(1 / 3);
    expect(citationRecall(answer(text.slice(0, 29), cited), relevant)).toBe(0.5);
    expect(citationRecall(answer(''), relevant)).toBe(0);
  });

  test('only supported citations prove a sentence', () => {
    const cited = [citation('a', '', { ...one, support: 'not-checked' }), citation('a', '', two)];
    expect(citationRecall(answer(text.slice(0, 29), cited), relevant)).toBe(0.5);
  });
});

describe('what applies', () => {
  const question: Question = {
    id: '1',
    query: 'q',
    kind: null,
    protocol: null,
    judgments: { by: 'label', labels: ['a'], equivalents: [] },
    quotes: ['yes'],
    keywords: ['yes'],
  };
  const answerable = { answerable: true, uris: new Set(['a']) };

  test('a refused answerable question misses what it should have shown', () => {
    expect(measureAnswer(question, refusal(0.2), answerable, null)).toMatchObject({
      confidence: 0.2,
      quoteHit: 0,
      keywordRecall: 0,
      citationPrecision: null,
      citationRecall: null,
      citesRelevant: false,
    });
  });

  test('an unanswerable question, or one without labels, has no such measure', () => {
    const nothing = { answerable: false, uris: new Set<string>() };
    const given = answer('yes', [citation('a', 'yes')]);
    const none = { quoteHit: null, keywordRecall: null };
    expect(measureAnswer(question, given, nothing, null)).toMatchObject({
      ...none,
      citationPrecision: null,
      citesRelevant: false,
    });
    const unlabelled = { ...question, quotes: [], keywords: [] };
    expect(measureAnswer(unlabelled, given, answerable, null)).toMatchObject({
      ...none,
      citationPrecision: 1,
      citesRelevant: true,
    });
  });

  test('the length of an answer is counted without its labels', () => {
    expect(measureAnswer(question, answer('Yes, a[0] is. [1][2] So. [3]'), answerable, null).words).toBe(4);
  });
});
