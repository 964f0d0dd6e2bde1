/** Reading files that may be anything, and that may change while they are read. */
import { constants, type BigIntStats } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import { sep } from 'node:path';

/**
 * Between the listing and the opening a file can be replaced: O_NOFOLLOW then refuses a link, and O_NONBLOCK keeps a
 * named pipe without a writer from waiting for ever.
 */
const READ_SAFELY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

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
 * Reads a regular file whose first bytes are accepted.
 *
 * @param path no part of it may be a symbolic link that the caller has not resolved.
 * @throws the system's error
 */
export async function readRegularFile(
  path: string,
  limit: number,
  headBytes: number,
  accepts: (head: Uint8Array) => boolean,
): Promise<FileReading> {
  const file = await open(path, READ_SAFELY);
  try {
    const stats = await file.stat({ bigint: true });
    if (!stats.isFile()) return { type: 'not-a-file' };
    if (stats.size > limit) return { type: 'too-large', bytes: stats.size };
    if (stats.size > READ_AT_ONCE) {
      const head = await readHead(file, headBytes);
      if (!accepts(head)) return { type: 'rejected', head };
    }
    const body = await file.readFile();
    const head = body.subarray(0, headBytes);
    return accepts(head) ? { type: 'content', stats, body } : { type: 'rejected', head };
  } finally {
    await file.close();
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

async function readHead(file: FileHandle, bytes: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(bytes);
  const { bytesRead } = await file.read(buffer, 0, bytes, 0);
  return buffer.subarray(0, bytesRead);
}
