import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parseImportance } from '../../src/importance.ts';
import { createEngine, parseSource, presetSettings } from '../../src/index.ts';

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

describe('a table of importances', () => {
  test('views count by their logarithm, the most viewed page is 1', () => {
    const { values, warnings } = parseImportance('path,views\na.md,999\n"b, c.md",9\nd.md,0\n', 'views.csv');
    expect([...values]).toEqual([
      ['a.md', 1],
      ['b, c.md', Math.log1p(9) / Math.log1p(999)],
      ['d.md', 0],
    ]);
    expect(warnings).toEqual([]);
  });

  test('importances are taken as they are; lines that cannot be read are named', () => {
    const { values, warnings } = parseImportance('path,importance\r\na.md,0.8\r\nb.md,1.5\r\nc.md\r\n', 'i.csv');
    expect([...values]).toEqual([['a.md', 0.8]]);
    expect(warnings).toMatchObject([{ code: 'importance-line', message: expect.stringContaining('3, 4') as string }]);
  });

  test.each(['', 'a.md,5\n', 'url,views\n'])('%j is none', (text) => {
    expect(() => parseImportance(text, 'x.csv')).toThrow('does not begin with path,views');
  });
});

// [S0-payload-importance]
test('important documents come first when adjust.importance says so, and explain says why', async () => {
  const root = await mkdtemp(join(tmpdir(), 'footnote-importance-'));
  folders.push(root);
  await mkdir(join(root, 'docs'));
  const page = (name: string): string => `# ${name}\n\nThe gateway listens on port ${String(name.length)}000.\n`;
  for (const name of ['alpha', 'beta', 'gamma']) await writeFile(join(root, 'docs', `${name}.md`), page(name));
  const marked = `---\nimportance: 0\n---\n${page('delta')}`;
  await writeFile(join(root, 'docs', 'delta.md'), marked);
  await writeFile(join(root, 'views.csv'), 'path,views\ngamma.md,5000\nalpha.md,0\ndelta.md,5000\n');
  const settings = presetSettings('default');
  const open = (importance: number): ReturnType<typeof createEngine> =>
    createEngine({
      folder: join(root, 'index'),
      settings: { ...settings, adjust: { ...settings.adjust, importance } },
    });

  const plain = await open(0);
  await plain.ingest({ sources: [parseSource('docs', { cwd: root })], importance: join(root, 'views.csv') });
  const before = await plain.search({ query: 'which port does the gateway listen on', explain: true });
  expect(before.explanation?.stages.find(({ stage }) => stage === 'adjust')?.detail).toEqual({ adjusted: 0 });
  await plain.close();

  const weighed = await open(0.5);
  const { hits, explanation } = await weighed.search({ query: 'which port does the gateway listen on', explain: true });
  expect(hits[0]?.chunk.path).toBe('gamma.md');
  const reasons = explanation?.stages
    .find(({ stage }) => stage === 'adjust')
    ?.candidates.map(({ path, reason }) => [path, reason]);
  expect(reasons).toContainEqual(['gamma.md', 'importance × 1.5']);
  // What a page says of itself counts before the table.
  expect(reasons).toContainEqual(['delta.md', 'importance × 0.5']);
  expect(reasons).toContainEqual(['beta.md', undefined]);
  await weighed.close();
});
