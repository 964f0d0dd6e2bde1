/** Our own bare copy of the one commit that a source needs, and how it is brought up to date. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallOptions } from '../core/contracts.ts';
import { isRagError, RagError } from '../core/errors.ts';
import { sha256 } from '../core/identity.ts';
import { nearest } from '../text/nearest.ts';
import { cacheName, type Git } from './git-command.ts';

export interface Mirror {
  /** Full id of the commit that `ref` names now, whose files the mirror holds. */
  readonly commit: string;
  readonly folder: string;
  /** Arguments that make git read the mirror. */
  readonly at: readonly string[];
}

/** How many refs a message names. */
const SHOWN_REFS = 8;

/**
 * Looks up the ref and fetches its commit, if it is not here yet, without history. The mirror is a cache: one that a
 * kill left locked or damaged is thrown away and made again.
 *
 * @param cacheFolder used by one process at a time
 * @throws RagError `source-missing` for an unknown ref
 */
export async function updateMirror(
  git: Git,
  ref: string | undefined,
  cacheFolder: string,
  options: CallOptions,
): Promise<Mirror> {
  const wanted = await resolveRef(git, ref, options);
  const folder = join(cacheFolder, `${cacheName(git.repository)}.git`);
  const mirror = { folder, commit: wanted.commit, at: [`--git-dir=${folder}`] };
  if (await holds(git, mirror)) return mirror;
  try {
    await fetchCommit(git, mirror, wanted, options);
  } catch (error) {
    if (isRagError(error) && (error.code !== 'source-failed' || error.retryable)) throw error;
    await discard(mirror);
    await fetchCommit(git, mirror, wanted, options);
  }
  return mirror;
}

export const discard = ({ folder }: Mirror): Promise<void> => rm(folder, { recursive: true, force: true });

interface WantedCommit {
  readonly commit: string;
  /** Full name of the ref, or the commit itself. */
  readonly name: string;
}

/** Branches before tags, as `git clone --branch` has it. */
async function resolveRef(git: Git, ref: string | undefined, options: CallOptions): Promise<WantedCommit> {
  if (ref !== undefined && isCommitId(ref)) return { commit: ref, name: ref };
  const output = await git.run(
    [
      'ls-remote',
      '--quiet',
      '--',
      git.repository,
      'HEAD',
      'refs/heads/*',
      'refs/tags/*',
      ...(ref?.startsWith('refs/') ? [ref] : []),
    ],
    options,
  );
  const refs = new Map(
    output
      .split('\n')
      .filter(Boolean)
      .map((line) => [line.slice(line.indexOf('\t') + 1), line.slice(0, line.indexOf('\t'))]),
  );
  const names = ref === undefined || ref === 'HEAD' ? ['HEAD'] : [`refs/heads/${ref}`, `refs/tags/${ref}`, ref];
  for (const name of names) {
    // "^{}": the commit behind an annotated tag.
    const commit = refs.get(`${name}^{}`) ?? refs.get(name);
    if (commit !== undefined) return { commit, name };
  }
  throw unknownRef(git.repository, ref, [...refs.keys()]);
}

/** SHA-1 or SHA-256, in full. */
const isCommitId = (ref: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u.test(ref);

function unknownRef(repository: string, ref: string | undefined, refs: readonly string[]): RagError {
  const short = refs
    .filter((name) => /^refs\/(?:heads|tags)\//u.test(name) && !name.endsWith('^{}'))
    .map((name) => name.replace(/^refs\/[a-z]+\//u, ''));
  if (short.length === 0) {
    return new RagError('source-missing', `${repository} has no commits yet`, { hint: 'commit something first' });
  }
  const meant = ref === undefined ? undefined : nearest(ref, short);
  const shown = [...new Set([...(meant === undefined ? [] : [meant]), ...short])].slice(0, SHOWN_REFS).join(', ');
  const more = short.length > SHOWN_REFS ? ` and ${short.length - SHOWN_REFS} more` : '';
  return new RagError('source-missing', `${repository} has no branch or tag ${ref ?? 'HEAD'}`, {
    hint:
      (meant === undefined ? `it has ${shown}${more}` : `did you mean #${meant}? It has ${shown}${more}`) +
      (ref !== undefined && /^[0-9a-f]{4,63}$/u.test(ref) ? '; a commit is named by all of its digits' : ''),
  });
}

async function holds(git: Git, { at, commit }: Mirror): Promise<boolean> {
  try {
    await git.run([...at, 'cat-file', '-e', `${commit}^{commit}`]);
    return true;
  } catch (error) {
    if (isRagError(error) && error.code === 'driver-missing') throw error;
    return false;
  }
}

async function fetchCommit(
  git: Git,
  { at, folder }: Mirror,
  { commit, name }: WantedCommit,
  options: CallOptions,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  // Without a template, so without hooks. Doing it again changes nothing.
  await git.run(
    [
      'init',
      '--quiet',
      '--bare',
      '--template=',
      `--object-format=${commit.length === 64 ? 'sha256' : 'sha1'}`,
      '--',
      folder,
    ],
    options,
  );
  // A ref of our own keeps the objects and tells the next fetch what is here.
  const target = `refs/footnote/${sha256(name).slice(0, 24)}`;
  await git.run(
    [
      ...at,
      ...['fetch', '--quiet', '--force', '--depth=1', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'],
      // By its id, not its name: the ref may have moved since it was looked up.
      ...['--', git.repository, `+${commit}:${target}`],
    ],
    options,
  );
}
