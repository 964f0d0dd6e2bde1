import { describe, expect, test } from 'vitest';
import type { QuerySettings, VocabularyEntry } from '../../../src/core/settings.ts';
import { analyzeQuestion } from '../../../src/pipeline/query/analyze-question.ts';
import { asksForChange, intentOf } from '../../../src/pipeline/query/intent.ts';
import { chooseRoute, clarification } from '../../../src/pipeline/query/route.ts';
import { presetSettings } from '../../../src/presets/preset-settings.ts';

const DESK = presetSettings('support-desk').query;
const about = (question: string, settings: QuerySettings = DESK): string[] =>
  analyzeQuestion(question, settings).topics.map(({ value, by }) => `${value} by ${by}`);

// [S0-future-intent]
describe('the intent of a question', () => {
  test.each([
    ['How do I create a page?', 'how-to'],
    ['Steps to deploy an app', 'how-to'],
    ['What is a data model?', 'conceptual'],
    ['Why does the build fail with EACCES?', 'troubleshooting'],
    ["the preview doesn't load", 'troubleshooting'],
    ['What is the default port?', 'reference'],
    ['DB_HOST', 'reference'],
    ['vite.config.ts', 'reference'],
    ['What is the difference between a fragment and a page?', 'comparison'],
    ['REST versus GraphQL', 'comparison'],
    ['penguins', null],
    ['数据库端口', null],
  ])('%s: %s', (question, intent) => {
    expect(intentOf(question)).toBe(intent);
  });

  test.each(['What changed in 11.2?', 'release notes of March', "what's new", 'since version 4', 'was X deprecated?'])(
    '%s asks for a change',
    (question) => {
      expect(asksForChange(question)).toBe(true);
    },
  );

  test.each(['How do I change the colour?', 'Where are the 20 settings?', 'a new page'])('%s does not', (question) => {
    expect(asksForChange(question)).toBe(false);
  });
});

// [S3-version-detection]
describe('what a question is about', () => {
  test.each([
    ['What are the trade fees on Bisq Easy?', ['bisq_easy by name']],
    ['How do I restore my wallet in Bisq 1?', ['multisig_v1 by name']],
    ['How do I do a spv resync?', ['multisig_v1 by hint']],
    ['Do I need reputation?', ['bisq_easy by hint']],
    ['How do I back up?', []],
    // A name counts before any hint, and only as whole words.
    ['Do I need reputation in Bisq 1?', ['multisig_v1 by name']],
    ['What is bisq 10?', []],
    // Inside a longer name it is that one's.
    ['How does multisig v1 work?', ['multisig_v1 by name']],
    ['Is MuSig out?', ['musig by name']],
  ])('%s: %j', (question, topics) => {
    expect(about(question)).toEqual(topics);
  });

  test('naming two of one field compares them', () => {
    expect(analyzeQuestion('How is Bisq Easy different from Bisq 1?', DESK)).toMatchObject({ comparison: true });
    expect(analyzeQuestion('How is Bisq Easy different from a bank?', DESK)).toMatchObject({ comparison: false });
  });
});

// [S3-easy-stage-1] [S3-easy-stage-2] [S3-easy-stage-3]
describe('routes', () => {
  const routeOf = (question: string): ReturnType<typeof chooseRoute> =>
    chooseRoute(analyzeQuestion(question, DESK), DESK);

  // [S3-stage-general] [S3-stage-fallback] [S3-stage-filter]
  test('Bisq Easy: 6, then 4 general ones when fewer than 4, then 2 of the other protocol when fewer than 3', () => {
    expect(routeOf('What are the trade fees on Bisq Easy?')).toMatchObject({
      name: 'Bisq Easy',
      steps: [
        { filter: { protocol: 'bisq_easy' }, topK: 6, whenFewerThan: null },
        { filter: { protocol: 'all' }, topK: 4, whenFewerThan: 4 },
        { filter: { protocol: 'multisig_v1' }, topK: 2, whenFewerThan: 3 },
      ],
    });
  });

  test('Bisq 1 never falls back to Bisq Easy', () => {
    const { steps } = routeOf('How do I do a spv resync?');
    expect(steps?.map(({ filter }) => filter)).toEqual([{ protocol: 'multisig_v1' }, { protocol: 'all' }]);
  });

  test('a comparison takes 5 + 5 + 4', () => {
    const { name, steps } = routeOf('Bisq 1 or Bisq 2?');
    expect(name).toBe('comparison');
    expect(steps?.map(({ topK }) => topK)).toEqual([5, 5, 4]);
  });

  test('an unclear question is about what its first hits are about, and what is general', () => {
    const analysis = analyzeQuestion('How do I back up?', DESK);
    const topic = { field: 'protocol', value: 'multisig_v1', label: 'Bisq 1', by: 'evidence' } as const;
    expect(chooseRoute({ ...analysis, topics: [topic] }, DESK).steps?.[0]?.filter).toEqual({
      protocol: ['multisig_v1', 'all'],
    });
    expect(chooseRoute(analysis, DESK).steps?.[0]?.filter).toEqual({});
  });

  test('without routes, named values are a filter when that is wanted', () => {
    const entry = (field: string, value: string): VocabularyEntry => ({
      field,
      value,
      label: value,
      names: [value],
      hints: [`${value}ish`],
    });
    const settings = {
      ...DESK,
      routes: [],
      vocabulary: [entry('version', 'v9'), entry('version', 'v10'), entry('os', 'linux')],
    };
    const filterOf = (question: string, filters: boolean): unknown =>
      chooseRoute(analyzeQuestion(question, settings), { ...settings, filters }).filter;
    expect(filterOf('install v9 or v10 on linux', true)).toEqual({ version: ['v9', 'v10'], os: ['linux'] });
    expect(filterOf('install v9 or v10 on linux', false)).toBeUndefined();
    expect(filterOf('linuxish things', true)).toBeUndefined();
  });

  test('the clarifying question names the choices', () => {
    const topics = ['Bisq 1', 'Bisq 2', 'MuSig'].map((label) => ({
      field: 'f',
      value: label,
      label,
      by: 'evidence' as const,
    }));
    expect(clarification(topics)).toBe('Is this about Bisq 1, Bisq 2 or MuSig?');
    expect(clarification(topics.slice(0, 2))).toBe('Is this about Bisq 1 or Bisq 2?');
  });
});
