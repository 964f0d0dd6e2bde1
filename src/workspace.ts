/**
 * The life of an index folder (`.footnote`): where it is, what it remembers, and which store file is the current one.
 * A rebuild writes a new store file beside the old one and switches `active` at the end.
 */
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isRagError, RagError } from './core/errors.ts';
import type { Settings } from './core/settings.ts';
import type { AnySource } from './registry.ts';

export type IndexSettings = Pick<Settings, 'parse' | 'chunk' | 'embed' | 'analyze' | 'store'>;

export interface Manifest {
  readonly format: 1;
  /** File name of the current store in the folder; null before the first ingest. */
  readonly active: string | null;
  readonly preset: string;
  readonly settings: IndexSettings;
  readonly sources: readonly AnySource[];
}

const FOLDER = '.footnote';
const MANIFEST = 'index.json';
/** A store, and the model that was adapted to it. */
const STORE_FILE = /^index-(\d{6})\.(?:sqlite(?:-wal|-shm)?|model(?:\.new)?)$/;

/** The folder named, else the nearest `.footnote` here or above, else `.footnote` here. */
export function findIndexFolder(cwd: string, explicit?: string): { folder: string; exists: boolean } {
  if (explicit !== undefined) {
    const folder = resolve(cwd, explicit);
    return { folder, exists: existsSync(join(folder, MANIFEST)) };
  }
  for (let at = resolve(cwd); ; at = dirname(at)) {
    const folder = join(at, FOLDER);
    if (existsSync(join(folder, MANIFEST))) return { folder, exists: true };
    if (dirname(at) === at) return { folder: join(resolve(cwd), FOLDER), exists: false };
  }
}

/** @returns undefined when there is no index here yet. @throws RagError `index-damaged` | `index-mismatch` */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  let text: string;
  try {
    text = await readFile(join(folder, MANIFEST), 'utf8');
  } catch (cause) {
    if (isCode(cause, 'ENOENT') || isCode(cause, 'ENOTDIR')) return undefined;
    throw storageFailed(folder, cause);
  }
  let manifest: Partial<Manifest>;
  try {
    manifest = JSON.parse(text) as Partial<Manifest>;
  } catch (cause) {
    throw new RagError('index-damaged', `${join(folder, MANIFEST)} is not readable JSON`, {
      hint: `remove ${folder} and run footnote ingest SOURCE`,
      cause,
    });
  }
  if (manifest.format !== 1) {
    throw new RagError(
      'index-mismatch',
      `the index in ${folder} has format ${String(manifest.format)}; this version reads format 1`,
      { hint: 'use the version that made it, or remove the folder and ingest again' },
    );
  }
  if (manifest.settings === undefined || !Array.isArray(manifest.sources)) {
    throw new RagError('index-damaged', `${join(folder, MANIFEST)} is incomplete`, {
      hint: `remove ${folder} and run footnote ingest SOURCE`,
    });
  }
  return manifest as Manifest;
}

/** Whole or not at all: written beside, then renamed. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const path = join(folder, MANIFEST);
  try {
    await writeFile(`${path}.new`, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
    await rename(`${path}.new`, path);
  } catch (cause) {
    throw storageFailed(folder, cause);
  }
}

/** What an index folder may hold before there is an index in it: what an interrupted first run or `eval` left. */
const OWN_NAMES =
  /^(?:\.gitignore|index\.json(?:\.new)?|index-\d{6}\.(?:sqlite(?:-wal|-shm|-journal)?|model(?:\.new)?)|cache\.sqlite(?:-wal|-shm|-journal)?|lock\.sqlite(?:-journal)?|writer\.json|importance\.json(?:\.new)?|eval|git)$/;

/**
 * Makes the folder, readable by its owner only and invisible to git.
 *
 * @throws RagError `storage-failed`; `setting-invalid` for a folder of other things, which a `.gitignore` would hide
 */
export async function prepareFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 }).catch(async (error: unknown) => {
      // Node says ENOENT for a disk that is read-only; the plain call says what the system said.
      if (isCode(error, 'ENOENT')) await mkdir(folder, { mode: 0o700 });
      else throw error;
    });
    const names = await readdir(folder);
    if (!names.includes(MANIFEST)) {
      const other = names.find((name) => !OWN_NAMES.test(name));
      if (other !== undefined) {
        throw new RagError('setting-invalid', `${folder} is no index: it holds ${other}`, {
          hint: 'name a folder of its own: --index DIR',
        });
      }
      await chmod(folder, 0o700);
    }
    const ignore = join(folder, '.gitignore');
    if (((await stat(ignore).catch(() => undefined))?.size ?? 0) === 0) await writeFile(ignore, '*\n');
  } catch (cause) {
    if (isRagError(cause)) throw cause;
    throw storageFailed(folder, cause);
  }
}

/** The name of a store file that does not exist yet. */
export async function nextStoreName(folder: string): Promise<string> {
  const numbers = (await readdir(folder)).map((name) => Number(STORE_FILE.exec(name)?.[1] ?? 0));
  return `index-${String(Math.max(0, ...numbers) + 1).padStart(6, '0')}.sqlite`;
}

/** Where the built-in model lies that was adapted to a store; undefined where none was. */
export function adaptedModelOf(folder: string, store: string): string | undefined {
  const path = join(folder, modelFile(store));
  return existsSync(path) ? path : undefined;
}

/** Whole or not at all, before the store that needs it. */
export async function writeAdaptedModel(folder: string, store: string, bytes: Uint8Array): Promise<string> {
  const path = join(folder, modelFile(store));
  try {
    await writeFile(`${path}.new`, bytes, { mode: 0o600 });
    await rename(`${path}.new`, path);
  } catch (cause) {
    throw storageFailed(folder, cause);
  }
  return path;
}

const modelFile = (store: string): string => store.replace(/\.sqlite$/, '.model');

/** Removes store files other than the current one: what an interrupted rebuild left, or the one it replaced. */
export async function removeOldStores(folder: string, active: string): Promise<void> {
  const number = STORE_FILE.exec(active)?.[1];
  for (const name of await readdir(folder)) {
    // Where a reader keeps the system from removing it, it goes at the end of the next run.
    const other = STORE_FILE.exec(name)?.[1];
    if (other !== undefined && other !== number) await rm(join(folder, name)).catch(() => undefined);
  }
}

function storageFailed(folder: string, cause: unknown): RagError {
  const reason = isCode(cause, 'ENOSPC')
    ? 'the disk is full'
    : isCode(cause, 'EACCES') || isCode(cause, 'EPERM')
      ? 'permission denied'
      : isCode(cause, 'EROFS')
        ? 'the file system is read-only'
        : isCode(cause, 'EEXIST') || isCode(cause, 'ENOTDIR')
          ? 'a file is in its place'
          : cause instanceof Error
            ? cause.message
            : String(cause);
  return new RagError('storage-failed', `the index folder ${folder} cannot be used: ${reason}`, {
    hint: 'free the space or choose another folder with --index DIR',
    cause,
  });
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
