/** Runs `bin/footnote` as users do: as a process, with an empty home and no FOOTNOTE_ variable of the developer. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

export const REPOSITORY: string = fileURLToPath(new URL('../..', import.meta.url));
export const BIN: string = join(REPOSITORY, 'bin', 'footnote');

if (!existsSync(join(REPOSITORY, 'dist/cli/main.js'))) throw new Error('these tests need the build: npm run build');

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Parsed output, whose shape is what the tests are about. */
export type Json = ReturnType<typeof JSON.parse>;

export interface Project {
  readonly folder: string;
  write(files: Readonly<Record<string, string>>): Promise<void>;
  start(args: readonly string[], env?: Readonly<Record<string, string>>): ChildProcess;
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Outcome>;
  /** Standard output as JSON; fails when there is anything else, or the exit code is not the one expected. */
  json(args: readonly string[], code?: number): Promise<Json>;
  shell(script: string): Promise<Outcome>;
}

/** A fresh folder that is removed after the tests of the file. */
export async function project(files: Readonly<Record<string, string>> = {}): Promise<Project> {
  const root = await mkdtemp(join(tmpdir(), 'footnote-cli-'));
  afterAll(() => rm(root, { recursive: true, force: true }));
  const folder = join(root, 'project');
  await mkdir(folder);
  const base = { PATH: process.env['PATH'] ?? '', HOME: join(root, 'home'), BIN };
  const write: Project['write'] = async (written) => {
    for (const [name, text] of Object.entries(written)) {
      const path = join(folder, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    }
  };
  const start: Project['start'] = (args, env = {}) =>
    spawn(process.execPath, [BIN, ...args], { cwd: folder, env: { ...base, ...env } });
  const run: Project['run'] = (args, env) => outcome(start(args, env));
  await write(files);
  return {
    folder,
    write,
    start,
    run,
    async json(args, code = 0) {
      const result = await run([...args, '--json']);
      if (result.code !== code) throw new Error(`exit ${result.code}: ${result.stderr}`);
      return JSON.parse(result.stdout);
    },
    shell: (script) => outcome(spawn('sh', ['-c', script], { cwd: folder, env: base })),
  };
}

export async function outcome(child: ChildProcess): Promise<Outcome> {
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  child.stdout?.on('data', (part: Buffer) => stdout.push(part));
  child.stderr?.on('data', (part: Buffer) => stderr.push(part));
  child.stdin?.end();
  const code = await new Promise<number | null>((resolve) => child.on('close', (exit) => resolve(exit)));
  return { code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
}
