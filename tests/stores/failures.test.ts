import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isRagError, RagError } from '../../src/core/errors.ts';
import { createIndex } from '../../src/stores/embedded/format.ts';
import embeddedStore from '../../src/stores/embedded/index.ts';
import { createWriter } from '../../src/stores/embedded/writer.ts';
import { openDatabase } from '../../src/stores/sqlite.ts';
import { SPARSE_SCHEMA, sampleDocument, sampleOrigin } from '../../src/testing/index.ts';
import type { SampleDocument } from '../../src/testing/index.ts';
import { dense, everything, indexPath, keyword, openStore, put, sparse, temporaryFolder } from './fixtures.ts';

const page = (n: number): SampleDocument => ({
  path: `p${n}.md`,
  title: `Page ${n}`,
  sections: [
    {
      heading: 'One',
      text: `alpha beta ${'word '.repeat(400)}`,
      vectors: { dense: [1, n, 0, 0], heading: [1, 0, 0, 0] },
      sparse: { sparse: Object.fromEntries(Array.from({ length: 200 }, (_, i) => [i * 7, 1 + n + i])) },
    },
    { heading: 'Two', text: `gamma ${n}`, vectors: { dense: [0, n, 1, 0], heading: [0, 1, 0, 0] }, metadata: { n } },
  ],
});
const QUERIES = [
  dense([1, 1, 0, 0], 10),
  dense([1, 0, 0, 0], 10, { n: { gte: 2 } }, 'heading'),
  keyword('alpha gamma', 10),
  sparse({ 7: 1, 700: 1, 1393: 2 }, 10),
];

async function buildIndex(folder: string, pages = 5): Promise<void> {
  const store = await openStore(folder, 'write');
  for (let n = 0; n < pages; n++) await put(store, page(n));
  await store.publish();
  await store.close();
}

const errorOf = async (call: () => Promise<unknown>): Promise<RagError> => {
  const error: unknown = await call().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isRagError(error)) throw new Error(`no RagError, but ${String(error)}`);
  return error;
};

describe('opening', () => {
  it('for reading creates nothing', async () => {
    const folder = temporaryFolder();
    const error = await errorOf(() => openStore(folder, 'read'));
    expect([error.code, error.hint]).toEqual(['index-missing', expect.stringContaining('footnote ingest')]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('an index that was being created when its writer was killed: missing for readers, created by the next writer', async () => {
    const folder = temporaryFolder();
    writeFileSync(indexPath(folder), '');
    expect((await errorOf(() => openStore(folder, 'read'))).code).toBe('index-missing');
    await buildIndex(folder);
    expect((await (await openStore(folder, 'read')).documents()).length).toBe(5);
  });

  it('refuses another format, and says so', async () => {
    const folder = temporaryFolder();
    await buildIndex(folder);
    const db = await openDatabase(indexPath(folder), { readOnly: false });
    db.exec('PRAGMA user_version = 99');
    db.close();
    for (const mode of ['read', 'write'] as const) {
      const error = await errorOf(() => openStore(folder, mode));
      expect(error.code).toBe('index-mismatch');
      expect(error.message).toMatch(/format was 99, is 1/u);
      expect(error.hint).toMatch(/--rebuild/u);
    }
  });

  it('refuses an SQLite file of another program', async () => {
    const folder = temporaryFolder();
    const db = await openDatabase(indexPath(folder), { readOnly: false });
    db.exec('CREATE TABLE other (x)');
    db.close();
    expect((await errorOf(() => openStore(folder, 'read'))).code).toBe('index-mismatch');
  });

  it('reads where it may not write', async (context) => {
    context.skip(process.platform === 'win32', 'permissions of folders are another thing there');
    const folder = temporaryFolder();
    await buildIndex(folder);
    const copy = join(folder, 'read-only');
    mkdirSync(copy);
    chmodSync(folder, 0o755);
    cpSync(indexPath(folder), indexPath(copy));
    chmodSync(indexPath(copy), 0o444);
    chmodSync(copy, 0o555);
    const user = process.geteuid?.();
    try {
      if (user === 0) process.seteuid?.(65_534);
      const store = await openStore(copy, 'read');
      expect((await store.documents()).length).toBe(5);
      expect((await errorOf(() => openStore(copy, 'write'))).code).toBe('storage-failed');
      expect(readdirSync(copy)).toEqual(['index-000001.sqlite']);
    } finally {
      if (user === 0) process.seteuid?.(0);
      chmodSync(copy, 0o755);
    }
  });
});

describe('a damaged file', () => {
  it('that is no SQLite file', async () => {
    const folder = temporaryFolder();
    writeFileSync(indexPath(folder), 'this is not a database, but long enough to be read as one. '.repeat(40));
    for (const mode of ['read', 'write'] as const) {
      const error = await errorOf(() => openStore(folder, mode));
      expect([error.code, error.hint]).toEqual(['index-damaged', expect.stringContaining('--rebuild')]);
    }
  });

  it('cut off or overwritten anywhere is told or harmless, never a crash', { timeout: 120_000 }, async () => {
    const folder = temporaryFolder();
    await buildIndex(folder, 30);
    const whole = readFileSync(indexPath(folder));
    const outcomes = new Set<string>();
    for (let i = 0; i < 60; i++) {
      const copy = join(folder, `damaged-${i}`);
      mkdirSync(copy);
      writeFileSync(indexPath(copy), whole);
      const at = Math.floor((whole.length * i) / 60);
      if (i % 3 === 0) truncateSync(indexPath(copy), at);
      else {
        const file = openSync(indexPath(copy), 'r+');
        writeSync(file, Buffer.alloc(i % 3 === 1 ? 64 : 4096, i % 2 === 0 ? 0xff : 0), 0, null, at);
        closeSync(file);
      }
      const store = embeddedStore({ path: indexPath(copy) });
      try {
        await store.open(SPARSE_SCHEMA, 'read');
        await everything(store, ['docs'], QUERIES);
        outcomes.add('harmless');
      } catch (error) {
        if (!isRagError(error)) throw error;
        outcomes.add(error.code);
        expect(['index-damaged', 'index-missing', 'index-mismatch']).toContain(error.code);
      } finally {
        await store.close();
      }
    }
    expect(outcomes).toContain('index-damaged');
  });
});

describe('a full disk', () => {
  it('costs nothing that was written before, and the run goes on when there is room', async () => {
    const db = await openDatabase(indexPath(temporaryFolder()), { readOnly: false });
    createIndex(db, SPARSE_SCHEMA);
    const writer = createWriter(db, SPARSE_SCHEMA);
    const write = (n: number): void => {
      const stored = sampleDocument(page(n));
      writer.replace(sampleOrigin(stored), [stored]);
    };
    write(0);
    writer.publish();
    const { page_count: pages } = db.prepare<{ page_count: number }>('PRAGMA page_count').get() as {
      page_count: number;
    };
    db.exec(`PRAGMA max_page_count = ${pages + 6}`);
    let written = 0;
    const fill = (): void => {
      for (written = 0; written < 1000; written++) write(written + 1);
    };
    expect(fill).toThrow(
      expect.objectContaining({ code: 'storage-failed', message: expect.stringMatching(/disk is full/u) }),
    );
    expect(written).toBeLessThan(1000);
    db.exec('PRAGMA max_page_count = 100000');
    for (let n = written + 1; n <= written + 3; n++) write(n);
    expect(writer.publish()).toBe(2);
    const { n } = db.prepare<{ n: number }>('SELECT count(*) AS n FROM documents').get() as { n: number };
    expect(n).toBe(written + 4);
    db.close();
  });
});

describe('a second writer', () => {
  it('is told who holds the index; readers are not disturbed', async () => {
    const folder = temporaryFolder();
    await buildIndex(folder);
    const first = await openStore(folder, 'write');
    const error = await errorOf(() => openStore(folder, 'write'));
    expect([error.code, error.retryable]).toEqual(['index-locked', true]);
    expect(error.message).toMatch(new RegExp(`process ${process.pid}, since \\d{4}-`, 'u'));
    expect((await (await openStore(folder, 'read')).documents()).length).toBe(5);
    await first.close();
    expect(existsSync(join(folder, 'writer.json'))).toBe(false);
    const second = await openStore(folder, 'write');
    expect(await second.publish()).toBe(2);
  });

  it('an open that fails gives the lock back', async () => {
    const folder = temporaryFolder();
    await buildIndex(folder);
    await errorOf(() => openStore(folder, 'write', { ...SPARSE_SCHEMA, settings: {} }));
    await openStore(folder, 'write');
  });
});
