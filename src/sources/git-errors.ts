/** What git says, in words for the user. git's own text is shown as its last line only, without user names. */
import { RagError } from '../core/errors.ts';
import { withoutUserInfo } from './credentials.ts';

export const missingGit = (cause: unknown): RagError =>
  new RagError('driver-missing', 'git was not found, and git: sources are read with it', {
    hint: 'install it (apt-get install git, brew install git, https://git-scm.com), or give a folder instead',
    cause,
  });

export const tooManyFiles = (repository: string, cause: unknown): RagError =>
  new RagError('source-refused', `${repository} lists more files than can be read`, {
    hint: 'name a subfolder of it: git:REPOSITORY#REF:SUBFOLDER',
    cause,
  });

interface Cause {
  readonly says: RegExp;
  readonly error: (repository: string) => RagError;
}

const CAUSES: readonly Cause[] = [
  {
    says: /not our ref|unadvertised object/iu,
    error: (repository) =>
      new RagError(
        'source-missing',
        `${repository} does not have, or does not give out, the commit that was asked for`,
        {
          hint: 'name a branch or tag instead: git:REPOSITORY#main',
        },
      ),
  },
  {
    says: /unknown option|^usage: git/imu,
    error: () => new RagError('driver-missing', 'this git is too old', { hint: 'install git 2.29 or newer' }),
  },
  {
    says: /could not read (?:Username|Password)|Authentication failed|prompts disabled|error: 40[13]|Permission denied/iu,
    error: (repository) =>
      new RagError('source-failed', `${repository} asks for credentials that git does not have, or does not exist`, {
        hint: `let git remember them (git help credentials; for ssh: ssh-add), try: git ls-remote ${repository}`,
      }),
  },
  {
    says: /Host key verification failed/iu,
    error: (repository) =>
      new RagError('source-failed', `the host of ${repository} is not known to ssh`, {
        hint: 'connect to it once by hand and compare its key: ssh -T HOST',
      }),
  },
  {
    says: /timed out|resolve host|connect(?:ion)? |unreachable|early EOF|hung up|too slow|GnuTLS|SSL|error: 5\d\d/iu,
    error: (repository) =>
      new RagError('source-failed', `${repository} cannot be reached`, {
        hint: 'what the index holds of it stays; ingest again later. A proxy is set with https_proxy',
        retryable: true,
      }),
  },
  {
    says: /not found|does not appear to be a git repository|not a git repository|does not exist|error: 404/iu,
    error: (repository) =>
      new RagError('source-missing', `there is no git repository at ${repository}`, { hint: 'check the address' }),
  },
];

export function gitFailure(repository: string, stderr: string, cause?: unknown): RagError {
  const known = CAUSES.find(({ says }) => says.test(stderr));
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  const said = withoutUserInfo(lines.find((line) => /^(?:fatal|error|ssh):/u.test(line)) ?? lines.at(-1) ?? '').slice(
    0,
    300,
  );
  if (known === undefined) {
    return new RagError('source-failed', `git could not read ${repository}${said === '' ? '' : `: ${said}`}`, {
      hint: `try: git ls-remote ${repository}`,
      cause,
    });
  }
  const error = known.error(repository);
  const { hint = '', retryable } = error;
  return new RagError(error.code, `${error.message}${said === '' ? '' : ` (${said})`}`, { hint, retryable, cause });
}
