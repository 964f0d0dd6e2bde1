/**
 * An index that adapts its model: when it does, when it does not, and what a stop or a kill leaves. Planned in a design:
 * embedding models tuned to a domain (S1-future-fine-tuning).
 */
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { IngestReport } from '../../src/core/results.ts';
import type { Settings } from '../../src/core/settings.ts';
import { createEngine } from '../../src/engine.ts';
import type { Engine } from '../../src/engine.ts';
import { defaultPreset } from '../../src/presets/default.ts';
import { defineSource } from '../../src/sources/address.ts';
import { readAdapted } from '../../src/static-model/adapted.ts';
import { embedText, staticModel } from '../../src/static-model/static-model.ts';
import type { StaticModel } from '../../src/static-model/static-model.ts';
import { project } from '../cli/footnote.ts';
import type { Project } from '../cli/footnote.ts';
import { dictionary, noise, TEXT_WORDS, UNSEEN } from './corpus.ts';

const settingsWith = (adapt: Settings['embed']['adapt']): Settings => ({
  ...defaultPreset,
  preset: 'default',
  sources: [],
  // Sections stay apart: each is a chunk.
  chunk: { ...defaultPreset.chunk, minTokens: 20, targetTokens: 60, maxTokens: 90, overlapTokens: 0 },
  embed: { ...defaultPreset.embed, adapt },
});

const folderOf = (here: Project): string => join(here.folder, '.footnote');

async function withEngine<T>(
  here: Project,
  use: (engine: Engine) => Promise<T>,
  adapt: Settings['embed']['adapt'] = 'auto',
): Promise<T> {
  const engine = await createEngine({ folder: folderOf(here), settings: settingsWith(adapt) });
  try {
    return await use(engine);
  } finally {
    await engine.close();
  }
}

const ingest = (here: Project, adapt: Settings['embed']['adapt'] = 'auto'): Promise<IngestReport> =>
  withEngine(
    here,
    (engine) => engine.ingest({ sources: [defineSource({ from: join(here.folder, 'docs') }, here.folder)] }),
    adapt,
  );

/** Among all pairs of words of the texts, the place of the one that the unseen heading stands for; 0 is the nearest. */
function placeOfMeaning(model: StaticModel): number {
  const heading = embedText(UNSEEN.heading, model);
  const similarity = (text: string): number =>
    embedText(text, model).reduce((sum, value, i) => sum + value * (heading[i] as number), 0);
  const wanted = similarity(UNSEEN.meaning);
  const pairs = TEXT_WORDS.flatMap((a, i) => TEXT_WORDS.slice(i + 1).map((b) => `${a} ${b}`));
  return pairs.filter((pair) => similarity(pair) > wanted).length;
}

const storeFiles = async (here: Project): Promise<string[]> =>
  (await readdir(folderOf(here))).filter((name) => /^index-.*(?:model|sqlite)$/.test(name)).sort();

describe('an index that teaches', () => {
  // [S1-future-fine-tuning]
  test('adapts the model, says so, and keeps it for what comes later', async () => {
    const here = await project(dictionary());
    const { adaptation, chunks } = await ingest(here);
    expect(adaptation).toMatchObject({ outcome: 'kept', model: expect.stringMatching(/@[0-9a-f]{12}\+[0-9a-f]{12}$/) });
    expect(adaptation?.with).toBeGreaterThan((adaptation?.without ?? 1) + 0.1);
    expect(await storeFiles(here)).toEqual(['index-000002.model', 'index-000002.sqlite']);

    await withEngine(here, async (engine) => {
      const status = await engine.status();
      expect(status).toMatchObject({ model: adaptation?.model, adaptation, chunks });
      expect(status.lastSync?.chunks).toBe(chunks);
      const { explanation } = await engine.search({ query: 'silver', explain: true });
      const dense = explanation?.stages.find(({ stage }) => stage === 'dense');
      expect(dense?.detail['model']).toBe(adaptation?.model);

      // Nothing has changed: not tried again. One page more: read with the model that there is.
      expect((await engine.ingest()).adaptation).toBeUndefined();
      await here.write({ 'docs/new.md': '# New\n\nThe zebra crossing is next to the town hall of Springfield.\n' });
      const report = await engine.ingest();
      expect(report.sources[0]).toMatchObject({ added: 1 });
      expect(report.adaptation).toBeUndefined();
      const { hits } = await engine.search({ query: 'town hall', mode: 'dense', top: 1 });
      expect(hits[0]?.chunk.path).toBe('new.md');
      expect((await engine.status()).model).toBe(adaptation?.model);
    });
    expect(await storeFiles(here)).toEqual(['index-000002.model', 'index-000002.sqlite']);
  }, 60_000);

  test('knows by meaning what a heading stands for that is in no page', async () => {
    const here = await project(dictionary());
    await ingest(here);
    const base = await staticModel();
    const taught = await readAdapted(join(folderOf(here), 'index-000002.model'), base);
    const [before, after] = [placeOfMeaning(base), placeOfMeaning(taught)];
    expect(before).toBeGreaterThan(10);
    expect(after).toBeLessThan(5);
  }, 60_000);

  test('gives the same model for the same pages, wherever they lie', async () => {
    const models = [await project(dictionary()), await project(dictionary())].map(async (here) => {
      await ingest(here);
      return (await readFile(join(folderOf(here), 'index-000002.model'))).toString('base64');
    });
    const [first, second] = await Promise.all(models);
    expect(first === second).toBe(true);
  }, 60_000);

  test('tries again when enough has changed', async () => {
    const here = await project(dictionary());
    await ingest(here);
    const changed = Object.entries(dictionary()).map(([name, text], i) => [
      name,
      i < 4 ? `${text}\nOne line more.\n` : text,
    ]);
    await here.write(Object.fromEntries(changed.slice(0, 1)) as Record<string, string>);
    expect((await ingest(here)).adaptation).toBeUndefined();
    await here.write(Object.fromEntries(changed) as Record<string, string>);
    expect((await ingest(here)).adaptation).toBeDefined();
  }, 60_000);
});

describe('an index that does not teach', () => {
  test('keeps the model as it ships, and does not try twice; `always` takes it all the same', async () => {
    const here = await project(noise());
    const { adaptation } = await ingest(here);
    expect(adaptation).toMatchObject({ outcome: 'not-better', model: expect.not.stringContaining('+') });
    expect(adaptation?.heldBack).toBeGreaterThan(30);
    expect(await storeFiles(here)).toEqual(['index-000001.sqlite']);
    expect((await ingest(here)).adaptation).toBeUndefined();
    const status = await withEngine(here, (engine) => engine.status());
    expect(status.adaptation).toEqual(adaptation);
    expect(status.model).not.toContain('+');
    const always = await withEngine(here, (engine) => engine.ingest({ rebuild: true }), 'always');
    expect(always.adaptation).toMatchObject({ outcome: 'kept', with: adaptation?.with, without: adaptation?.without });
  }, 60_000);

  test('is not tried when it is small, nor when it is not wanted', async () => {
    const here = await project({ 'docs/a.md': '# Ports\n\nThe gateway listens on port 8787 by default.\n' });
    expect((await ingest(here)).adaptation).toMatchObject({ outcome: 'too-small', heldBack: expect.any(Number) });
    expect((await ingest(here)).adaptation).toBeUndefined();
    const never = await project(dictionary());
    expect((await ingest(never, 'never')).adaptation).toBeUndefined();
    expect((await withEngine(never, (engine) => engine.status(), 'never')).adaptation).toBeNull();
  }, 60_000);
});

describe('a run that does not end', () => {
  test('stopped: the index is complete without it, can be searched meanwhile, and the next run adapts', async () => {
    const here = await project(dictionary());
    const controller = new AbortController();
    const sources = [defineSource({ from: join(here.folder, 'docs') }, here.folder)];
    await withEngine(here, async (engine) => {
      const searches: Promise<number>[] = [];
      const report = await engine.ingest({
        sources,
        signal: controller.signal,
        onProgress({ phase, done }) {
          if (phase !== 'adapt') return;
          searches.push(engine.search({ query: 'the silver castle' }).then(({ hits }) => hits.length));
          if (done === 10) controller.abort();
        },
      });
      expect(report.adaptation).toMatchObject({ outcome: 'stopped', model: expect.not.stringContaining('+') });
      expect(Math.min(...(await Promise.all(searches)))).toBeGreaterThan(0);
      expect(searches.length).toBeGreaterThan(5);
      expect(await engine.status()).toMatchObject({ adaptation: null, chunks: report.chunks });
      expect((await engine.ingest()).adaptation).toMatchObject({ outcome: 'kept' });
      expect((await engine.search({ query: 'the silver castle' })).hits.length).toBeGreaterThan(0);
    });
  }, 60_000);

  test('another process wrote meanwhile: nothing of its work is lost', async () => {
    const here = await project(dictionary());
    await ingest(here, 'auto');
    await here.write(noise());
    const other = await createEngine({ folder: folderOf(here), settings: settingsWith('auto') });
    await withEngine(here, async (engine) => {
      let written: Promise<unknown> | undefined;
      const report = await engine.ingest({
        onProgress({ phase, done }) {
          if (phase !== 'adapt' || done !== 5) return;
          written = here
            .write({ 'docs/late.md': '# Late\n\nThe walrus arrives late in the evening.\n' })
            .then(() => other.ingest({ onProgress: () => undefined }));
        },
      });
      await written;
      expect(report.adaptation).toBeDefined();
      const { hits } = await engine.search({ query: 'walrus' });
      expect(hits[0]?.chunk.path).toBe('late.md');
    });
    await other.close();
  }, 90_000);

  test('killed while the second store is written: the first is whole, and the next run makes another', async () => {
    const here = await project(dictionary());
    const env = { FOOTNOTE_EMBED__ADAPT: 'auto', ...SMALL_CHUNKS };
    const child = here.start(['ingest', 'docs'], env);
    while (!existsSync(join(folderOf(here), 'index-000002.sqlite')) && child.exitCode === null) await sleep(2);
    child.kill('SIGKILL');
    await new Promise((resolve) => child.on('close', resolve));
    const manifest = JSON.parse(await readFile(join(folderOf(here), 'index.json'), 'utf8')) as { active: string };
    expect(manifest.active).toBe('index-000001.sqlite');
    const found = await here.run(['search', 'silver castle', '--json'], env);
    expect(JSON.parse(found.stdout)).toMatchObject({ hits: expect.arrayContaining([expect.anything()]) });
    const again = await here.run(['ingest'], env);
    expect(again.stdout).toContain('adapted to this index');
    expect(await storeFiles(here)).toEqual(['index-000002.model', 'index-000002.sqlite']);
    expect((await here.run(['status'], env)).stdout).toMatch(/adaptation +adapted to this index: static-docs-384@/);
  }, 90_000);

  test('a model that is gone or of another version is told, and a rebuild mends it', async () => {
    const here = await project(dictionary());
    await ingest(here);
    const path = join(folderOf(here), 'index-000002.model');
    const bytes = await readFile(path);
    await writeFile(path, Buffer.from(bytes).fill(120, 40, 60));
    await expect(withEngine(here, (engine) => engine.search({ query: 'silver' }))).rejects.toThrow(/adapted/);
    await rm(path);
    await expect(withEngine(here, (engine) => engine.search({ query: 'silver' }))).rejects.toThrow(/other settings/);
    const report = await withEngine(here, (engine) => engine.ingest({ rebuild: true }));
    expect(report.adaptation).toMatchObject({ outcome: 'kept' });
  }, 60_000);
});

const SMALL_CHUNKS = {
  FOOTNOTE_CHUNK__MIN_TOKENS: '20',
  FOOTNOTE_CHUNK__TARGET_TOKENS: '60',
  FOOTNOTE_CHUNK__MAX_TOKENS: '90',
  FOOTNOTE_CHUNK__OVERLAP_TOKENS: '0',
};
