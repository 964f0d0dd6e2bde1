/** What the designs ask of the program's own structure and tests. */
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesBelow, readText, REPOSITORY } from '../docs/pages.ts';

const DRIVERS = new Set(['sources', 'parsers', 'chunkers', 'embedders', 'stores', 'generators', 'rerankers']);

/** Folders below `src/` that each folder imports; a file at the top is called by its name. */
const imports = filesBelow('src', '.ts').map((file) => {
  const from = posix.relative('src', file);
  const targets = [...readText(file).matchAll(/(?:from|import\() ?'(?<target>\.[^']*)'/gu)].map(({ groups }) =>
    posix.join(posix.dirname(from), groups?.['target'] ?? ''),
  );
  return { from, folder: from.split('/')[0] ?? '', targets: targets.map((path) => path.split('/')[0] ?? '') };
});

// [S1-three-layers] [S1-swap-backend]
describe('layers: storage knows nothing of search, and search nothing of a certain store', () => {
  test('no driver imports another kind of driver, the pipeline or a surface', () => {
    const drivers = imports.filter(({ folder }) => DRIVERS.has(folder));
    expect(drivers.length).toBeGreaterThan(40);
    const wrong = drivers.filter(({ folder, targets }) =>
      targets.some((to) => to !== folder && (DRIVERS.has(to) || ['pipeline', 'cli', 'engine.ts'].includes(to))),
    );
    expect(wrong.map(({ from }) => from)).toEqual([]);
  });

  test('the pipeline imports no driver, the core nothing', () => {
    const pipeline = imports.filter(({ folder }) => folder === 'pipeline');
    expect(pipeline.filter(({ targets }) => targets.some((to) => DRIVERS.has(to)))).toEqual([]);
    const core = imports.filter(({ folder }) => folder === 'core');
    expect(core.filter(({ targets }) => targets.some((to) => to !== 'core'))).toEqual([]);
  });
});

// [S1-tests-pipeline]
test('whatever is submitted runs the checks and all tests', () => {
  const script = readFileSync(join(REPOSITORY, '.ci/run'), 'utf8');
  expect(script).toMatch(/^set -e/mu);
  expect(script).toMatch(/^node tools\/check\.mjs$/mu);
  expect(script).toMatch(/^npm test$/mu);
  expect(existsSync(join(REPOSITORY, 'tools/check.mjs'))).toBe(true);
});
