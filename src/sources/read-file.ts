/** Reading files that may be anything, and that may change while they are read. */
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, type BigIntStats } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { sep } from 'node:path';

/**
 * Between the listing and the opening a file can be replaced: O_NOFOLLOW then refuses a link, and O_NONBLOCK keeps a
 * named pipe without a writer from waiting for ever.
 */
const READ_SAFELY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Files up to this are read at once; of larger ones the first bytes are looked at before. */
const READ_AT_ONCE = 1 << 20;

export interface FileContent {
  /** Taken before the bytes were read: a change while reading leaves them older than the file. */
  readonly stats: BigIntStats;
  readonly body: Uint8Array;
}

export type FileReading =
  | ({ readonly type: 'content' } & FileContent)
  | { readonly type: 'rejected'; readonly head: Uint8Array }
  | { readonly type: 'too-large'; readonly bytes: bigint }
  | { readonly type: 'not-a-file' };

/**
 * Reads a regular file whose first bytes are accepted. Synchronous: opening, asking and reading through the thread
 * pool takes 0.35 ms a file, and 0.04 ms so.
 *
 * @param path no part of it may be a symbolic link that the caller has not resolved.
 * @throws the system's error
 */
export function readRegularFile(
  path: string,
  limit: number,
  headBytes: number,
  accepts: (head: Uint8Array) => boolean,
): FileReading {
  const file = openSync(path, READ_SAFELY);
  try {
    const stats = fstatSync(file, { bigint: true });
    if (!stats.isFile()) return { type: 'not-a-file' };
    if (stats.size > limit) return { type: 'too-large', bytes: stats.size };
    if (stats.size > READ_AT_ONCE) {
      const head = new Uint8Array(headBytes);
      const known = head.subarray(0, readSync(file, head, 0, headBytes, 0));
      if (!accepts(known)) return { type: 'rejected', head: known };
    }
    const body = readFileSync(file);
    const head = body.subarray(0, headBytes);
    return accepts(head) ? { type: 'content', stats, body } : { type: 'rejected', head };
  } finally {
    closeSync(file);
  }
}

/** The real path, when it exists and lies in (or is) the real folder `root`; links have been followed. */
export async function realPathInside(root: string, path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    return isInside(root, real) ? real : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a real path is `root` or below it. */
export const isInside = (root: string, path: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);

/** `ENOENT` and its like, `''` for what is not a system error. */
export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Whether an error says that there is nothing at a path (any more). */
export const isGone = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(systemCode(error));

/** A system error in a few words. */
export function reason(error: unknown): string {
  const code = systemCode(error);
  return REASONS[code] ?? (code === '' ? String(error) : `cannot be read (${code})`);
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'no permission to read it',
  EPERM: 'no permission to read it',
  EIO: 'the disk or network reports an error',
  ELOOP: 'symbolic links that lead in a circle',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'its path is too long',
};
