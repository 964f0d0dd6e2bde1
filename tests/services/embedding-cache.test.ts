import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { vectorCache } from '../../src/caches/vector-cache.ts';
import { withCache, type CacheCounts } from '../../src/caches/with-cache.ts';
import type { Embedder } from '../../src/core/contracts.ts';
import type { Warning } from '../../src/core/types.ts';
import { loadDriver } from '../../src/sqlite/driver.ts';
import { vectorOf } from './replay.ts';

const driver = await loadDriver();
let folder: string;
let path: string;
const warnings: Warning[] = [];
const closing: (() => void)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'footnote-cache-'));
  path = join(folder, 'cache.sqlite');
  warnings.length = 0;
  return () => {
    for (const close of closing.splice(0)) close();
    return rm(folder, { recursive: true });
  };
});

/** Vectors that tell text, model and prompt; counts what it was asked. */
function model(name = 'a/model/3', dimensions = 3): Embedder & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    model: name,
    dimensions,
    maxBatch: 8,
    maxTokens: 512,
    countTokens: (text) => text.length,
    embed: async (texts, as) => {
      asked.push(...texts);
      return texts.map((text) => Float32Array.from(vectorOf(`${name}\n${as}\n${text}`, dimensions)));
    },
  };
}

interface Cached {
  readonly embedder: Embedder;
  readonly asked: string[];
  readonly counts: CacheCounts;
}

function cached(inner = model(), ttlSeconds: number | null = null, now = (): number => 1_000): Cached {
  const cache = vectorCache(driver, { path, ttlSeconds, now, onWarning: (warning) => warnings.push(warning) });
  closing.push(() => cache.close());
  const counts = { hits: 0, misses: 0 };
  return { embedder: withCache(inner, cache, counts), asked: inner.asked, counts };
}

describe('what is kept', () => {
  test('the same vectors, bit for bit, to another process’ eyes too', async () => {
    const [first, second] = [cached(), cached()];
    const made = await first.embedder.embed(['a', 'b'], 'passage');
    expect(await second.embedder.embed(['b', 'c', 'a'], 'passage')).toEqual([
      made[1],
      ...(await model().embed(['c'], 'passage')),
      made[0],
    ]);
    expect(second.asked).toEqual(['c']);
    expect([first.counts, second.counts]).toEqual([
      { hits: 0, misses: 2 },
      { hits: 2, misses: 1 },
    ]);
    expect(warnings).toEqual([]);
  });

  test('by model, prompt and text', async () => {
    await cached().embedder.embed(['a'], 'passage');
    const others = [
      [cached(), 'query', 'a'],
      [cached(model('another/model/3')), 'passage', 'a'],
      [cached(), 'passage', 'a '],
    ] as const;
    for (const [{ embedder, asked }, as, text] of others) {
      const [vector] = await embedder.embed([text], as);
      expect(asked).toEqual([text]);
      expect(vector).toEqual((await model(embedder.model).embed([text], as))[0]);
    }
  });

  test('one text of several equal ones is embedded', async () => {
    const { embedder, asked, counts } = cached();
    const [a, b, again] = await embedder.embed(['a', 'b', 'a'], 'passage');
    expect(asked).toEqual(['a', 'b']);
    expect(again).toEqual(a);
    expect(b).not.toEqual(a);
    expect(counts).toEqual({ hits: 1, misses: 2 });
  });

  test('what was embedded before a failure', async () => {
    const inner = model();
    const failing: Embedder = {
      ...inner,
      embed: async (texts, as) => {
        if (texts.includes('600')) throw new Error('the service is down');
        return inner.embed(texts, as);
      },
    };
    const texts = Array.from({ length: 1000 }, (_, i) => String(i));
    await expect(cached({ ...failing, asked: [] }).embedder.embed(texts, 'passage')).rejects.toThrow('down');
    const later = cached();
    await later.embedder.embed(texts, 'passage');
    expect(later.counts.hits).toBe(512);
  });

  test('everything else of an embedder stays', () => {
    const inner = model();
    expect(cached(inner).embedder).toMatchObject({ model: inner.model, dimensions: 3, maxBatch: 8, maxTokens: 512 });
  });

  test('for as long as the settings say', async () => {
    const time = { now: 1_000 };
    const aged = (): Cached => cached(model(), 60, () => time.now);
    await aged().embedder.embed(['a'], 'passage');
    time.now += 59;
    const [young, old] = [aged(), aged()];
    await young.embedder.embed(['a'], 'passage');
    expect(young.asked).toEqual([]);
    time.now += 2;
    await old.embedder.embed(['a'], 'passage');
    expect(old.asked).toEqual(['a']);
  });
});

describe('what goes wrong costs no request', () => {
  const works = async ({ embedder }: Cached): Promise<void> => {
    for (const text of ['a', 'b'])
      expect(await embedder.embed([text], 'passage')).toEqual(await model().embed([text], 'passage'));
  };

  test('a file that is no database is begun anew, with one warning', async () => {
    await writeFile(path, 'this is not a database, but long enough to look like a file of one'.repeat(100));
    const one = cached();
    await works(one);
    expect(warnings.map(({ code }) => code)).toEqual(['embedding-cache-damaged']);
    const next = cached();
    await works(next);
    expect(next.counts.hits).toBeGreaterThan(0);
    expect(warnings).toHaveLength(1);
  });

  test('a damaged page', async () => {
    const one = cached(model('a/model/300', 300));
    await one.embedder.embed(
      Array.from({ length: 200 }, (_, i) => String(i)),
      'passage',
    );
    closing.splice(0).forEach((close) => close());
    const file = await open(path, 'r+');
    const { size } = await file.stat();
    expect(size).toBeGreaterThan(200 * 300 * 4);
    await file.write(Buffer.alloc(size - 8192, 0x5a), 0, size - 8192, 8192);
    await file.close();
    const next = cached(model('a/model/300', 300));
    const texts = Array.from({ length: 200 }, (_, i) => String(i));
    expect(await next.embedder.embed(texts, 'passage')).toEqual(
      await model('a/model/300', 300).embed(texts, 'passage'),
    );
    expect(warnings.map(({ code }) => code)).toEqual(['embedding-cache-damaged']);
  });

  test('a vector of another length, or of something else than numbers, is made anew', async () => {
    await cached().embedder.embed(['a', 'b'], 'passage');
    const db = new driver.DatabaseSync(path, { readOnly: false });
    db.exec("UPDATE vectors SET vector = CASE WHEN rowid = 1 THEN x'0000803f' ELSE x'0000c07f0000c07f0000c07f' END");
    db.close();
    const one = cached();
    await works(one);
    expect(one.asked).toEqual(['a', 'b']);
  });

  test('a file of another format is begun anew', async () => {
    const db = new driver.DatabaseSync(path, { readOnly: false });
    db.exec('CREATE TABLE vectors (other TEXT); PRAGMA user_version = 99');
    db.close();
    await works(cached());
    const next = cached();
    await works(next);
    expect(next.asked).toEqual([]);
  });

  test('a file that another process holds: one warning, and no waiting for ever', async () => {
    await works(cached());
    const db = new driver.DatabaseSync(path, { readOnly: false });
    db.exec('BEGIN IMMEDIATE');
    const one = cached();
    await one.embedder.embed(['c'], 'passage');
    await one.embedder.embed(['d'], 'passage');
    db.exec('ROLLBACK');
    db.close();
    expect(warnings.map(({ code }) => code)).toEqual(['embedding-cache-busy']);
    await one.embedder.embed(['e'], 'passage');
    const next = cached();
    await next.embedder.embed(['c', 'e'], 'passage');
    expect(next.asked).toEqual(['c']);
  });

  test('a folder in its place', async () => {
    await mkdir(path);
    await works(cached());
    expect(warnings.map(({ code }) => code)).toEqual(['embedding-cache-failed']);
    expect(warnings[0]?.hint).toContain('cache.embeddings: none');
  });

  test('no folder to keep it in: no cache', async () => {
    path = join(folder, 'missing', 'cache.sqlite');
    await works(cached());
    expect(existsSync(join(folder, 'missing'))).toBe(false);
    expect(warnings).toEqual([]);
  });

  test('a file that is deleted meanwhile', async () => {
    const one = cached();
    await works(one);
    for (const suffix of ['', '-wal', '-shm']) await rm(path + suffix, { force: true });
    await works(one);
    await one.embedder.embed(['c'], 'passage');
    const next = cached();
    await works(next);
    expect(warnings).toEqual([]);
    // Only the file itself: what is left of its log is not taken for that of the next one.
    await rm(path);
    await works(cached());
    expect(warnings).toEqual([]);
  });
});

test('several processes at once', { timeout: 60_000 }, async () => {
  const script = join(folder, 'writer.mjs');
  const built = (name: string): string => JSON.stringify(new URL(`../../dist/${name}`, import.meta.url).href);
  await writeFile(
    script,
    `import { vectorCache } from ${built('caches/vector-cache.js')};
     import { withCache } from ${built('caches/with-cache.js')};
     import { loadDriver } from ${built('sqlite/driver.js')};
     const warnings = [];
     const counts = { hits: 0, misses: 0 };
     const cache = vectorCache(await loadDriver(), { path: process.argv[2], ttlSeconds: null, now: () => 5, onWarning: (w) => warnings.push(w) });
     const made = (text) => Float32Array.from({ length: 64 }, (_, i) => Number(text) + i / 64);
     const embedder = withCache({ model: 'm', dimensions: 64, embed: async (texts) => texts.map(made) }, cache, counts);
     let wrong = 0;
     for (let i = 0; i < 60; i++) {
       const texts = Array.from({ length: 10 }, () => String(Math.floor(Math.random() * 200)));
       const vectors = await embedder.embed(texts, 'passage');
       texts.forEach((text, at) => { if (vectors[at][0] !== Number(text) || vectors[at][63] !== Math.fround(Number(text) + 63 / 64)) wrong++; });
     }
     cache.close();
     console.log(JSON.stringify({ wrong, warnings, ...counts }));`,
  );
  const run = (): Promise<{ wrong: number; warnings: unknown[]; hits: number; misses: number }> =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
      let out = '';
      child.stdout.on('data', (part: Buffer) => (out += part.toString()));
      child.once('close', (code) => (code === 0 ? resolve(JSON.parse(out)) : reject(new Error(`exit ${code}`))));
    });
  const results = await Promise.all([run(), run(), run()]);
  for (const { wrong, warnings: told } of results) expect({ wrong, told }).toEqual({ wrong: 0, told: [] });
  expect(results.reduce((sum, { hits }) => sum + hits, 0)).toBeGreaterThan(600);
  expect((await readFile(path)).subarray(0, 15).toString()).toBe('SQLite format 3');
});
