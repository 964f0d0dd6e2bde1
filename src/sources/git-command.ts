/**
 * Running git so that neither a repository nor the machine's configuration can make it run, ask or change anything:
 * only commands that read objects, on a bare mirror of ours, with a configuration of ours.
 */
import { execFile, spawn, type ChildProcess, type ExecFileException } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { devNull } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { CallOptions } from '../core/contracts.ts';
import { RagError } from '../core/errors.ts';
import { sha256 } from '../core/identity.ts';
import { gitFailure, missingGit, tooManyFiles } from './git-errors.ts';
import { systemCode } from './read-file.ts';

export interface Git {
  readonly repository: string;
  /** Standard output. @throws RagError, in words for the user */
  run(args: readonly string[], options?: CallOptions): Promise<string>;
  /** A process that the caller talks to and ends. */
  start(args: readonly string[]): ChildProcess;
}

export interface GitOptions {
  /** Of this source alone; nothing else is written to. */
  readonly cacheFolder: string;
  readonly timeoutMs: number;
}

/** What the files of a repository in the cache are called. */
export const cacheName = (repository: string): string => sha256(repository).slice(0, 24);

/**
 * The list of half a million files. A tree can name the same subtree again and again: a few kB then stand for more
 * files than any disk could hold.
 */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * Settings of every command. git also reads hooks, filters and monitors from a repository's own configuration: that
 * of the mirror is ours, and that of a local repository is seen by `upload-pack` alone, which takes no command from it.
 */
const CONFIGURATION: readonly (readonly [string, string])[] = [
  ['core.hooksPath', devNull],
  ['core.fsmonitor', 'false'],
  ['core.askPass', ''],
  ['submodule.recurse', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['fetch.writeCommitGraph', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['credential.interactive', 'false'],
  // A transfer that stands still for a minute is over.
  ['http.lowSpeedLimit', '1'],
  ['http.lowSpeedTime', '60'],
];

/** @throws RagError `driver-missing` when there is no git */
export async function openGit(repository: string, options: GitOptions): Promise<Git> {
  const { timeoutMs } = options;
  const cacheFolder = resolve(options.cacheFolder);
  await mkdir(cacheFolder, { recursive: true, mode: 0o700 });
  const globalConfig = join(cacheFolder, `${cacheName(repository)}.config`);
  await writeFile(globalConfig, safeDirectories(repository));
  const credentials = /^https?:/iu.test(repository) ? await credentialSettings(cacheFolder) : [];
  const env = environment(repository, globalConfig, cacheFolder, [...CONFIGURATION, ...credentials]);

  function failureOf(error: ExecFileException, stderr: string): RagError {
    const code = systemCode(error);
    if (code === 'ENOENT') return missingGit(error);
    if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return tooManyFiles(repository, error);
    // Ended by its time limit.
    if (error.killed === true) return gitFailure(repository, `timed out after ${timeoutMs / 1000} s`, error);
    return gitFailure(repository, stderr, error);
  }

  return {
    repository,
    start: (args) => spawn('git', args, { cwd: cacheFolder, env, stdio: ['pipe', 'pipe', 'pipe'] }),
    run(args, { signal } = {}) {
      return new Promise((fulfil, reject) => {
        const child = execFile(
          'git',
          args,
          // `signal` and `timeout` end this child, by its own id.
          {
            cwd: cacheFolder,
            env,
            maxBuffer: MAX_OUTPUT_BYTES,
            timeout: timeoutMs,
            ...(signal === undefined ? {} : { signal }),
          },
          (error, stdout, stderr) => {
            if (error === null) fulfil(stdout);
            else reject(signal?.aborted === true ? stopped(error) : failureOf(error, stderr));
          },
        );
        // Nobody answers a question: what asks anyway (ssh, a helper) reads the end of its input.
        child.stdin?.end();
      });
    },
  };
}

const stopped = (cause: Error): RagError => new RagError('aborted', 'stopped', { cause });

function environment(
  repository: string,
  globalConfig: string,
  cacheFolder: string,
  settings: readonly (readonly [string, string])[],
): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_') || KEPT.includes(name));
  return {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: globalConfig,
    GIT_ATTR_NOSYSTEM: '1',
    // The mirror lies inside the user's own project: git must not take that for its repository.
    GIT_CEILING_DIRECTORIES: dirname(cacheFolder),
    GIT_TERMINAL_PROMPT: '0',
    // Empty, not absent: else git falls back to SSH_ASKPASS.
    GIT_ASKPASS: '',
    GCM_INTERACTIVE: 'never',
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes -oConnectTimeout=30',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_LFS_SKIP_SMUDGE: '1',
    // A local repository may be a partial clone, whose missing objects come from wherever its configuration says.
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LITERAL_PATHSPECS: '1',
    // Unlike `protocol.*.allow`, this also binds the processes that git starts.
    GIT_ALLOW_PROTOCOL: protocols(repository),
    // In the environment and not as `-c`: arguments can be seen by everybody on the machine.
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], i) => [
        [`GIT_CONFIG_KEY_${i}`, key],
        [`GIT_CONFIG_VALUE_${i}`, value],
      ]),
    ),
  };
}

/** Certificates of a company's own server. Proxies come through `https_proxy`, as everywhere. */
const KEPT = ['GIT_SSL_CAINFO', 'GIT_SSL_CAPATH', 'GIT_EXEC_PATH'];

/** The transport of the address, and what a server may redirect it to: never from https to http, or to a file. */
function protocols(repository: string): string {
  const scheme = /^([a-z]+):\/\//iu.exec(repository)?.[1]?.toLowerCase();
  if (scheme === undefined) return /^[^/]+@/u.test(repository) ? 'ssh' : 'file';
  return scheme === 'http' ? 'http:https' : scheme;
}

/**
 * git refuses repositories of another user because their configuration could run commands; `upload-pack` runs none.
 * It is told in a file, as it is another process, which takes no settings from the environment.
 */
function safeDirectories(repository: string): string {
  if (!repository.startsWith('/')) return '';
  const quoted = (path: string): string => `"${path.replace(/[\\"]/gu, '\\$&').replace(/\n/gu, '\\n')}"`;
  return `[safe]\n\tdirectory = ${quoted(repository)}\n\tdirectory = ${quoted(join(repository, '.git'))}\n`;
}

/**
 * How the user's own git finds credentials: the `credential.*` settings of the machine and the account, and nothing
 * else from there. They are passed on, never kept.
 */
async function credentialSettings(cwd: string): Promise<readonly (readonly [string, string])[]> {
  const scopes = await Promise.all(['--system', '--global'].map((scope) => readCredentialSettings(scope, cwd)));
  return scopes.flat();
}

function readCredentialSettings(scope: string, cwd: string): Promise<readonly (readonly [string, string])[]> {
  const args = ['config', scope, '--null', '--includes', '--get-regexp', '^credential\\.'];
  return new Promise((fulfil, reject) => {
    execFile('git', args, { cwd, timeout: 10_000 }, (error, stdout) => {
      if (systemCode(error) === 'ENOENT') reject(missingGit(error));
      // Without such a setting, or such a file, git ends with an error.
      else fulfil(error === null ? stdout.split('\0').filter(Boolean).map(keyAndValue) : []);
    });
  });
}

/** A key without a newline behind it is a flag that is set. */
function keyAndValue(entry: string): readonly [string, string] {
  const end = entry.indexOf('\n');
  return end < 0 ? [entry, 'true'] : [entry.slice(0, end), entry.slice(end + 1)];
}
