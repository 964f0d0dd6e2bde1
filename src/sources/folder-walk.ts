/** The files of a folder in the order of their paths, and what was left out on the way. */
import { lstatSync, type BigIntStats, type Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { CallOptions } from '../core/contracts.ts';
import type { Exclusion } from '../core/types.ts';
import { noIgnoreRules, type IgnoreRules } from './gitignore.ts';
import { isGone, isInside, readRegularFile, realPathInside, reason } from './read-file.ts';
import { compareCodePoints, nameExclusion, type Selection } from './selection.ts';

export type Found =
  | {
      readonly type: 'file';
      /** Relative to the root, as the walk came to it. */
      readonly path: string;
      /** Where the file really is: links are resolved. */
      readonly realPath: string;
      readonly mediaType: string;
      readonly stats: BigIntStats;
    }
  | { readonly type: 'exclude'; readonly exclusion: Exclusion }
  /** Nothing is known of this file, or of anything in this folder. */
  | { readonly type: 'failure'; readonly path: string; readonly message: string };

/** A tree that is deeper is made by a program; the time of `.gitignore` patterns grows steeply with the depth. */
const MAX_DEPTH = 64;
const MAX_GITIGNORE_BYTES = 1 << 20;

interface Folder {
  readonly type: 'folder';
  readonly path: string;
  readonly realPath: string;
  readonly depth: number;
  readonly parent: Folder | undefined;
  /** Whether a symbolic link leads here. */
  readonly linked: boolean;
}

/**
 * @param root a real path, no link.
 * @throws the system's error when the root itself cannot be listed
 */
export async function* walk(root: string, selection: Selection, options: CallOptions = {}): AsyncGenerator<Found> {
  const context: WalkContext = { root, selection, rules: new Map(), problems: [], reachedByLink: new Set() };
  const top: Folder = { type: 'folder', path: '', realPath: root, depth: 0, parent: undefined, linked: false };
  const stack: (Folder | Found)[] = [top];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next.type !== 'folder') {
      yield next;
      continue;
    }
    options.signal?.throwIfAborted();
    const entries = await list(next, context);
    entries.sort((a, b) => compareCodePoints(sortKey(b), sortKey(a)));
    for (const entry of entries) stack.push(entry);
  }
}

interface WalkContext {
  readonly root: string;
  readonly selection: Selection;
  /** By real folder, relative to the root. */
  readonly rules: Map<string, IgnoreRules>;
  /** What is wrong with the `.gitignore` files read since the last listing. */
  readonly problems: Found[];
  /** Real folders that were walked at the place of a link: a second time would be without end, or without use. */
  readonly reachedByLink: Set<string>;
}

/** A folder sorts as its paths do: "a-b.md" comes before "a/x.md". */
function sortKey(entry: Folder | Found): string {
  if (entry.type === 'exclude') return entry.exclusion.path;
  return entry.type === 'folder' ? `${entry.path}/` : entry.path;
}

async function list(folder: Folder, context: WalkContext): Promise<(Folder | Found)[]> {
  if (folder.depth > MAX_DEPTH) return [failure(folder.path, `more than ${MAX_DEPTH} folders deep`)];
  if (folder.linked) {
    if (context.reachedByLink.has(folder.realPath)) return [linkExclusion(folder.path, 'reached by another link')];
    context.reachedByLink.add(folder.realPath);
  }
  let entries: Dirent[];
  try {
    entries = await readdir(folder.realPath, { withFileTypes: true });
  } catch (error) {
    if (folder.depth === 0) throw error;
    return isGone(error) ? [] : [failure(folder.path, reason(error))];
  }
  const found: (Folder | Found)[] = [];
  const rules = rulesIn(folder.realPath, context);
  for (const entry of entries) {
    const judged = await judge(entry, folder, rules, context);
    if (judged !== undefined) found.push(judged);
  }
  found.push(...context.problems.splice(0));
  return found;
}

async function judge(
  entry: Dirent,
  folder: Folder,
  rules: IgnoreRules,
  context: WalkContext,
): Promise<Folder | Found | undefined> {
  const path = folder.path === '' ? entry.name : `${folder.path}/${entry.name}`;
  const realPath = join(folder.realPath, entry.name);
  try {
    if (entry.isSymbolicLink()) {
      const left = nameExclusion(path) ?? ignored(path, realPath, false, rules, context);
      return left === undefined ? await followLink(path, realPath, folder, context) : exclude(left);
    }
    // Some file systems do not tell the type of an entry; and a name that is not UTF-8 cannot be found by its text.
    const stats =
      entry.isDirectory() && !entry.name.includes('\uFFFD') ? undefined : lstatSync(realPath, { bigint: true });
    if (stats === undefined || stats.isDirectory()) {
      const left = context.selection.folder(path) ?? ignored(path, realPath, true, rules, context);
      return left === undefined ? subfolder(path, realPath, folder, folder.linked) : exclude(left);
    }
    const left = nameExclusion(path) ?? ignored(path, realPath, false, rules, context);
    return left === undefined ? judgeFile(path, realPath, stats, context) : exclude(left);
  } catch (error) {
    if (!isGone(error)) return failure(path, reason(error));
    return entry.name.includes('\uFFFD') ? failure(path, 'its name is not valid UTF-8: rename it') : undefined;
  }
}

function judgeFile(path: string, realPath: string, stats: BigIntStats, context: WalkContext): Found {
  const selected = context.selection.file(path);
  if ('reason' in selected) return exclude(selected);
  if (!stats.isFile()) return exclude({ path, reason: 'not-a-file' });
  return { type: 'file', path, realPath, mediaType: selected.mediaType, stats };
}

/** Only to what would be read at its own place too: inside the root, neither hidden nor ignored there. */
async function followLink(path: string, link: string, folder: Folder, context: WalkContext): Promise<Folder | Found> {
  const target = await realPathInside(context.root, link);
  if (target === undefined) return linkExclusion(path, 'leads nowhere, or out of the source');
  const stats = await lstat(target, { bigint: true });
  const isFolder = stats.isDirectory();
  if (isFolder && contains(target, folder)) return linkExclusion(path, 'leads to a folder that it is in');
  const place = placeOf(target, context);
  const parentRules = rulesIn(join(target, '..'), context);
  if (
    target !== context.root &&
    (nameExclusion(isFolder ? `${place}/` : place) ?? ignored(path, target, isFolder, parentRules, context)) !==
      undefined
  ) {
    return linkExclusion(path, 'leads to something hidden or ignored');
  }
  if (!isFolder) return judgeFile(path, target, stats, context);
  const left = context.selection.folder(path);
  return left === undefined ? subfolder(path, target, folder, true) : exclude(left);
}

/** Whether a real folder is one that the walk is in, by whatever way it came. */
function contains(target: string, folder: Folder): boolean {
  for (let at: Folder | undefined = folder; at !== undefined; at = at.parent) {
    if (isInside(target, at.realPath)) return true;
  }
  return false;
}

function ignored(
  path: string,
  realPath: string,
  isFolder: boolean,
  rules: IgnoreRules,
  context: WalkContext,
): Exclusion | undefined {
  const place = placeOf(realPath, context);
  return rules.ignores(isFolder ? `${place}/` : place) ? { path, reason: 'ignored', detail: '.gitignore' } : undefined;
}

/** The rules that hold in a real folder: its own and those above it. */
function rulesIn(realFolder: string, context: WalkContext): IgnoreRules {
  if (!isInside(context.root, realFolder)) return noIgnoreRules();
  const place = placeOf(realFolder, context);
  const known = context.rules.get(place);
  if (known !== undefined) return known;
  const above = place === '' ? noIgnoreRules() : rulesIn(join(realFolder, '..'), context);
  const file = place === '' ? '.gitignore' : `${place}/.gitignore`;
  const text = readGitignore(join(realFolder, '.gitignore'), file, context.problems);
  const rules = text === undefined ? above : above.within(place, text);
  for (const pattern of text === undefined ? [] : rules.refused) {
    context.problems.push(failure(file, `this pattern is too costly to apply: ${pattern}`));
  }
  context.rules.set(place, rules);
  return rules;
}

function readGitignore(path: string, shown: string, problems: Found[]): string | undefined {
  try {
    const reading = readRegularFile(path, MAX_GITIGNORE_BYTES, 0, () => true);
    if (reading.type === 'content') return Buffer.from(reading.body).toString('utf8');
    if (reading.type === 'too-large')
      problems.push(failure(shown, `its rules are not applied: ${reading.bytes} bytes`));
  } catch (error) {
    if (!isGone(error)) problems.push(failure(shown, `its rules are not applied: ${reason(error)}`));
  }
  return undefined;
}

const placeOf = (realPath: string, { root }: WalkContext): string => relative(root, realPath).split(sep).join('/');

const subfolder = (path: string, realPath: string, parent: Folder, linked: boolean): Folder => ({
  type: 'folder',
  path,
  realPath,
  depth: parent.depth + 1,
  parent,
  linked,
});

const exclude = (exclusion: Exclusion): Found => ({ type: 'exclude', exclusion });
const linkExclusion = (path: string, detail: string): Found => exclude({ path, reason: 'symbolic-link', detail });
const failure = (path: string, message: string): Found => ({ type: 'failure', path, message });
