import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRagError } from '../../src/core/errors.ts';
import { conditionHolds, matchesFilter, parseFilter, parseFilterExpression } from '../../src/core/filter.ts';
import type { Filter } from '../../src/core/filter.ts';
import type { Chunk, Metadata } from '../../src/core/types.ts';

const BASE: Chunk = {
  id: 'c',
  documentId: 'd',
  sourceId: 'docs',
  position: 0,
  span: { start: 0, end: 1 },
  text: 'x',
  context: 'Guide > Ports',
  uri: 'file:///docs/guide/ports.md',
  path: 'guide/ports.md',
  title: 'Guide',
  headingPath: ['Guide', 'Ports'],
  type: 'markdown',
  language: 'en',
  tokenCount: 1,
  parentIds: [],
  metadata: {},
};
const chunk = (metadata: Metadata, more: Partial<Chunk> = {}): Chunk => ({ ...BASE, ...more, metadata });
const passes = (metadata: Metadata, filter: Filter): boolean => matchesFilter(chunk(metadata), filter);
const errorOf = (run: () => unknown): unknown => {
  try {
    run();
    return undefined;
  } catch (error) {
    return isRagError(error) ? [error.code, typeof error.hint] : error;
  }
};

describe('as it is written on the command line', () => {
  test.each<[string, Filter]>([
    ['key=value', { key: 'value' }],
    ['key=8', { key: 8 }],
    ['key=1.5', { key: 1.5 }],
    ['key=true', { key: true }],
    ['key=a,b, c', { key: ['a', 'b', 'c'] }],
    ['key=8,x', { key: [8, 'x'] }],
    ['key>=8', { key: { gte: 8 } }],
    ['key<=2024-01-31', { key: { lte: '2024-01-31' } }],
    ['key=', { key: '' }],
    ['key=a=b', { key: 'a=b' }],
    ['key=a\nb', { key: 'a\nb' }],
    [' key = value ', { key: 'value' }],
    ['path=guide/a b.md', { path: 'guide/a b.md' }],
    ['key=1e999', { key: '1e999' }],
  ])('%j', (expression, filter) => {
    expect(parseFilterExpression(expression)).toEqual(filter);
    expect(parseFilter(filter)).toEqual(filter);
  });

  test.each(['', 'key', '=value', ' =x', '>=3', 'key>3', 'key<3', 'key!=x', 'key==x', 'key~x'])(
    '%j is refused',
    (text) => {
      expect(errorOf(() => parseFilterExpression(text))).toEqual(['filter-invalid', 'string']);
    },
  );
});

describe('as JSON', () => {
  test.each<unknown>([
    null,
    [],
    'x',
    3,
    { and: {} },
    { or: 'x' },
    { not: [] },
    { and: [3] },
    { key: null },
    { key: { gt: 3 } },
    { key: { gte: true } },
    { key: { exists: 1 } },
    { key: [null] },
    { key: [['a']] },
    { or: [{ not: { key: { from: 1 } } }] },
  ])('%j is refused', (value) => {
    expect(errorOf(() => parseFilter(value))).toEqual(['filter-invalid', 'string']);
  });
});

describe('conditions', () => {
  const METADATA: Metadata = {
    version: 8,
    tags: ['a', 'b'],
    draft: false,
    modified: '2024-02-01',
    numbers: [1, 5],
    none: [],
  };
  test.each<[string, boolean]>([
    ['version=8', true],
    ['version=9', false],
    ['version=7,8', true],
    ['version>=8', true],
    ['version<=7.9', false],
    ['tags=b', true],
    ['tags=c,b', true],
    ['tags=c', false],
    ['draft=false', true],
    ['modified>=2024-01-31', true],
    ['modified<=2024-01-31', false],
    ['numbers>=5', true],
    ['numbers>=6', false],
    ['missing=8', false],
    ['missing>=0', false],
    ['none=a', false],
    ['path=guide/ports.md', true],
    ['section=Ports', true],
    ['title=Guide', true],
    ['source=docs', true],
    ['type=markdown', true],
    ['language=en,de', true],
    ['language=de', false],
  ])('%s: %s', (expression, expected) => {
    expect(passes(METADATA, parseFilterExpression(expression))).toBe(expected);
  });

  test('a number and its digits are the same to a person', () => {
    expect(passes({ version: '8' }, parseFilterExpression('version=8'))).toBe(true);
    expect(passes({ version: 8 }, { version: '8' })).toBe(true);
    expect(passes({ flag: 'true' }, parseFilterExpression('flag=true'))).toBe(true);
  });

  test('exists', () => {
    expect(passes({ a: 1 }, { a: { exists: true } })).toBe(true);
    expect(passes({ a: 1 }, { a: { exists: false } })).toBe(false);
    expect(passes({}, { a: { exists: false } })).toBe(true);
    expect(passes({}, { a: { exists: true } })).toBe(false);
    expect(passes({ a: [] }, { a: { exists: false } })).toBe(true);
    expect(matchesFilter(chunk({}, { language: '' }), { language: { exists: false } })).toBe(true);
    expect(matchesFilter(chunk({}, { headingPath: [] }), { section: { exists: false } })).toBe(true);
  });

  test('what a missing field does not match, its negation does', () => {
    expect(passes({}, { not: { a: 1 } })).toBe(true);
    expect(passes({}, { not: { a: { gte: 0 } } })).toBe(true);
    expect(passes({}, { not: { a: { exists: false } } })).toBe(false);
  });

  // [S1-metadata-free]
  test('names that every object has are fields like others', () => {
    for (const field of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      expect(passes({}, JSON.parse(`{${JSON.stringify(field)}: {"exists": true}}`) as Filter)).toBe(false);
    }
  });

  test('nothing is everything, no alternative is nothing', () => {
    expect(passes({}, {})).toBe(true);
    expect(passes({}, { and: [] })).toBe(true);
    expect(passes({}, { or: [] })).toBe(false);
    expect(passes({ a: 1 }, { a: [] })).toBe(false);
  });

  test('several fields of one object must all hold, beside and, or and not', () => {
    const filter: Filter = { a: 1, or: [{ b: 2 }, { b: 3 }], not: { c: 1 } } as Filter;
    expect(passes({ a: 1, b: 3 }, filter)).toBe(true);
    expect(passes({ a: 1, b: 4 }, filter)).toBe(false);
    expect(passes({ a: 1, b: 2, c: 1 }, filter)).toBe(false);
    expect(passes({ b: 2 }, filter)).toBe(false);
  });

  test('a range whose bounds are met by two different values of a list is met by neither', () => {
    expect(conditionHolds([1, 9], { gte: 4, lte: 6 })).toBe(false);
    expect(conditionHolds([1, 5], { gte: 4, lte: 6 })).toBe(true);
  });
});

describe('laws', () => {
  const scalar = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom('a', 'b', '2'), fc.boolean());
  const field = fc.constantFrom('a', 'b', 'title');
  const condition = fc.oneof(
    scalar,
    fc.array(scalar, { maxLength: 3 }),
    fc.record({ gte: fc.integer({ min: 0, max: 3 }), lte: fc.constantFrom(2, 'b') }, { requiredKeys: [] }),
    fc.record({ exists: fc.boolean() }),
  );
  const leaf = fc.tuple(field, condition).map(([key, value]) => ({ [key]: value }) as Filter);
  const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.array(tie('filter'), { maxLength: 3 }).map((and) => ({ and })),
      fc.array(tie('filter'), { maxLength: 3 }).map((or) => ({ or })),
      tie('filter').map((not) => ({ not })),
    ),
  }));
  const metadata = fc.dictionary(
    fc.constantFrom('a', 'b'),
    fc.oneof(scalar, fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 })),
  );

  test('not (a and b) is (not a) or (not b), and so the other way', () => {
    fc.assert(
      fc.property(metadata, filter, filter, (values, a, b) => {
        expect(passes(values, { not: { and: [a, b] } })).toBe(passes(values, { or: [{ not: a }, { not: b }] }));
        expect(passes(values, { not: { or: [a, b] } })).toBe(passes(values, { and: [{ not: a }, { not: b }] }));
        expect(passes(values, { not: { not: a } })).toBe(passes(values, a));
      }),
    );
  });

  test('every filter that can be written is a filter', () => {
    fc.assert(
      fc.property(filter, (written) => {
        expect(parseFilter(JSON.parse(JSON.stringify(written)))).toEqual(written);
      }),
    );
  });

  test('what is written for one value finds exactly that value', () => {
    const value = fc.oneof(fc.integer(), fc.stringMatching(/^[a-z][a-z0-9 -]{0,8}[a-z]$/u));
    fc.assert(
      fc.property(value, value, (wanted, other) => {
        const expression = parseFilterExpression(`key=${wanted}`);
        expect(passes({ key: wanted }, expression)).toBe(true);
        expect(passes({ key: other }, expression)).toBe(String(other) === String(wanted));
      }),
    );
  });
});
