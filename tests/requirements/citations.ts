/** Which tests cite which statements of the designs. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

const ID = /\bS[0-4]-[a-z0-9]+(?:-[a-z0-9]+)*/gu;

/**
 * For each id that a test cites: the files, as paths below `folder` in their order. The catalogue itself, which holds
 * every id, cites nothing.
 */
export function citations(folder: string): ReadonlyMap<string, readonly string[]> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length).split(sep).join('/').replace(/^\//u, ''))
    .filter((file) => file !== 'requirements.ts' && !/^requirements\/[\w-]+\.ts$/u.test(file))
    .sort();
  const cited = new Map<string, string[]>();
  for (const file of files) {
    const ids = new Set(readFileSync(join(folder, file), 'utf8').match(ID));
    for (const id of ids) cited.set(id, [...(cited.get(id) ?? []), file]);
  }
  return cited;
}
