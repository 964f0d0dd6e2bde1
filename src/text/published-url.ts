import { posix } from 'node:path';
import { encodePath } from './uri.ts';

/**
 * Where a page of a documentation site is published, without an anchor: `guide/build.md` under
 * `https://docs.example.org/learn` is `https://docs.example.org/learn/guide/build`.
 *
 * @param path relative to the source. A last part `index` or `README` names its folder.
 * @param slug from the front matter: `/x` stands for the whole path, `x` for its last part.
 */
export function publishedUrl(baseUrl: string, path: string, slug?: string): string {
  const parts = published(path, slug).split('/').filter(Boolean);
  return [baseUrl.replace(/\/+$/u, ''), ...parts.map(encodePath)].join('/');
}

function published(path: string, slug: string | undefined): string {
  const folder = posix.dirname(path);
  // Joined below "/", so that no number of ".." in a slug climbs out of the base.
  if (slug !== undefined && slug.trim() !== '') return posix.resolve('/', folder, slug.trim());
  const name = posix.basename(path, posix.extname(path));
  return /^(?:index|readme)$/iu.test(name) ? posix.join('/', folder) : posix.join('/', folder, name);
}
