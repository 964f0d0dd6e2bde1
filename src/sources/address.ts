/**
 * What a user writes for a SOURCE, as data that an index can remember:
 * `PATH`, or `git:PATH_OR_URL[#ref][:subdir]`. Definitions are JSON and never hold a secret.
 */
import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RagError } from '../core/errors.ts';
import type { SourceSettings } from '../core/settings.ts';
import { refuseCredentials, withoutUserInfo } from './credentials.ts';
import { parseGitAddress } from './git-address.ts';
import { extensionOf } from './media-types.ts';
import { permalinkTemplate } from './permalink.ts';

type Common = Readonly<Omit<SourceSettings, 'as'>> & {
  /** Unique in an index: the value of the field `source`. */
  readonly id: string;
};

export type FolderDefinition = Common & {
  readonly use: 'folder';
  /** Absolute path of a folder or of a single file. */
  readonly path: string;
};

export type GitDefinition = Common & {
  readonly use: 'git';
  /** URL or absolute path. */
  readonly repository: string;
  /** Branch, tag or full commit id; absent: the branch that the repository calls HEAD. */
  readonly ref?: string;
  /** Relative to the repository's root, without a slash at either end. */
  readonly subdir?: string;
};

export type SourceDefinition = FolderDefinition | GitDefinition;

/** @throws RagError `source-missing` | `source-refused` | `not-available` */
export const parseSource = (text: string, options: { readonly cwd: string; readonly as?: string }): SourceDefinition =>
  defineSource(options.as === undefined ? { from: text } : { from: text, as: options.as }, options.cwd);

/**
 * @param cwd the folder that relative addresses start from: that of the configuration file, or the current one.
 * @throws RagError as {@link parseSource}; `setting-invalid` for a name or base address that cannot be used.
 */
export function defineSource(settings: SourceSettings, cwd: string): SourceDefinition {
  const { as, ...rest } = settings;
  const from = settings.from.trim();
  checkName(as);
  checkBaseUrl(settings.baseUrl);
  if (from.startsWith('-')) {
    throw new RagError('source-refused', `a source may not begin with "-": ${withoutUserInfo(from)}`, {
      hint: 'write ./ before the name of such a folder',
    });
  }
  if (from.startsWith('git:')) {
    const address = parseGitAddress(from.startsWith('git://') ? from : from.slice('git:'.length), cwd);
    return { ...rest, from, ...address, id: as ?? gitName(address), use: 'git' };
  }
  const path = localPath(from, cwd);
  return { ...rest, from, path, id: as ?? (basename(path) || path), use: 'folder' };
}

function localPath(from: string, cwd: string): string {
  const path = from.startsWith('file://') ? fromFileUrl(from) : resolve(cwd, from);
  if (from === '' || !existsSync(path)) {
    refuseOtherKinds(from);
    throw new RagError('source-missing', from === '' ? 'the source is empty' : `there is no file or folder ${path}`, {
      hint: 'give a folder, a file, or git:REPOSITORY; a relative path starts from the current folder',
    });
  }
  const kind = LATER_FILES[extensionOf(path)];
  if (kind === undefined) return path;
  throw new RagError('not-available', `${basename(path)}: ${kind} cannot be read as a source yet`, {
    hint: 'give a folder with Markdown, plain text or code, a .jsonl file or a database of questions and answers',
  });
}

/** Files that hold many documents, of formats without a reader. */
const LATER_FILES: Readonly<Record<string, string>> = {
  mbox: 'a mailbox',
  eml: 'mail',
};

/** Addresses that are no path. Called only when there is no such path, because a file may be called `a:b`. */
function refuseOtherKinds(from: string): void {
  refuseCredentials(from);
  const github = /^github:\/*([\w.-]+\/[\w.-]+)/u.exec(from);
  if (from.startsWith('github:')) {
    throw new RagError('not-available', `${from}: repositories through GitHub's API cannot be read yet`, {
      hint: `git reads them: git:https://github.com/${github?.[1] ?? 'OWNER/REPOSITORY'}`,
    });
  }
  if (/^https?:\/\//u.test(from)) {
    const page = from.replace(/[?#].*$/su, '');
    throw new RagError('not-available', `${page}: web sites cannot be read yet`, {
      hint: isRepositoryUrl(page)
        ? `git reads the repository: git:${page}`
        : 'give a folder with its pages in Markdown, or git:URL for its repository',
    });
  }
  if (/^(?:ssh:\/\/|[\w.-]+@[\w.-]+:)/u.test(from)) {
    throw new RagError('source-refused', `${from} is a git address without "git:"`, { hint: `write git:${from}` });
  }
  if (/^[a-z][a-z0-9+.-]+:/iu.test(from)) {
    throw new RagError('source-refused', `${from}: this kind of address is not known`, {
      hint: 'a source is a folder, a file, or git:REPOSITORY[#ref][:subdir]',
    });
  }
}

const isRepositoryUrl = (url: string): boolean =>
  /\.git\/?$/u.test(url) || (permalinkTemplate(url) !== undefined && /^https?:\/\/[^/]+\/[^/]+\/[^/]+\/?$/u.test(url));

function fromFileUrl(from: string): string {
  try {
    return fileURLToPath(from);
  } catch (cause) {
    throw new RagError('source-refused', `${from} is not the address of a local file`, {
      hint: 'write its path instead: file: addresses have no host',
      cause,
    });
  }
}

function gitName({ repository, subdir }: Pick<GitDefinition, 'repository' | 'subdir'>): string {
  const last = (path: string): string => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf(':')) + 1);
  if (subdir !== undefined) return last(subdir);
  const path = repository.replace(/\/+$/u, '').replace(/\/?\.git$/u, '');
  return last(path) || repository;
}

function checkName(name: string | undefined): void {
  if (name === undefined || (name.trim() !== '' && !/\p{Cc}/u.test(name))) return;
  throw new RagError('setting-invalid', 'the name of a source is empty or holds control characters', {
    hint: 'choose a name such as handbook',
  });
}

function checkBaseUrl(baseUrl: string | undefined): void {
  if (baseUrl === undefined) return;
  refuseCredentials(baseUrl);
  if (/^https?:\/\//u.test(baseUrl) && URL.canParse(baseUrl)) return;
  throw new RagError('setting-invalid', `baseUrl is not a web address: ${baseUrl}`, {
    hint: 'it begins with https:// and is what stands before the path of every page',
  });
}
