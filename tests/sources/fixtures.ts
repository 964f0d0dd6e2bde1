import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { KnownRevision, Source, SourceChange } from '../../src/core/contracts.ts';
import type { RawDocument } from '../../src/core/types.ts';

/** A folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'footnote-sources-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function write(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** git with an identity, and without the configuration of this machine. */
export function git(folder: string, ...args: string[]): string {
  return execFileSync('git', ['-c', 'protocol.file.allow=always', '-c', 'init.defaultBranch=main', ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_NAME: 'A',
      GIT_AUTHOR_EMAIL: 'a@example.org',
      GIT_COMMITTER_NAME: 'A',
      GIT_COMMITTER_EMAIL: 'a@example.org',
      GIT_COMMITTER_DATE: '2024-05-06T07:08:09Z',
    },
  }).trim();
}

/** A repository with one commit of these files on the branch `main`; its path. */
export function repository(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = join(temporaryFolder(), 'handbook');
  mkdirSync(folder);
  git(folder, 'init', '--quiet');
  commit(folder, files);
  return folder;
}

export function commit(folder: string, files: Readonly<Record<string, string | Uint8Array>>): string {
  write(folder, files);
  git(folder, 'add', '--all', '--force');
  git(folder, 'commit', '--quiet', '--allow-empty', '--message', 'x');
  return git(folder, 'rev-parse', 'HEAD');
}

export interface Sync {
  /** Without `listed`, which says nothing of documents. */
  readonly changes: readonly Exclude<SourceChange, { type: 'listed' }>[];
  /** In the order of the changes. */
  readonly documents: readonly RawDocument[];
  /** What the index would know afterwards. */
  readonly known: ReadonlyMap<string, KnownRevision>;
}

/** Does with the changes what the pipeline does. */
export async function sync(source: Source, before: ReadonlyMap<string, KnownRevision> = new Map()): Promise<Sync> {
  const changes: Exclude<SourceChange, { type: 'listed' }>[] = [];
  const documents: RawDocument[] = [];
  const known = new Map(before);
  for await (const change of source.changes(before)) {
    if (change.type === 'listed') continue;
    changes.push(change);
    if (change.type === 'delete') known.delete(change.uri);
    if (change.type === 'unchanged' && change.stamp !== undefined) {
      known.set(change.uri, { revision: known.get(change.uri)!.revision, stamp: change.stamp });
    }
    if (change.type !== 'upsert') continue;
    const raw = await change.read();
    documents.push(raw);
    known.set(change.uri, { revision: raw.revision, stamp: change.stamp });
  }
  return { changes, documents, known };
}

/** `type name`, with the reason of exclusions: what tests compare. */
export function outline({ changes }: Sync): string[] {
  return changes.map((change) => {
    if (change.type === 'exclude') return `exclude ${change.exclusion.path} (${change.exclusion.reason})`;
    if (change.type === 'failure') return `failure ${change.path}`;
    if (change.type === 'warning') return `warning ${change.warning.message}`;
    return `${change.type} ${decodeURIComponent(change.uri.slice(change.uri.lastIndexOf('/') + 1))}`;
  });
}

export const text = ({ body }: RawDocument): string => Buffer.from(body).toString('utf8');
