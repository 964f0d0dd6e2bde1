/**
 * A configuration file that was only found lying there may be somebody else's: it came with a clone or a download.
 * Until the user has said `footnote trust`, it may not reach outside its own folder. What was trusted is the folder
 * and the file's exact bytes: a changed file has to be trusted again.
 */
import { realpathSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { RagError } from '../core/errors.ts';
import type { SourceSettings } from '../core/settings.ts';
import type { Environment } from './environment.ts';
import type { ConfigFile } from './file.ts';

/** Sources of a file that lie outside its folder; addresses on the net and of remote repositories do. */
export function sourcesOutside(file: ConfigFile): readonly SourceSettings[] {
  const sources = (file.values.get('sources') ?? []) as readonly SourceSettings[];
  return sources.filter((source) => !isInside(file.folder, source.from));
}

/** Whether the file may do what a found one may not: it was named, or trusted as it is. */
export async function isTrusted(file: ConfigFile, environment: Environment): Promise<boolean> {
  return file.named || (await readTrusted(environment)).get(file.folder) === file.hash;
}

/** @throws RagError `not-trusted`, naming the first source outside the folder. */
export async function requireTrust(file: ConfigFile, environment: Environment): Promise<void> {
  const [outside] = sourcesOutside(file);
  if (outside === undefined || (await isTrusted(file, environment))) return;
  const name = basename(file.path);
  throw new RagError('not-trusted', `${name} was found here, and adds a source outside its folder: ${outside.from}`, {
    hint: `read ${name}; if it may do that: footnote trust`,
  });
}

/** @throws RagError `storage-failed` */
export async function trust(file: ConfigFile, environment: Environment): Promise<void> {
  const path = trustPath(environment);
  const entries = await readTrusted(environment);
  entries.set(file.folder, file.hash);
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const draft = `${path}.${process.pid}`;
    await writeFile(draft, `${JSON.stringify({ folders: Object.fromEntries(entries) }, undefined, 2)}\n`, {
      mode: 0o600,
    });
    await chmod(draft, 0o600);
    await rename(draft, path);
  } catch (error) {
    throw new RagError('storage-failed', `cannot remember the trust in ${path}`, {
      hint: 'make that folder writable, or name the file: --config FILE',
      cause: error,
    });
  }
}

function isInside(folder: string, from: string): boolean {
  const git = /^git:(?<path>[^#]*)/u.exec(from)?.groups?.['path'];
  // After `git:` another colon may be of an address (host:path); only what looks like a path counts as one.
  if (git !== undefined && git.includes(':') && !git.startsWith('.')) return false;
  if (git === undefined && /^[a-z][a-z0-9+.-]*:/iu.test(from)) return false;
  const path = resolve(folder, git?.startsWith('.') === true ? (git.split(':', 1)[0] as string) : (git ?? from));
  const inside = relative(realpath(folder), realpath(path));
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}

/** Where symbolic links lead; a path that does not exist (yet) is taken as written. */
function realpath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realpath(parent), basename(path));
  }
}

function trustPath(environment: Environment): string {
  const configured = environment['XDG_CONFIG_HOME'];
  const home = environment['HOME'] ?? homedir();
  const base = configured !== undefined && isAbsolute(configured) ? configured : join(home, '.config');
  return join(base, 'footnote', 'trusted.json');
}

/** A list that is missing or damaged trusts nothing. */
async function readTrusted(environment: Environment): Promise<Map<string, string>> {
  try {
    const { folders } = JSON.parse(await readFile(trustPath(environment), 'utf8')) as {
      folders: Record<string, string>;
    };
    return new Map(Object.entries(folders));
  } catch {
    return new Map();
  }
}
