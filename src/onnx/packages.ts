/**
 * The two packages that local models need. They are optional peers: nobody who does without them downloads 99 MB.
 *
 * They are looked for where Footnote itself is installed (which a project's own copy, a workspace and a global
 * installation have in common), in `NODE_PATH`, and in folders that a program names. Never in the current folder: a
 * folder that was cloned may hold a `node_modules` of anybody, and code must not run because a search was run there.
 */
import { createRequire } from 'node:module';
import { delimiter, join, resolve } from 'node:path';
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
  const places = [...folders, ...named].map((folder) => join(resolve(folder), 'from.js'));
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

/** The command in full, for the place where this copy of Footnote is installed. */
export function installCommand(): string {
  const packages = Object.entries(PACKAGE_VERSIONS).map(([name, version]) => `${name}@${version}`);
  return ['npm install', ...(isGlobal() ? ['--global'] : ['--save-exact']), ...packages].join(' ');
}

/** npm keeps global packages in `lib/node_modules`, on Windows in `npm/node_modules`. */
const isGlobal = (): boolean => /[\\/](?:lib|npm)[\\/]node_modules[\\/]/u.test(fileURLToPath(import.meta.url));
