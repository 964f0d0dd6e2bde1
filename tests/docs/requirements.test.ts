/** What the five designs describe is listed, tested, and shown on a page of its own. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { designs, FINISHED, requirements } from '../requirements.ts';
import { citations } from '../requirements/citations.ts';
import { seedsPage } from '../requirements/page.ts';
import { readText, REPOSITORY } from './pages.ts';

const seeds = join(REPOSITORY, '..', 'shared', 'seeds');
const cited = citations(join(REPOSITORY, 'tests'));

describe('the list', () => {
  test('has each id once, under its own design', () => {
    const ids = requirements.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    for (const { prefix, topics } of designs) {
      const statements = topics.flatMap((topic) => topic.statements);
      expect(statements.length).toBeGreaterThan(40);
      expect(statements.filter(({ id }) => !id.startsWith(prefix))).toEqual([]);
    }
  });

  test('a claim has no deviation: there is nothing to build', () => {
    const wrong = requirements.filter(({ kind, deviation }) => kind === 'claim' && deviation !== undefined);
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });

  test.skipIf(!existsSync(seeds)).each(designs)(
    'quotes $program at its lines (needs ../shared)',
    ({ seed, topics }) => {
      const file = readdirSync(seeds).find((name) => name.startsWith(seed)) ?? '';
      const lines = readFileSync(join(seeds, file), 'utf8').split('\n');
      const wrong = topics
        .flatMap(({ statements }) => statements)
        .filter(({ line, quote }) => lines[line - 1]?.includes(quote) !== true);
      expect(wrong.map(({ id, line, quote }) => `${id}: line ${line} has no "${quote}"`)).toEqual([]);
    },
  );
});

describe('the tests', () => {
  test('cite no id that is not in the list', () => {
    const known = new Set(requirements.map(({ id }) => id));
    const unknown = [...cited].filter(([id]) => !known.has(id)).map(([id, files]) => `${id} in ${files.join(', ')}`);
    expect(unknown).toEqual([]);
  });

  test('cite every behaviour of the parts that are finished', () => {
    const missing = requirements
      .filter(({ id, issue, kind }) => kind !== 'claim' && FINISHED.has(issue) && !cited.has(id))
      .map(({ id, says }) => `${id}: ${says}`);
    expect(missing).toEqual([]);
  });
});

test('docs/seeds.md is what the list and the tests say (else: node tools/seeds.mjs)', () => {
  expect(readText('docs/seeds.md')).toBe(seedsPage(cited));
});
