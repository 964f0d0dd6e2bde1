/** Titles for documents that have none of their own. */

/** Names that say nothing about one page: its folder's name does. */
const INDEX_NAMES: ReadonlySet<string> = new Set(['index', 'readme', '_index']);

/**
 * The file name as a person would write it: `guide/getting_started.md` becomes "Getting started".
 *
 * @param path Relative to the source's root, `/`-separated.
 */
export function titleFromPath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '');
  const file = withoutExtension(parts.at(-1) ?? '');
  const folder = parts.at(-2);
  const name = folder !== undefined && INDEX_NAMES.has(file.toLowerCase()) ? folder : file;
  const words = name.replace(/[-_]+/gu, ' ').trim();
  return words === '' ? path : words.charAt(0).toUpperCase() + words.slice(1);
}

/** The last part of a path, as it is. */
export const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const withoutExtension = (name: string): string =>
  name.lastIndexOf('.') > 0 ? name.slice(0, name.lastIndexOf('.')) : name;
