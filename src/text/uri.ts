/**
 * Addresses that are the same on every machine and Node version: they are the identity of documents, and
 * `pathToFileURL` has changed which characters it encodes. Here: all but those that RFC 3986 allows in a path.
 */

import { sep } from 'node:path';

/** Percent-encodes a `/`-separated path. */
export const encodePath = (path: string): string => encodeURI(path).replace(/[?#]/gu, encodeURIComponent);

export function fileUri(absolutePath: string): string {
  const path = absolutePath.split(sep).join('/');
  return `file://${path.startsWith('/') ? '' : '/'}${encodePath(path)}`;
}

/** @param path relative to the repository's root, so that it does not depend on the subfolder that was asked for. */
export const gitUri = (repository: string, path: string): string =>
  `git+${isUrl(repository) ? repository : encodePath(repository)}:${encodePath(path)}`;

const isUrl = (repository: string): boolean => repository.includes('://');
