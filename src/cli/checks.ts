/** What `doctor` looks at. Each check says what it found, and the command that fixes it where something is wrong. */
import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { access, constants, readFile, stat } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { flagVariable } from '../config/environment.ts';
import { findConfigFile } from '../config/file.ts';
import { isTrusted, reachOf } from '../config/trust.ts';
import { toPublicError } from '../core/errors.ts';
import { findIndexFolder } from '../workspace.ts';
import { indexOption, openSession, withEngine } from './session.ts';
import type { GlobalOptions } from './options.ts';

export interface Finding {
  readonly ok: boolean;
  readonly found: string;
  /** A command, or what else has to be done. */
  readonly fix?: string;
}

export interface Check {
  readonly name: string;
  readonly run: (options: GlobalOptions) => Finding | Promise<Finding>;
}

export const checks: readonly Check[] = [
  { name: 'Node', run: checkNode },
  { name: 'SQLite', run: checkSqlite },
  { name: 'wasm SIMD', run: checkSimd },
  { name: 'git', run: checkGit },
  { name: 'built-in model', run: checkModel },
  { name: 'index', run: checkIndex },
  { name: 'configuration', run: checkConfiguration },
  { name: 'trust', run: checkTrust },
];

const ok = (found: string): Finding => ({ ok: true, found });
const problem = (found: string, fix: string): Finding => ({ ok: false, found, fix });

/** As `engines` in package.json has it. */
const OLDEST_NODE = [20, 19, 5] as const;
/** From here on `node:sqlite` needs no flag. */
const NODE_WITH_SQLITE = [22, 13, 0] as const;

function nodeIsAtLeast(wanted: readonly number[]): boolean {
  const version = process.versions.node.split('.').map(Number);
  const differing = wanted.findIndex((part, i) => part !== version[i]);
  return differing < 0 || (version[differing] as number) > (wanted[differing] as number);
}

function checkNode(): Finding {
  const { node } = process.versions;
  return nodeIsAtLeast(OLDEST_NODE)
    ? ok(node)
    : problem(`${node} is older than ${OLDEST_NODE.join('.')}`, 'install Node 20.19.5 or later: https://nodejs.org');
}

async function checkSqlite(): Promise<Finding> {
  const builtIn = nodeIsAtLeast(NODE_WITH_SQLITE);
  const driver = builtIn ? 'node:sqlite' : '@photostructure/sqlite';
  try {
    const { DatabaseSync } = builtIn ? await import('node:sqlite') : await import('@photostructure/sqlite');
    const database = new DatabaseSync(':memory:');
    const row = database.prepare('select sqlite_version() as version').get() as { readonly version: string };
    database.close();
    return ok(`${row.version} (${driver})`);
  } catch (error) {
    const fix = builtIn ? 'install Node from https://nodejs.org' : 'npm ci --include=optional';
    return problem(`${driver} does not load: ${toPublicError(error).message}`, fix);
  }
}

/** A module with one function that makes a vector of 16 bytes and counts its bits. */
const SIMD_MODULE = Uint8Array.of(
  0,
  97,
  115,
  109,
  1,
  0,
  0,
  0,
  1,
  5,
  1,
  96,
  0,
  1,
  123,
  3,
  2,
  1,
  0,
  10,
  10,
  1,
  8,
  0,
  65,
  0,
  253,
  15,
  253,
  98,
  11,
);

function checkSimd(): Finding {
  // The types of Node leave it out.
  const { WebAssembly: wasm } = globalThis as { readonly WebAssembly?: { validate(module: Uint8Array): boolean } };
  return wasm?.validate(SIMD_MODULE) === true
    ? ok('available')
    : problem(
        'not available: vectors cannot be searched fast',
        'use a processor and a Node with 128-bit SIMD, or --mode keyword',
      );
}

async function checkGit(): Promise<Finding> {
  try {
    const { stdout } = await promisify(execFile)('git', ['--version']);
    return ok(stdout.trim().replace(/^git version /u, ''));
  } catch {
    return problem('not found: git sources cannot be read', 'install git: https://git-scm.com/downloads');
  }
}

async function checkModel(): Promise<Finding> {
  const folder = new URL('../../models/static-docs-384/', import.meta.url);
  const fix = 'git checkout -- models (in an installed package: install it again)';
  try {
    const config = JSON.parse(await readFile(new URL('config.json', folder), 'utf8')) as {
      sha256: string;
      vocab: number;
    };
    const hash = createHash('sha256');
    await pipeline(createReadStream(new URL('model.i8', folder)), hash);
    if (hash.digest('hex') !== config.sha256) return problem('model.i8 is damaged', fix);
    const words = (await readFile(new URL('vocab.txt', folder), 'utf8')).trimEnd().split('\n').length;
    return words === config.vocab ? ok(`static-docs-384, ${words} word pieces`) : problem('vocab.txt is damaged', fix);
  } catch (error) {
    return problem(`cannot be read: ${toPublicError(error).message}`, fix);
  }
}

async function checkIndex(options: GlobalOptions): Promise<Finding> {
  const { folder, exists } = findIndexFolder(process.cwd(), indexOption(options));
  if (!exists) return ok('none yet (footnote ingest PATH builds one)');
  const { mode } = await stat(folder);
  if ((mode & 0o077) !== 0 && process.platform !== 'win32') {
    return problem(`${folder} can be read by others`, `chmod 700 ${shellQuoted(folder)}`);
  }
  try {
    await access(folder, constants.R_OK | constants.W_OK);
  } catch {
    return problem(`${folder} cannot be written`, `sudo chown -R "$USER" ${shellQuoted(folder)}`);
  }
  return checkStore(options, folder);
}

/** A search reads every part of a store: a damaged file is found here. */
async function checkStore(options: GlobalOptions, folder: string): Promise<Finding> {
  const session = await openSession(options, { index: true }).catch(() => undefined);
  // Why not is told by the check of the configuration.
  if (session === undefined) return ok(folder);
  try {
    await withEngine(session, (engine) => engine.search({ query: 'index', top: 1 }));
    return ok(folder);
  } catch (error) {
    const { message, hint } = toPublicError(error);
    return problem(message, hint ?? 'footnote ingest --rebuild');
  }
}

/** Settings are resolved as any command would: a file that does not fit the index is found here too. */
async function checkConfiguration(options: GlobalOptions): Promise<Finding> {
  try {
    const { resolved } = await openSession(options, { index: false });
    const { configFile, settings } = resolved;
    return ok(`${configFile === undefined ? 'no file' : basename(configFile.path)}, preset ${settings.preset}`);
  } catch (error) {
    const { message, hint } = toPublicError(error);
    return problem(message, hint ?? 'footnote preset show default lists every setting');
  }
}

async function checkTrust(options: GlobalOptions): Promise<Finding> {
  const file = await findConfigFile(
    process.cwd(),
    options.config ?? flagVariable(process.env, 'FOOTNOTE_CONFIG'),
  ).catch(() => undefined);
  if (file === undefined) return ok('no file to trust');
  const reach = reachOf(file, true);
  if (reach === undefined) return ok('the file reaches nothing outside its folder');
  if (await isTrusted(file, process.env)) return ok(file.named ? 'the file was named' : 'the file is trusted');
  return problem(`the file was found here, and ${reach}`, 'footnote trust');
}

const shellQuoted = (path: string): string => (/^[\w/.-]+$/u.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);
