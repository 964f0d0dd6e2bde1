/** Index folders that cannot be used: of another format or model, damaged, on a full or read-only disk. */
import { spawnSync } from 'node:child_process';
import { cp, mkdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/stores/sqlite.ts';
import { project, type Outcome, type Project } from '../cli/footnote.ts';

const text = Array.from({ length: 60 }, (_, i) => `word${i} in the sentence ${i}.`).join(' ');
const DOCS: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from({ length: 60 }, (_, i) => [
    `docs/${i}.md`,
    `# Page ${i}\n\nThe gateway ${i} listens on ${8000 + i}. ${text}\n`,
  ]),
);

/** One line that says what is wrong, one that says what to do, and no result. */
function expectRefusal({ code, stdout, stderr }: Outcome, message: RegExp | string): void {
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^footnote: [^\n]+\nhint: [^\n]+\n$/u);
  expect(stderr.split('\n')[0]).toMatch(message);
}

const READING = [['search', 'gateway'], ['ask', 'Which port does gateway 7 listen on?'], ['status']];
const ALL = [...READING, ['ingest']];

let here: Project;
let folder: string;
let store: string;
let good: string;
beforeAll(async () => {
  here = await project(DOCS);
  folder = join(here.folder, '.footnote');
  store = join(folder, 'index-000001.sqlite');
  good = join(here.folder, '../good');
  expect((await here.run(['ingest', 'docs'])).code).toBe(0);
  await cp(folder, good, { recursive: true });
});
beforeEach(async () => {
  await rm(folder, { recursive: true, force: true });
  await cp(good, folder, { recursive: true });
});

describe('another format or model', () => {
  test('a folder of another format', async () => {
    const path = join(folder, 'index.json');
    await writeFile(path, (await readFile(path, 'utf8')).replace('"format": 1', '"format": 7'));
    for (const args of ALL) expectRefusal(await here.run(args), /has format 7; this version reads format 1/u);
  });

  test.each([
    ['a store of another format', 'PRAGMA user_version = 99', /format was 99, is \d+/u],
    ['another program’s database', 'PRAGMA application_id = 1', /not an index of this program/u],
    [
      'another model',
      `UPDATE named_values SET value = replace(value, 'static-docs-384@', 'other-model@') WHERE name = '.schema'`,
      /spaces\.dense\.model was "other-model@\w+", is "static-docs-384@/u,
    ],
  ])('%s', async (_, change, message) => {
    const db = await openDatabase(store, { readOnly: false });
    db.exec(change);
    db.close();
    for (const args of ALL) expectRefusal(await here.run(args), message);
    expect((await here.run(['ingest', '--rebuild'])).code).toBe(0);
    expect((await here.json(['status'])).documents).toBe(60);
  });

  test('what the folder remembers is no JSON, or half of it', async () => {
    await writeFile(join(folder, 'index.json'), '{"format": 1');
    for (const args of ALL) expectRefusal(await here.run(args), /index\.json is not readable JSON/u);
    await writeFile(join(folder, 'index.json'), '{"format": 1}');
    for (const args of ALL) expectRefusal(await here.run(args), /index\.json is incomplete/u);
  });
});

describe('a damaged file', () => {
  const overwrite = (bytes: (size: number) => Buffer, at: (size: number) => number) => async (): Promise<void> => {
    const content = await readFile(store);
    bytes(content.length).copy(content, at(content.length));
    await writeFile(store, content);
  };
  /** The same bytes in every run, and no pattern. */
  const noise = (length: number): Buffer => {
    let state = 12345;
    return Buffer.from(Array.from({ length }, () => (state = (state * 1103515245 + 12345) & 0x7fffffff) >> 16));
  };

  test.each<[string, () => Promise<void>]>([
    ['cut in half', async () => truncate(store, Math.floor((await stat(store)).size / 2))],
    ['cut to its first bytes', () => truncate(store, 100)],
    ['zeros', async () => writeFile(store, Buffer.alloc((await stat(store)).size))],
    ['a text', () => writeFile(store, 'no database\n'.repeat(5000))],
    [
      'noise in its first page',
      overwrite(
        () => noise(4000),
        () => 0,
      ),
    ],
  ])('%s: refused by every command, and built anew by --rebuild', async (_, damage) => {
    await damage();
    for (const args of ALL) expectRefusal(await here.run(args), /is damaged: /u);
    const doctor = await here.run(['doctor']);
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/problem +index +.* is damaged: [^\n]+\n +fix: footnote ingest --rebuild/u);
    expect((await here.run(['ingest', '--rebuild'])).code).toBe(0);
    expect((await here.json(['search', 'gateway 7', '--top', '1'])).hits[0].path).toBe('7.md');
  });

  test.each([0.2, 0.35, 0.5, 0.65, 0.8, 0.95])('noise in the middle, at %d: a result or a refusal', async (place) => {
    await overwrite(
      () => noise(40_000),
      (size) => Math.min(Math.floor(size * place), size - 40_000),
    )();
    for (const args of ALL) {
      const result = await here.run(args);
      if (result.code === 2) expectRefusal(result, /is damaged: /u);
      else expect([0, 1]).toContain(result.code);
      expect(result.stderr).not.toMatch(/^\s+at /mu);
    }
    expect((await here.run(['ingest', '--rebuild'])).code).toBe(0);
    expect((await here.json(['status'])).documents).toBe(60);
  });

  test.each<[string, () => Promise<void>]>([
    ['empty', () => truncate(store, 0)],
    ['gone', () => rm(store)],
  ])('%s: no index to read, and an ingest fills it again', async (_, damage) => {
    await damage();
    for (const args of READING) expectRefusal(await here.run(args), /there is no index at/u);
    expect(await here.json(['ingest'])).toMatchObject({ documents: 60, sources: [{ read: 60 }] });
    expect((await here.json(['search', 'gateway 7', '--top', '1'])).hits[0].path).toBe('7.md');
  });
});

const mountpoint = { folder: '' };
const canMount = ((): boolean => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const made = spawnSync('sh', ['-c', 'd=$(mktemp -d) && mount -t tmpfs -o size=2m tmpfs "$d" && echo "$d"'], {
    encoding: 'utf8',
  });
  mountpoint.folder = made.stdout.trim();
  return made.status === 0;
})();

describe.skipIf(!canMount)('a small disk (needs the right to mount one)', () => {
  const mount = (options: string): void => {
    expect(spawnSync('mount', ['-o', `remount,${options}`, mountpoint.folder]).status).toBe(0);
  };
  afterAll(() => {
    spawnSync('umount', [mountpoint.folder]);
    spawnSync('rmdir', [mountpoint.folder]);
  });

  test('full: told, and what was there stays; with space the next run goes on', async () => {
    const index = join(mountpoint.folder, 'index');
    const on = (args: readonly string[]): Promise<Outcome> => here.run([...args, '--index', index]);
    expectRefusal(await on(['ingest', 'docs']), /disk is full/u);
    expectRefusal(await on(['search', 'gateway']), /has not finished/u);
    expectRefusal(await on(['ingest']), /disk is full/u);
    mount('size=60m');
    expect((await on(['ingest'])).code).toBe(0);

    // Full again, in the middle of a change.
    const { size } = await stat(join(index, 'index-000001.sqlite'));
    mount(`size=${Math.ceil(size / 1024) + 600}k`);
    await here.write(
      Object.fromEntries(Object.entries(DOCS).map(([path, old]) => [path, `${old}\nThe walrus sleeps.\n`])),
    );
    expectRefusal(await on(['ingest']), /disk is full/u);
    const { stdout } = await on(['search', 'gateway 7', '--json', '--top', '1']);
    expect(JSON.parse(stdout).hits[0].text).not.toContain('walrus');
    mount('size=60m');
    expect((await on(['ingest'])).code).toBe(0);
    expect((await on(['search', 'walrus'])).stdout).toContain('walrus');
    await here.write(DOCS);
  });

  test('read-only: it is read, and an ingest is refused', async () => {
    const index = join(mountpoint.folder, 'read-only');
    mount('size=60m');
    await cp(good, index, { recursive: true });
    mount('ro');
    for (const args of READING) {
      // An answer may be "not in the documents".
      const { code, stderr } = await here.run([...args, '--index', index]);
      expect({ code: args[0] === 'ask' ? 0 : code, stderr }, args[0]).toEqual({ code: 0, stderr: '' });
    }
    for (const args of [['ingest'], ['ingest', '--rebuild']]) {
      expectRefusal(await here.run([...args, '--index', index]), /cannot be opened|read-only/u);
    }
    expectRefusal(await here.run(['ingest', 'docs', '--index', join(mountpoint.folder, 'new')]), /read-only/u);
  });
});

test.skipIf(process.getuid?.() === 0)('a folder that may not be read or written (not as root)', async () => {
  const index = join(here.folder, 'closed');
  await mkdir(index, { mode: 0o500 });
  expectRefusal(await here.run(['ingest', 'docs', '--index', index]), /permission denied|cannot be/u);
});

test('an index folder whose place is taken by a file', async () => {
  expectRefusal(await here.run(['ingest', 'docs', '--index', 'docs/0.md']), /a file is in its place/u);
});
