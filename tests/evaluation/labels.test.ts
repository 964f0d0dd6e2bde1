import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gainsOf, labelIndex, resolveJudgments } from '../../src/evaluation/labels.ts';
import type { Judgments } from '../../src/evaluation/types.ts';

const BUILD = 'file:///home/me/site/docs/guide/build.md';
const GIT = 'git+https://example.org/team/site:docs/guide/build.md';
const SPACED = 'file:///home/me/notes%20%231/C%23%20basics.md';
const WIKI = 'file:///w/wiki/pages.jsonl#Bisq%20Easy';
const WIKI_NAMED = 'file:///w/wiki/pages.jsonl#C%23_bindings';
const FAQ = 'file:///w/faqs.db#12';
const all = [BUILD, GIT, SPACED, WIKI, WIKI_NAMED, FAQ];

describe('a label matches the end of an address', () => {
  const index = labelIndex(all);
  const cases: readonly [says: string, label: string, uris: readonly string[]][] = [
    ['from a slash on', 'guide/build.md', [BUILD, GIT]],
    ['from the colon of a git address on', 'docs/guide/build.md', [BUILD, GIT]],
    ['not from the middle of a name', 'uild.md', []],
    ['not with another letter case', 'guide/Build.md', []],
    ['with a slash in front', '/guide/build.md', [BUILD, GIT]],
    ['with ./ in front', './guide/build.md', [BUILD, GIT]],
    ['or a whole address', BUILD, [BUILD]],
    ['percent-decoded', 'notes #1/C# basics.md', [SPACED]],
    ['or percent-encoded itself', 'notes%20%231/C%23%20basics.md', [SPACED]],
    ['without its fragment', 'wiki/pages.jsonl', [WIKI, WIKI_NAMED]],
    ['with the same fragment', 'wiki/pages.jsonl#Bisq Easy', [WIKI]],
    ['space and _ being equal', 'wiki/pages.jsonl#Bisq_Easy', [WIKI]],
    ['in both directions', 'pages.jsonl#C# bindings', [WIKI_NAMED]],
    ['not with another fragment', 'wiki/pages.jsonl#Bisq', []],
    ['not a fragment that the document lacks', 'guide/build.md#install', []],
    ['numbers as fragments', 'faqs.db#12', [FAQ]],
    ['a fragment alone is no label', '#12', []],
  ];
  test.each(cases)('%s: %s', (_, label, uris) => {
    expect(index.match(label)).toEqual(uris);
  });

  test('a colon begins a label in git addresses only', () => {
    expect(labelIndex(['file:///a/x:b.md']).match('b.md')).toEqual([]);
    expect(labelIndex(['git+ssh://host/x:b.md']).match('b.md')).toEqual(['git+ssh://host/x:b.md']);
    expect(labelIndex(['file:///a/x:b.md']).match('x:b.md')).toEqual(['file:///a/x:b.md']);
  });

  test('a file whose name has a percent sign is meant literally first', () => {
    const literal = 'file:///a/50%2520off.md';
    const spaced = 'file:///a/50%20off.md';
    expect(labelIndex([literal, spaced]).match('50%20off.md')).toEqual([literal]);
    expect(labelIndex([spaced]).match('50%20off.md')).toEqual([spaced]);
    expect(labelIndex(['file:///a/100%25.md']).match('100%.md')).toEqual(['file:///a/100%25.md']);
  });

  test('composed and decomposed letters are equal', () => {
    expect(labelIndex([`file:///a/${encodeURIComponent('u\u0308nicode.md')}`]).match('\u00FCnicode.md')).toHaveLength(
      1,
    );
  });

  test('every encoded path matches each of its own suffixes that begin at a slash', () => {
    const name = fc.string({ minLength: 1, maxLength: 6, unit: 'grapheme-ascii' }).filter((s) => !/[/.]/.test(s));
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), (segments) => {
        const uri = `file:///${segments.map(encodeURIComponent).join('/')}`;
        for (let from = 0; from < segments.length; from++) {
          expect(labelIndex([uri]).match(segments.slice(from).join('/'))).toEqual([uri]);
        }
      }),
    );
  });
});

describe('relevant documents', () => {
  const label = (labels: string[], equivalents: string[] = []): Judgments => ({ by: 'label', labels, equivalents });

  test('a label without a document is reported and still expected', () => {
    const resolved = resolveJudgments(label(['guide/build.md', 'gone.md'], ['also-gone.md']), labelIndex([BUILD]));
    expect(resolved.unmatched).toEqual(['gone.md', 'also-gone.md']);
    expect(resolved.ideal).toEqual([1, 1]);
    expect(gainsOf([BUILD], resolved)).toEqual([1]);
  });

  test('a label given twice is one label', () => {
    expect(resolveJudgments(label(['faqs.db#12', 'faqs.db#12']), labelIndex(all)).ideal).toEqual([1]);
  });

  test('equivalents count like labels, together at most as many as there are labels', () => {
    const uris = ['file:///a.md', 'file:///b.md', 'file:///c.md', 'file:///x.md'];
    const resolved = resolveJudgments(label(['a.md'], ['b.md', 'c.md']), labelIndex(uris));
    expect(gainsOf(['file:///x.md', 'file:///c.md', 'file:///a.md', 'file:///b.md'], resolved)).toEqual([0, 1, 0, 0]);
  });

  test('grades by exact address: best first, 0 is not relevant, a missing one is still expected', () => {
    const grades = new Map([
      ['file:///c#1', 1],
      ['file:///c#2', 4],
      ['file:///c#3', 0],
      ['file:///c#9', 2],
    ]);
    const index = labelIndex(['file:///c#1', 'file:///c#2', 'file:///c#3']);
    const resolved = resolveJudgments({ by: 'uri', grades }, index);
    expect(resolved.ideal).toEqual([4, 2, 1]);
    expect(resolved.unmatched).toEqual(['file:///c#9']);
    expect(gainsOf(['file:///c#3', 'file:///c#1', 'file:///c#2'], resolved)).toEqual([0, 1, 4]);
  });
});
