/** Several processes on one index. They run the build, as users do. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { isRagError } from '../../src/core/errors.ts';
import type { SampleDocument } from '../../src/testing/index.ts';
import { indexPath, openStore, put, sparse, temporaryFolder } from './fixtures.ts';

const CHILD = fileURLToPath(new URL('store-process.mjs', import.meta.url));
const BUILD = fileURLToPath(new URL('../../dist/stores/embedded/index.js', import.meta.url));

beforeAll(() => {
  if (!existsSync(BUILD)) throw new Error('these tests need the build: npm run build');
});

interface Child {
  /** The next line that it prints, as JSON. */
  next(): Promise<unknown>;
  kill(): Promise<void>;
}

function start(command: 'read' | 'hold', folder: string): Child {
  const child = spawn(process.execPath, [CHILD, command, indexPath(folder)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const waiting: ((line: string) => void)[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) {
      const wait = waiting.shift();
      if (wait === undefined) lines.push(line);
      else wait(line);
    }
  });
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  onTestFinished(kill);
  return {
    next: async () =>
      JSON.parse(lines.shift() ?? (await new Promise<string>((resolve) => waiting.push(resolve)))) as unknown,
    kill,
  };
}

const DOCUMENTS = 12;

/** All documents of a generation have its number as revision and the same vector. */
const page = (n: number, generation: number): SampleDocument => ({
  path: `p${n}.md`,
  revision: String(generation),
  sections: [{ heading: 'Same', text: 'alpha beta', vectors: { dense: [1, generation, 0, 0] } }],
});

it('a reader sees whole generations while another process writes', { timeout: 60_000 }, async () => {
  const folder = temporaryFolder();
  const writer = await openStore(folder, 'write');
  const write = async (generation: number): Promise<void> => {
    for (let n = 0; n < DOCUMENTS; n++) {
      await put(writer, page(n, generation));
      // Lets the reader in between two transactions.
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(await writer.publish()).toBe(generation);
  };
  await write(1);
  const reader = start('read', folder);
  expect(await reader.next()).toEqual({ revisions: ['1'], keyword: DOCUMENTS, scores: 1, documents: DOCUMENTS });
  for (let generation = 2; generation <= 12; generation++) await write(generation);
  const seen = new Set<string>();
  for (let i = 0; i < 500 && !seen.has('12'); i++) {
    const view = (await reader.next()) as { revisions: string[] };
    expect(view).toEqual({ revisions: [expect.any(String)], keyword: DOCUMENTS, scores: 1, documents: DOCUMENTS });
    for (const revision of view.revisions) seen.add(revision);
  }
  expect(seen).toContain('12');
  expect(seen.size).toBeGreaterThan(2);
});

it('a killed writer lets go of the index, and what it had written is continued', { timeout: 60_000 }, async () => {
  const folder = temporaryFolder();
  const holder = start('hold', folder);
  expect(await holder.next()).toEqual({ written: 3 });
  const refused: unknown = await openStore(folder, 'write').catch((error: unknown) => error);
  expect(isRagError(refused) && refused.code).toBe('index-locked');
  expect(isRagError(refused) && refused.message).toMatch(/store-process\.mjs hold \(process \d+/u);
  await holder.kill();
  const next = await openStore(folder, 'write');
  expect((await next.revisions('docs')).size).toBe(3);
  expect(await next.documents()).toEqual([]);
  await next.publish();
  expect((await next.documents()).length).toBe(3);
  expect((await next.search(sparse({ 5: 1 }, 9))).hits.map(({ score }) => score)).toEqual([3, 2, 1]);
});
