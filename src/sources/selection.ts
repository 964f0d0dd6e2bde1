/** Which files of a source are documents: the rules that folders and git repositories share. */
import picomatch from 'picomatch';
import type { Exclusion } from '../core/types.ts';
import { looksBinary } from '../text/decode.ts';
import { mediaTypeOf } from './media-types.ts';

export interface SelectionRules {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

export interface Selection {
  /** Judges a file by its path relative to the source's root. */
  file(path: string): Exclusion | { readonly mediaType: string };
  /** The reason to leave out a whole folder, listed once; `undefined`: look inside. */
  folder(path: string): Exclusion | undefined;
}

/** Used where the settings give no `parse.maxFileBytes`. */
export const DEFAULT_MAX_FILE_BYTES: number = 32 * 1024 * 1024;

/** Bytes that {@link contentExclusion} wants to see. */
export const HEAD_BYTES = 8192;

export function selectionOf(rules: SelectionRules): Selection {
  const included = matcher(rules.include ?? []);
  const excluded = matcher(rules.exclude ?? []);
  const wholeFolders = matcher((rules.exclude ?? []).flatMap(wholeFolder));

  function byGlobs(path: string): Exclusion | undefined {
    if (excluded?.(path)) return { path, reason: 'not-included', detail: 'an exclude pattern matches' };
    if (included?.(path) === false) return { path, reason: 'not-included', detail: 'no include pattern matches' };
    return undefined;
  }

  return {
    file(path) {
      const left = nameExclusion(path) ?? byGlobs(path);
      if (left !== undefined) return left;
      const type = mediaTypeOf(path);
      return 'unparsed' in type ? { path, reason: 'no-parser', detail: type.unparsed } : type;
    },
    folder(path) {
      if (wholeFolders?.(path)) return { path, reason: 'not-included', detail: 'an exclude pattern matches' };
      return nameExclusion(`${path}/`);
    },
  };
}

/** Judges a document by its first bytes. */
export function contentExclusion(path: string, head: Uint8Array): Exclusion | undefined {
  if (isLfsPointer(head)) return { path, reason: 'lfs-pointer', detail: 'the content is kept in Git LFS' };
  return looksBinary(head) ? { path, reason: 'binary' } : undefined;
}

export const tooLarge = (path: string, bytes: number | bigint, limit: number): Exclusion => ({
  path,
  reason: 'too-large',
  detail: `${bytes} bytes, the limit is ${limit} (parse.maxFileBytes)`,
});

/** The first folder of a path, which often names a kind of document; `undefined` at the root. */
export const categoryOf = (path: string): string | undefined =>
  path.includes('/') ? path.slice(0, path.indexOf('/')) : undefined;

/** The order of code points, which is also that of git's trees and of UTF-8 bytes. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return codePointRank(x) - codePointRank(y);
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above all other units, though U+E000 to U+FFFF are larger numbers. */
const codePointRank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

/**
 * Hidden names, and the one folder that holds other people's documents in every project: no other name counts.
 *
 * @param path a folder's ends with `/`.
 */
export function nameExclusion(path: string): Exclusion | undefined {
  const parts = path.split('/');
  const trimmed = path.replace(/\/$/u, '');
  if (parts.some((part) => part.startsWith('.'))) return { path: trimmed, reason: 'hidden' };
  if (parts.slice(0, -1).includes('node_modules')) {
    return { path: trimmed, reason: 'ignored', detail: 'installed packages' };
  }
  return undefined;
}

/** A pattern without wildcards names a file, or a folder with all that is in it. */
function matcher(patterns: readonly string[]): ((path: string) => boolean) | undefined {
  const globs = patterns.map((pattern) => pattern.replace(/^(?:\.?\/)+/u, '').replace(/\/+$/u, '/**')).filter(Boolean);
  if (globs.length === 0) return undefined;
  return picomatch(
    globs.flatMap((glob) => (picomatch.scan(glob).isGlob ? [glob] : [glob, `${glob}/**`])),
    { dot: true },
  );
}

/** The folder that a pattern leaves out as a whole: `drafts`, `drafts/`, `drafts/**`. */
function wholeFolder(pattern: string): readonly string[] {
  const folder = pattern.replace(/\/+(?:\*\*)?$/u, '');
  return folder === '' || folder === '**' ? [] : folder !== pattern || !picomatch.scan(pattern).isGlob ? [folder] : [];
}

const LFS_POINTER = 'version https://git-lfs.github.com/spec/v1\n';

const isLfsPointer = (head: Uint8Array): boolean =>
  Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, LFS_POINTER.length)).toString('latin1') ===
  LFS_POINTER;
