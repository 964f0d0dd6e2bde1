/** A file that a result is written to at the end: tried before the work begins, replaced as a whole after it. */
import { randomBytes } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { RagError } from '../core/errors.ts';

/**
 * Makes sure that the file can be written, without touching what is there, and gives back what writes it.
 * @throws RagError `storage-failed`, now or when it is written
 */
export async function prepareFile(path: string): Promise<(text: string) => Promise<void>> {
  const target = resolve(path);
  const found = await stat(target).catch(() => undefined);
  if (found?.isDirectory() === true) throw failed(path, 'it is a folder');
  const beside = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}`);
  await writeWhole(beside, '').catch((cause: unknown) => {
    throw failed(path, reasonOf(cause), cause);
  });
  await rm(beside);
  return async (text) => {
    try {
      await writeWhole(beside, text);
      await rename(beside, target);
    } catch (cause) {
      await rm(beside, { force: true });
      throw failed(path, reasonOf(cause), cause);
    }
  };
}

async function writeWhole(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'a part of its path is a file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENAMETOOLONG: 'its name is too long',
};

function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return REASONS[code] ?? (cause instanceof Error ? cause.message : String(cause));
}

const failed = (path: string, reason: string, cause?: unknown): RagError =>
  new RagError('storage-failed', `${path} cannot be written: ${reason}`, { hint: 'name another file', cause });
