/**
 * The two packages that local models need. They are optional peers: nobody who does without them downloads 99 MB.
 *
 * They are looked for where Footnote itself is installed (which a project's own copy, a workspace and a global
 * installation have in common), in folders that a program names, in `NODE_PATH`, and in a folder of the user's own.
 * Never in the current folder: one that was cloned may hold a `node_modules` of anybody, and code must not run because
 * a search was run there.
 */
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RagError } from '../core/errors.ts';

export type OptionalPackage = 'onnxruntime-node' | '@huggingface/tokenizers';

/**
 * 1.17.0 is the last runtime without an install script. Later ones run on the processor just as fast, are three times
 * as large, and fetch files for graphics processors while they are installed, which fails without a network.
 */
export const PACKAGE_VERSIONS: Readonly<Record<OptionalPackage, string>> = {
  'onnxruntime-node': '1.17.0',
  '@huggingface/tokenizers': '0.2.0',
};

/**
 * Path of the package's main file, or undefined.
 *
 * @param folders further places, each with a `node_modules` in it or above it
 */
export function findPackage(name: OptionalPackage, folders: readonly string[] = []): string | undefined {
  const named = (process.env['NODE_PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const places = [...folders, ...named, ownFolder()].map((folder) => join(resolve(folder), 'from.js'));
  for (const place of [fileURLToPath(import.meta.url), ...places]) {
    try {
      return createRequire(place).resolve(name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  return undefined;
}

/** @throws RagError `driver-missing`, with the command that installs what local models need */
export function requiredPackage(name: OptionalPackage, folders: readonly string[] = []): string {
  const found = findPackage(name, folders);
  if (found !== undefined) return found;
  throw new RagError('driver-missing', `local models need the package ${name}, which is not installed`, {
    hint: installCommand(),
  });
}

/** `XDG_DATA_HOME/footnote`, or `.local/share/footnote` in the home folder. */
function ownFolder(): string {
  const configured = process.env['XDG_DATA_HOME'];
  const base = configured !== undefined && isAbsolute(configured) ? configured : join(homedir(), '.local', 'share');
  return join(base, 'footnote');
}

/**
 * The command in full. It installs into a folder of the user's own, because npm 11 installs nothing that a project
 * declares as an optional peer where it may not save it, and saving would change the package.json of a clone.
 */
export function installCommand(): string {
  const packages = Object.entries(PACKAGE_VERSIONS).map(([name, version]) => `${name}@${version}`);
  const folder = ownFolder();
  return ['npm install --prefix', /\s/u.test(folder) ? `"${folder}"` : folder, ...packages].join(' ');
}
