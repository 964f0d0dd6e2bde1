import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultPreset } from '../../src/presets/default.ts';
import { createAnalyzer } from '../../src/text/analyze.ts';
import { mathTerms } from '../../src/text/math.ts';
import { library } from '../pipeline/library.ts';

const SETTINGS = { language: 'auto', stem: false, stopWords: false, identifiers: true, math: true };

describe('formulas and commands', () => {
  // [S1-query-math]
  test.each([
    ['energy $E = mc^2$ at rest', ['$E=mc^2$']],
    ['$E=mc^2$', ['$E=mc^2$']],
    ['$x$', ['$x$']],
    [String.raw`\alpha and \Delta`, [String.raw`\alpha`, String.raw`\Delta`]],
    [String.raw`$\frac{a}{b} + \alpha$`, [String.raw`$\frac{a}{b}+\alpha$`, String.raw`\frac`, String.raw`\alpha`]],
    ['$$\na^2 + b^2\n$$', ['$a^2+b^2$']],
    [String.raw`\(a + b\) and \[c + d\]`, ['$a+b$', '$c+d$']],
    ['from $5 to $10', []],
    [String.raw`\$5 and \$6`, []],
    ['$a\n\nb$', []],
    ['a$ b $c', []],
    ['no notation', []],
  ])('%j', (text, expected) => {
    expect(mathTerms(text).toSorted()).toEqual(expected.toSorted());
  });

  test('any text, in linear time', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => Array.isArray(mathTerms(text))));
    const times = ['$', '\\(', '\\[', '$a', '\\a', '$$a'].map((piece) => {
      const start = performance.now();
      mathTerms(piece.repeat(50_000));
      return performance.now() - start;
    });
    expect(Math.max(...times)).toBeLessThan(3000);
  });
});

describe('the analyzer', () => {
  const analyzer = createAnalyzer(SETTINGS);
  const texts = ['The energy $E = mc^2$ of a body', String.raw`\nabla \cdot B = 0`];

  test('has them beside the words, in documents and questions', () => {
    expect(analyzer.terms(texts[0] ?? '', 'en')).toEqual(['the', 'energy', 'mc', 'of', 'body', '$E=mc^2$']);
    for (const text of texts) {
      const asked = analyzer.queryWords(text, ['en']).map(({ term }) => term);
      expect(new Set(asked)).toEqual(new Set(analyzer.terms(text, 'en')));
    }
  });

  test('has none unless the settings say so', () => {
    expect(createAnalyzer({ ...SETTINGS, math: false }).terms('$E = mc^2$', 'en')).toEqual(['mc']);
  });
});

// [S1-query-math] [S1-query-terms]
test('a formula is found however it is spaced, and told from another of the same words', async () => {
  const docs = await library(
    {
      'rest.md': '# Rest\n\nAt rest $E = mc^2$ holds for the energy.',
      'other.md': '# Other\n\nOf the energy $E = mc^3$ is wrong, and mc mc mc is nothing.',
      'fields.md': String.raw`# Fields` + '\n\n' + String.raw`The law $\nabla \cdot B = 0$ has no sources.`,
    },
    { analyze: SETTINGS, embed: { ...defaultPreset.embed, use: 'none', headings: false } },
  );
  expect((await docs.paths('$E=mc^2$'))[0]).toBe('rest.md');
  expect((await docs.paths('$E  =  mc^3$'))[0]).toBe('other.md');
  expect(await docs.paths(String.raw`\nabla`)).toEqual(['fields.md']);
});
