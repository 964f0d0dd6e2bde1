/** Readers: the same bytes for the same question, whole generations while one writes, and what has changed since. */
import { appendFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createEngine } from '../../src/index.ts';
import { defaultPreset } from '../../src/presets/default.ts';
import { outcome, project, type Json } from '../cli/footnote.ts';
import { ingested } from './fixture.ts';

const QUESTION = 'Which port does the gateway listen on?';

describe('the same twice', () => {
  test('search: the same bytes, but for its timings', async () => {
    const here = await ingested();
    const [first, second] = await Promise.all(
      [1, 2].map(async () => (await here.run(['search', QUESTION, '--json'])).stdout),
    );
    const withoutTimings = (text = ''): string => text.replace(/"timings": \{[^}]*\}/u, '');
    expect(withoutTimings(first)).toContain('8787');
    expect(withoutTimings(first)).toBe(withoutTimings(second));
  });

  test('ask: the same but for id, timings and usage', async () => {
    const here = await ingested();
    const [first, second] = await Promise.all(
      [1, 2].map(async (): Promise<Json> => {
        const answer = await here.json(['ask', QUESTION]);
        return { ...answer, id: '', timings: '', usage: '' };
      }),
    );
    expect(first.text).toContain('8787');
    expect(JSON.stringify(first)).toBe(JSON.stringify(second));
  });

  test('a rebuilt index gives the same hits', async () => {
    const here = await ingested();
    const hits = async (): Promise<Json> => (await here.json(['search', QUESTION])).hits;
    const before = await hits();
    await here.run(['ingest', '--rebuild']);
    expect(await hits()).toEqual(before);
  });
});

test('readers in other processes see whole generations while one writes', async () => {
  const version = (number: number): Readonly<Record<string, string>> =>
    Object.fromEntries(
      Array.from({ length: 120 }, (_, i) => [
        `docs/${i}.md`,
        `# Page ${i}\n\nThe walrus has version v${number}.\n\n${`Words of page ${i} about nothing. `.repeat(150)}\n`,
      ]),
    );
  const here = await project(version(0));
  await here.run(['ingest', 'docs']);
  const settings = { ...defaultPreset, preset: 'default', sources: [] };
  const engine = await createEngine({ folder: join(here.folder, '.footnote'), settings });
  const seen: number[] = [];
  let searches = 0;
  try {
    for (const number of [1, 2]) {
      await here.write(version(number));
      let writing = true;
      const ended = outcome(here.start(['ingest', ...(number === 2 ? ['--rebuild'] : [])])).finally(() => {
        writing = false;
      });
      while (writing) {
        const { hits } = await engine.search({ query: 'walrus version', top: 200, mode: 'keyword' });
        const pages = hits.filter(({ chunk }) => chunk.text.includes('walrus'));
        const versions = new Set(pages.map(({ chunk }) => /version (v\d)/u.exec(chunk.text)?.[1]));
        expect(versions.size).toBe(1);
        expect(new Set(pages.map(({ chunk }) => chunk.path)).size).toBe(120);
        const [version = ''] = versions;
        if (seen.at(-1) !== Number(version.slice(1))) seen.push(Number(version.slice(1)));
        searches++;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      expect((await ended).code).toBe(0);
      // A new process reads what is current.
      expect((await here.json(['search', 'walrus version', '--top', '1'])).hits[0].text).toContain(`v${number}`);
    }
  } finally {
    await engine.close();
  }
  // It saw the old run while the new one was written; after the rebuild it keeps the store that it has open.
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect(seen[0]).toBe(0);
  expect(searches).toBeGreaterThan(20);
});

describe('an answer whose source has changed since', () => {
  test('says so', async () => {
    const here = await ingested();
    const codes = async (): Promise<Json> =>
      (await here.json(['ask', QUESTION])).warnings.map(({ code }: Json) => code);
    expect(await codes()).not.toContain('source-newer');
    await appendFile(join(here.folder, 'docs/ports.md'), '\nNot any more.\n');
    const { citations, warnings } = await here.json(['ask', QUESTION]);
    expect(citations[0].quote).toContain('8787');
    expect(warnings).toContainEqual(expect.objectContaining({ code: 'source-newer', uri: citations[0].uri }));
    expect((await here.run(['ask', QUESTION])).stderr).toMatch(/^warning: /mu);
    await here.run(['ingest']);
    expect(await codes()).not.toContain('source-newer');
  });

  test('and when it is gone', async () => {
    const here = await ingested();
    await rm(join(here.folder, 'docs/ports.md'));
    const { outcome: how, warnings } = await here.json(['ask', QUESTION]);
    expect(how).toBe('answered');
    expect(warnings).toContainEqual(expect.objectContaining({ code: expect.stringMatching(/^source-/u) }));
  });
});
