/**
 * A configuration file that was only found lying there may be somebody else's: it came with a clone or a download.
 * Until the user has said `footnote trust`, it may not reach outside its own folder, nor choose where text and keys
 * go. What was trusted is the folder and the file's exact bytes: a changed file has to be trusted again. An index that
 * was only found may be somebody else's as well: it remembers where its vectors come from.
 */
import { realpathSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { RagError } from '../core/errors.ts';
import { sha256 } from '../core/identity.ts';
import type { AlsoEmbedder, SourceSettings } from '../core/settings.ts';
import { defaultPreset } from '../presets/default.ts';
import type { Environment } from './environment.ts';
import type { ConfigFile } from './file.ts';
import type { FlatSettings } from './flat.ts';

/** Sources of a file that lie outside its folder; addresses on the net and of remote repositories do. */
export function sourcesOutside(file: ConfigFile): readonly SourceSettings[] {
  const sources = (file.values.get('sources') ?? []) as readonly SourceSettings[];
  return sources.filter((source) => !isInside(file.folder, source.from));
}

/** Settings by which text, or a key of the environment, goes where the file says. */
const ADDRESSES = ['embed.baseUrl', 'embed.keyVariable', 'rerank.baseUrl', 'rerank.keyVariable', 'models.hub'];

/** What a file, or an index, says of {@link ADDRESSES}, by dotted key; what is as by default is not said. */
export function addressesIn(values: FlatSettings): ReadonlyMap<string, string> {
  const also = (values.get('embed.also') ?? []) as readonly AlsoEmbedder[];
  const said = [
    ...ADDRESSES.map((key) => [key, values.get(key)] as const),
    ...also.flatMap(({ baseUrl, keyVariable }, i) => [
      [`embed.also.${i}.baseUrl`, baseUrl] as const,
      [`embed.also.${i}.keyVariable`, keyVariable] as const,
    ]),
  ];
  const isUsual = (key: string, value: unknown): boolean => key === 'models.hub' && value === defaultPreset.models.hub;
  return new Map(
    said.flatMap(([key, value]) => (typeof value === 'string' && !isUsual(key, value) ? [[key, value] as const] : [])),
  );
}

/** Whether the file may do what a found one may not: it was named, or trusted as it is. */
export async function isTrusted(file: ConfigFile, environment: Environment): Promise<boolean> {
  return file.named || (await readTrusted(environment)).folders.get(file.folder) === file.hash;
}

/** What an untrusted file wants that it may not, in words: the first such thing. */
export function reachOf(file: ConfigFile, addsSources: boolean): string | undefined {
  const [address] = addressesIn(file.values);
  if (address !== undefined) return `sets ${address[0]}: ${address[1]}`;
  const [outside] = addsSources ? sourcesOutside(file) : [];
  return outside === undefined ? undefined : `adds a source outside its folder: ${outside.from}`;
}

/**
 * @param addsSources whether the file's sources are going to be read
 * @throws RagError `not-trusted`, naming the first thing that the file may not do
 */
export async function requireTrust(file: ConfigFile, environment: Environment, addsSources: boolean): Promise<void> {
  const reach = reachOf(file, addsSources);
  if (reach === undefined || (await isTrusted(file, environment))) return;
  const name = basename(file.path);
  throw new RagError('not-trusted', `${name} was found here, and ${reach}`, {
    hint: `read ${name}; if it may do that: footnote trust`,
  });
}

/**
 * An index that was found, and not named, may send text only where this user's files, variables or flags say, or where
 * they said when the index was built.
 *
 * @param remembered of the index
 * @param explicit what file, environment and flags say now
 * @throws RagError `not-trusted`
 */
export async function requireTrustOfIndex(
  folder: string,
  remembered: FlatSettings,
  explicit: FlatSettings,
  environment: Environment,
): Promise<void> {
  const said = addressesIn(explicit);
  const [unsaid] = [...addressesIn(remembered)].filter(([key, value]) => said.get(key) !== value);
  if (unsaid === undefined) return;
  const { indexes } = await readTrusted(environment);
  if (indexes.get(realpath(folder)) === addressHash(remembered)) return;
  throw new RagError('not-trusted', `the index ${folder} was found here, and sets ${unsaid[0]}: ${unsaid[1]}`, {
    hint: `if it is yours, name it: --index ${folder}`,
  });
}

/**
 * Remembers that an index was built, by this user, with these addresses.
 * @throws RagError `storage-failed`
 */
export async function trustIndex(folder: string, settings: FlatSettings, environment: Environment): Promise<void> {
  if (addressesIn(settings).size === 0) return;
  const trusted = await readTrusted(environment);
  const [place, hash] = [realpath(folder), addressHash(settings)];
  if (trusted.indexes.get(place) === hash) return;
  trusted.indexes.set(place, hash);
  await writeTrusted(trusted, environment);
}

/** @throws RagError `storage-failed` */
export async function trust(file: ConfigFile, environment: Environment): Promise<void> {
  const trusted = await readTrusted(environment);
  trusted.folders.set(file.folder, file.hash);
  await writeTrusted(trusted, environment);
}

const addressHash = (settings: FlatSettings): string => sha256(JSON.stringify([...addressesIn(settings)]));

async function writeTrusted({ folders, indexes }: Trusted, environment: Environment): Promise<void> {
  const path = trustPath(environment);
  const text = JSON.stringify(
    { folders: Object.fromEntries(folders), ...(indexes.size === 0 ? {} : { indexes: Object.fromEntries(indexes) }) },
    undefined,
    2,
  );
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const draft = `${path}.${process.pid}`;
    await writeFile(draft, `${text}\n`, { mode: 0o600 });
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

interface Trusted {
  /** Folder of a configuration file → hash of the file. */
  readonly folders: Map<string, string>;
  /** Index folder → hash of the addresses that it was built with. */
  readonly indexes: Map<string, string>;
}

/** A list that is missing or damaged trusts nothing. */
async function readTrusted(environment: Environment): Promise<Trusted> {
  try {
    const { folders, indexes = {} } = JSON.parse(await readFile(trustPath(environment), 'utf8')) as {
      readonly folders: Readonly<Record<string, string>>;
      readonly indexes?: Readonly<Record<string, string>>;
    };
    return { folders: new Map(Object.entries(folders)), indexes: new Map(Object.entries(indexes)) };
  } catch {
    return { folders: new Map(), indexes: new Map() };
  }
}
