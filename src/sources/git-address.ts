/** The part after `git:` of an address: `PATH_OR_URL[#ref][:subdir]`. */
import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RagError } from '../core/errors.ts';
import { refuseCredentials, withoutUserInfo } from './credentials.ts';

export interface GitAddress {
  readonly repository: string;
  readonly ref?: string;
  readonly subdir?: string;
}

/** `ext::` and `fd::` run commands; what is not in this list may be such a helper too. */
const TRANSPORTS = ['https', 'http', 'ssh', 'git', 'file'];

/** @throws RagError `source-refused` | `source-missing` */
export function parseGitAddress(text: string, cwd: string): GitAddress {
  if (text.startsWith('-')) throw refused('a git address may not begin with "-"', text);
  if (/\p{Cc}/u.test(text)) throw refused('a git address may not hold control characters', '');
  if (/^[\w+.-]*::/u.test(text)) throw refused('git transports that run commands are not allowed', text);
  if (text.includes('://')) refuseCredentials(text);
  const url = splitUrl(text);
  if (url !== undefined) return url;
  const local = splitLocal(text, cwd);
  if (local !== undefined) return local;
  refuseCredentials(text);
  const scp = splitScp(text);
  if (scp !== undefined) return scp;
  throw new RagError('source-missing', `there is no folder ${resolve(cwd, text.replace(/#.*$/su, ''))}`, {
    hint: 'git: takes the path of a repository or its URL; over ssh write git:ssh://HOST/PATH or git:USER@HOST:PATH',
  });
}

function splitUrl(text: string): GitAddress | undefined {
  const match = /^([a-z][a-z0-9+.-]*):\/\/([^/#]*)([^#]*)(?:#(.*))?$/iu.exec(text);
  if (match === null) return undefined;
  const [, scheme = '', host = '', path = '', fragment] = match;
  if (!TRANSPORTS.includes(scheme.toLowerCase())) {
    throw refused(`git transport "${scheme}" is not allowed`, text, `one of ${TRANSPORTS.join(', ')}`);
  }
  const [repositoryPath = '', subdir] = fragment === undefined ? splitOnce(path, ':') : [path];
  const repository = `${scheme}://${host}${repositoryPath}`;
  const rest = fragment === undefined ? withSubdir(subdir) : refAndSubdir(fragment);
  if (scheme.toLowerCase() === 'file') return { repository: checkRepository(fileURLToPathOf(repository)), ...rest };
  if (path.includes('?')) {
    throw refused(
      'the address of a source holds parameters, which may be secret',
      '',
      'leave out the part from "?" on',
    );
  }
  // "-oProxyCommand=…" as a host would be an option of ssh.
  if (!URL.canParse(repository) || host === '' || /^(?:.*@)?-/u.test(host) || repositoryPath.length < 2) {
    throw refused('this is not the address of a repository', text, 'for example git:https://example.org/owner/repo');
  }
  return { repository, ...rest };
}

/** `user@host:path`, as ssh has it. Without a user it cannot be told from a local path and a subfolder. */
function splitScp(text: string): GitAddress | undefined {
  const match = /^([\w.-]+@[\w.][\w.-]*:[^:#]+)(?:#(.*)|:(.*))?$/u.exec(text);
  if (match === null) return undefined;
  const [, repository = '', fragment, subdir] = match;
  return { repository, ...(fragment === undefined ? withSubdir(subdir) : refAndSubdir(fragment)) };
}

/** Both separators may also stand in a path: the longest part that is a folder is the repository. */
function splitLocal(text: string, cwd: string): GitAddress | undefined {
  const separators = [...text.matchAll(/[#:]/gu)].map((match) => match.index).reverse();
  for (const end of [text.length, ...separators]) {
    const repository = resolve(cwd, text.slice(0, end));
    if (end === 0 || !isFolder(repository)) continue;
    const rest = text.slice(end + 1);
    return { repository: checkRepository(repository), ...(text[end] === '#' ? refAndSubdir(rest) : withSubdir(rest)) };
  }
  return undefined;
}

/** @throws RagError `source-missing` when a local path is not a repository. */
function checkRepository(path: string): string {
  if (existsSync(join(path, '.git')) || (existsSync(join(path, 'HEAD')) && existsSync(join(path, 'objects')))) {
    return path;
  }
  const above = repositoryAbove(path);
  const message = isFolder(path) ? `${path} is not a git repository` : `there is no folder ${path}`;
  throw new RagError('source-missing', message, {
    hint:
      above === undefined
        ? 'to read the files of a folder as they are, give its path without git:'
        : `it is a part of one: git:${above}:${relative(above, path)}`,
  });
}

function repositoryAbove(path: string): string | undefined {
  for (let folder = path; dirname(folder) !== folder; folder = dirname(folder)) {
    if (folder !== path && existsSync(join(folder, '.git'))) return folder;
  }
  return undefined;
}

function refAndSubdir(fragment: string): Omit<GitAddress, 'repository'> {
  const [ref = '', subdir] = splitOnce(fragment, ':');
  // What git itself forbids in a ref, so that nothing else (a range, an option, a revision expression) comes through.
  if (ref.startsWith('-') || /[\s\p{Cc}~^:?*[\\]|\.\.|@\{|\.lock$|\/$|\/\//u.test(ref)) {
    throw refused(`"${ref}" cannot be a branch, tag or commit`, '', 'after # comes its plain name, such as #main');
  }
  return { ...(ref === '' ? {} : { ref }), ...withSubdir(subdir) };
}

function withSubdir(subdir: string | undefined): { readonly subdir?: string } {
  const parts = (subdir ?? '').split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw refused(`the subfolder "${subdir}" leads out of the repository`, '');
  return parts.length === 0 ? {} : { subdir: parts.join('/') };
}

function splitOnce(text: string, separator: string): [string] | [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function fileURLToPathOf(url: string): string {
  try {
    return fileURLToPath(url).replace(/(.)\/+$/u, '$1');
  } catch {
    throw refused('this is not the address of a local repository', url, 'file: addresses have no host: write its path');
  }
}

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

const refused = (message: string, address: string, hint?: string): RagError =>
  new RagError('source-refused', address === '' ? message : `${message}: ${withoutUserInfo(address)}`, {
    hint: hint ?? 'write git: and the path or the https address of a repository',
  });
