/** One writer at a time, and what a killed one leaves. */
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { outcome, project, type Json, type Project } from '../cli/footnote.ts';

const text = Array.from({ length: 150 }, (_, i) => `word${i % 97} in the sentence ${i}.`).join(' ');
const MANY: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from({ length: 400 }, (_, i) => [`docs/${i}.md`, `# Page ${i}\n\n${text}\n`]),
);

/** Until a store has some dozens of the documents. */
async function writing(here: Project, store = 'index-000001.sqlite'): Promise<void> {
  const file = join(here.folder, '.footnote', `${store}-wal`);
  while (((await stat(file).catch(() => undefined))?.size ?? 0) < 3_000_000) await sleep(10);
}

test('a second writer is told who holds the index; readers are not affected', async () => {
  const here = await project(MANY);
  const first = here.start(['ingest', 'docs']);
  const ended = outcome(first);
  await writing(here);
  for (const args of [['ingest'], ['ingest', '--rebuild'], ['ingest', 'docs']]) {
    const second = await here.run(args);
    expect(second, args.join(' ')).toMatchObject({ code: 2, stdout: '' });
    expect(second.stderr).toMatch(
      /^footnote: footnote ingest \(process \d+, since .*\) is writing to this index\nhint: /u,
    );
    expect(second.stderr).toContain(String(first.pid));
  }
  // Nothing is published yet, and nothing half-way is shown.
  const early = await here.run(['search', 'word7']);
  expect(early).toMatchObject({ code: 2, stdout: '' });
  expect(early.stderr).toContain('has not finished');
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
  expect((await here.json(['status'])).documents).toBe(400);
});

test('two at once: both end well, or one is told to wait', async () => {
  const here = await project(Object.fromEntries(Object.entries(MANY).slice(0, 40)));
  for (const args of [['ingest', 'docs'], ['ingest', '--rebuild'], ['ingest']]) {
    const both = await Promise.all([here.run(args), here.run(args)]);
    expect(both.map(({ code }) => code)).toContain(0);
    for (const { code, stderr } of both) if (code !== 0) expect(stderr).toContain('is writing to this index');
    expect((await here.json(['status'])).documents).toBe(40);
    const stores = (await readdir(join(here.folder, '.footnote'))).filter((name) => /^index-\d+\.sqlite$/u.test(name));
    expect(stores).toHaveLength(1);
  }
});

test('a killed rebuild leaves the old index current, and goes at the next run', async () => {
  const here = await project(MANY);
  await here.run(['ingest', 'docs']);
  const env = { FOOTNOTE_CHUNK__MAX_TOKENS: '400' };
  const child = here.start(['ingest', '--rebuild'], env);
  const ended = outcome(child);
  await writing(here, 'index-000002.sqlite');
  child.kill('SIGKILL');
  await ended;
  const folder = join(here.folder, '.footnote');
  expect(existsSync(join(folder, 'index-000002.sqlite'))).toBe(true);
  expect((await here.json(['search', 'word7'])).hits.length).toBeGreaterThan(0);
  const report: Json = await here.json(['ingest']);
  expect(report).toMatchObject({ documents: 400, sources: [{ read: 0, unchanged: 400 }] });
  expect((await readdir(folder)).filter((name) => name.startsWith('index-000002'))).toEqual([]);
});

test('a source whose removal was killed is still there, whole or not at all', async () => {
  const here = await project({ ...MANY, 'notes/a.md': '# A\n\nThe walrus sleeps.\n' });
  await here.run(['ingest', 'docs', 'notes']);
  const child = here.start(['ingest', '--remove', 'docs']);
  const ended = outcome(child);
  await sleep(500);
  child.kill('SIGKILL');
  await ended;
  const { documents, sources }: Json = await here.json(['status']);
  expect([1, 401]).toContain(documents);
  if (documents === 401) expect(sources.map(({ id }: Json) => id)).toEqual(['docs', 'notes']);
  expect((await here.json(['ingest', '--remove', 'notes'])).documents).toBe(documents - 1);
});
