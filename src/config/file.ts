/** Which configuration file counts. Reading one needs the schema, which is loaded only when there is a file. */
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { RagError } from '../core/errors.ts';
import type { FlatSettings } from './flat.ts';

export const CONFIG_NAMES: readonly string[] = ['footnote.yaml', 'footnote.yml', 'footnote.json'];

export interface ConfigFile {
  readonly path: string;
  /** What its relative paths are relative to. */
  readonly folder: string;
  /** By `--config` or FOOTNOTE_CONFIG; false for one that was only found. */
  readonly named: boolean;
  /** Of its bytes. */
  readonly hash: string;
  readonly values: FlatSettings;
}

/**
 * The file named, else the first of {@link CONFIG_NAMES} in `cwd`.
 * @throws RagError `file-invalid` (cannot be read) | `setting-invalid` (what it says)
 */
export async function findConfigFile(cwd: string, named?: string): Promise<ConfigFile | undefined> {
  const path = named === undefined ? await found(cwd) : resolve(cwd, named);
  if (path === undefined) return undefined;
  const { readConfigFile } = await import('./read-file.ts');
  return readConfigFile(path, named !== undefined);
}

async function found(cwd: string): Promise<string | undefined> {
  for (const name of CONFIG_NAMES) {
    const path = resolve(cwd, name);
    if (await exists(path)) return path;
  }
  return undefined;
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw new RagError('file-invalid', `${basename(path)} cannot be read (${code})`, { cause: error });
  }
}
