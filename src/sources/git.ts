/** Documents of a git repository at a branch, tag or commit. What has changed is told by the blob ids. */
import { posix } from 'node:path';
import type { CallOptions, KnownRevision, SiblingFiles, Source, SourceChange } from '../core/contracts.ts';
import { RagError } from '../core/errors.ts';
import type { Exclusion, Metadata, RawDocument } from '../core/types.ts';
import type { GitDefinition } from './address.ts';
import { openGit, type Git } from './git-command.ts';
import { discard, updateMirror, type Mirror } from './git-mirror.ts';
import { objectReader, parseTree, type ObjectReader, type TreeEntry } from './git-objects.ts';
import { JSON_LINES, SQLITE } from './media-types.ts';
import { fillTemplate, permalinkTemplate, withoutLines } from './permalink.ts';
import { jsonLineRecords } from './records/json-lines.ts';
import {
  NoRecords,
  publishedRecord,
  recordChanges,
  RecordFileFailure,
  type FileRecord,
  type RecordFile,
} from './records/record.ts';
import { publishedUrl } from '../text/published-url.ts';
import {
  categoryOf,
  compareCodePoints,
  contentExclusion,
  DEFAULT_MAX_FILE_BYTES,
  HEAD_BYTES,
  nameExclusion,
  selectionOf,
  tooLarge,
  type Selection,
} from './selection.ts';
import { gitUri } from '../text/uri.ts';

export interface GitSourceOptions {
  /** Where the copies of repositories are kept; used by one process at a time. */
  readonly cacheFolder: string;
  readonly maxFileBytes?: number;
  /** Longest time of one git command. */
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 15 * 60_000;

const SYMBOLIC_LINK = '120000';
const SUBMODULE = '160000';

interface Commit {
  readonly id: string;
  /** ISO date of the commit. */
  readonly modified: string | undefined;
}

export default function gitSource(definition: GitDefinition, options: GitSourceOptions): Source {
  const { id, from, repository, ref, subdir = '', baseUrl, urlTemplate, language, records = {} } = definition;
  const { cacheFolder, maxFileBytes = DEFAULT_MAX_FILE_BYTES, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const template = urlTemplate ?? (baseUrl === undefined ? permalinkTemplate(repository) : undefined);
  const selection = selectionOf(definition);
  let objects: ObjectReader | undefined;
  /** Blobs by path, of the last listing: what siblings are read from. */
  let blobs: ReadonlyMap<string, string> = new Map();

  return {
    id,
    address: from,
    changes,
    siblings,
  };

  async function* changes(
    known: ReadonlyMap<string, KnownRevision>,
    callOptions: CallOptions = {},
  ): AsyncGenerator<SourceChange> {
    const git = await openGit(repository, { cacheFolder, timeoutMs });
    const mirror = await updateMirror(git, ref, cacheFolder, callOptions);
    const entries = await listFiles(git, mirror, callOptions);
    blobs = new Map(entries.filter(({ mode }) => mode.startsWith('100')).map((entry) => [entry.path, entry.id]));
    objects = objectReader(() => git.start([...mirror.at, 'cat-file', '--batch']));
    try {
      const commit = { id: mirror.commit, modified: await commitDate(mirror) };
      const seen = new Set<string>();
      const unread: string[] = [];
      yield { type: 'listed', total: entries.length };
      for (const entry of entries) {
        callOptions.signal?.throwIfAborted();
        for await (const change of changesOf(entry, known, mirror, commit)) {
          if ('uri' in change) seen.add(change.uri);
          if (change.type === 'failure') unread.push(`${gitUri(repository, entry.path)}#`);
          yield change;
        }
      }
      for (const uri of [...known.keys()].sort(compareCodePoints)) {
        if (seen.has(uri)) continue;
        yield { type: unread.some((file) => uri.startsWith(file)) ? 'unchanged' : 'delete', uri };
      }
    } finally {
      objects.close();
      objects = undefined;
    }
  }

  async function* changesOf(
    entry: TreeEntry,
    known: ReadonlyMap<string, KnownRevision>,
    mirror: Mirror,
    commit: Commit,
  ): AsyncGenerator<SourceChange> {
    const path = pathInSource(entry.path);
    if (!entry.exact) {
      yield { type: 'failure', path, message: 'its name is not valid UTF-8: rename it' };
      return;
    }
    const selected = specialEntry(entry, path) ?? withoutDatabases(selection.file(path), path);
    if ('reason' in selected) {
      yield { type: 'exclude', exclusion: selected };
      return;
    }
    const uri = gitUri(repository, entry.path);
    // The commit kept with the document is the one at which it was read: the same bytes stand there, for ever.
    if (known.get(uri)?.revision === entry.id) {
      yield { type: 'unchanged', uri };
      return;
    }
    const body = await readObject(entry.id, mirror);
    const left = contentExclusion(path, body.subarray(0, HEAD_BYTES));
    if (left !== undefined) {
      yield { type: 'exclude', exclusion: left };
      return;
    }
    const raw = rawDocument(entry, path, uri, selected.mediaType, body, commit);
    if (selected.mediaType === JSON_LINES) yield* changesOfRecords(raw, known);
    else yield { type: 'upsert', uri, path, stamp: entry.id, read: () => Promise.resolve(raw) };
  }

  /** Each record is known by its own revision, so the file is read whenever it is there. */
  async function* changesOfRecords(
    raw: RawDocument,
    known: ReadonlyMap<string, KnownRevision>,
  ): AsyncGenerator<SourceChange> {
    // Lines of a record's text are no lines of the file.
    const { urlTemplate: _lines, ...metadata } = raw.metadata;
    const { sourceId, uri, path, url } = raw;
    const urlOf = (record: FileRecord): string | undefined =>
      baseUrl === undefined ? url : publishedRecord(baseUrl, record);
    const file: RecordFile = { sourceId, uri, path, metadata, urlOf };
    try {
      yield* recordChanges(file, jsonLineRecords([raw.body], { records, maxBytes: maxFileBytes }), known);
    } catch (error) {
      if (error instanceof NoRecords) {
        yield { type: 'exclude', exclusion: { path, reason: error.reason, detail: error.message } };
      } else if (error instanceof RecordFileFailure) yield { type: 'failure', path, message: error.message };
      else throw error;
    }
  }

  async function listFiles(git: Git, { at, commit }: Mirror, callOptions: CallOptions): Promise<TreeEntry[]> {
    const args = [
      ...at,
      'ls-tree',
      '-r',
      '-z',
      '--long',
      '--full-tree',
      commit,
      ...(subdir === '' ? [] : ['--', subdir]),
    ];
    const entries = parseTree(await git.run(args, callOptions));
    if (entries.length === 0 && subdir !== '') {
      throw new RagError('source-missing', `${repository} has no folder ${subdir} at ${ref ?? 'HEAD'}`, {
        hint: 'a subfolder is written relative to the root of the repository',
      });
    }
    return entries;
  }

  function specialEntry({ mode, bytes = 0 }: TreeEntry, path: string): Exclusion | undefined {
    if (mode === SUBMODULE)
      return { path, reason: 'submodule', detail: 'a repository of its own: ingest it by itself' };
    if (mode === SYMBOLIC_LINK) return { path, reason: 'symbolic-link' };
    return bytes > maxFileBytes ? tooLarge(path, bytes, maxFileBytes) : undefined;
  }

  async function readObject(object: string, mirror: Mirror): Promise<Uint8Array> {
    const body = await objects?.read(object);
    if (body !== undefined) return body;
    await discard(mirror);
    throw new RagError('source-failed', `the copy of ${repository} in the index is damaged and was removed`, {
      hint: 'ingest again: it is fetched anew',
      retryable: true,
    });
  }

  /** ISO date, when the commit has one that a Date can hold. */
  async function commitDate(mirror: Mirror): Promise<string | undefined> {
    const text = Buffer.from(await readObject(mirror.commit, mirror)).toString('utf8');
    const seconds = /^committer .*> (-?\d+) [+-]\d+$/mu.exec(text)?.[1];
    const date = new Date(Number(seconds) * 1000);
    return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
  }

  function rawDocument(
    entry: TreeEntry,
    path: string,
    uri: string,
    mediaType: string,
    body: Uint8Array,
    commit: Commit,
  ): RawDocument {
    const category = categoryOf(path);
    const links =
      template === undefined ? undefined : fillTemplate(template, { repository, commit: commit.id, path: entry.path });
    const metadata: Metadata = {
      source: id,
      commit: commit.id,
      ...(commit.modified === undefined ? {} : { modified: commit.modified }),
      ...(category === undefined ? {} : { category }),
      ...(language === undefined ? {} : { language }),
      // `{start}` and `{end}` are left for the lines of each citation.
      ...(links === undefined ? {} : { urlTemplate: links }),
    };
    const raw = { sourceId: id, uri, path, revision: entry.id, mediaType, body, metadata };
    if (links !== undefined) return { ...raw, url: withoutLines(links) };
    return baseUrl === undefined ? raw : { ...raw, url: publishedUrl(baseUrl, path), baseUrl };
  }

  /** Relative to the subfolder; a subfolder that is a file keeps its name. */
  function pathInSource(path: string): string {
    if (subdir === '') return path;
    return path === subdir ? posix.basename(path) : path.slice(subdir.length + 1);
  }

  function siblings(uri: string): SiblingFiles {
    return {
      async read(name) {
        const [path = ''] = uri.slice(gitUri(repository, '').length).split('#');
        const target = posix.join(posix.dirname(decodeURIComponent(path)), name);
        if (posix.isAbsolute(name) || !isBelow(target, subdir) || nameExclusion(pathInSource(target)) !== undefined)
          return undefined;
        const blob = blobs.get(target);
        return blob === undefined ? undefined : objects?.read(blob);
      },
    };
  }
}

/** SQLite reads files, not blobs. */
const withoutDatabases = (selected: ReturnType<Selection['file']>, path: string): ReturnType<Selection['file']> =>
  'mediaType' in selected && selected.mediaType === SQLITE
    ? { path, reason: 'no-parser', detail: 'a database is read from a folder, not from a repository' }
    : selected;

const isBelow = (path: string, folder: string): boolean => folder === '' || path.startsWith(`${folder}/`);
