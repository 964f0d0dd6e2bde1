/** Documents of a folder, or a single file. Which files have changed is told by size, times and inode, as git does. */
import { createHash } from 'node:crypto';
import { createReadStream, type BigIntStats } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { CallOptions, KnownRevision, SiblingFiles, Source, SourceChange } from '../core/contracts.ts';
import { RagError } from '../core/errors.ts';
import { sha256 } from '../core/identity.ts';
import type { Metadata, RawDocument } from '../core/types.ts';
import type { FolderDefinition } from './address.ts';
import { walk, type Found } from './folder-walk.ts';
import { mediaTypeOf } from './media-types.ts';
import { publishedUrl } from '../text/published-url.ts';
import { isGone, readRegularFile, realPathInside, reason, type FileReading } from './read-file.ts';
import {
  categoryOf,
  compareCodePoints,
  contentExclusion,
  DEFAULT_MAX_FILE_BYTES,
  HEAD_BYTES,
  nameExclusion,
  selectionOf,
  tooLarge,
} from './selection.ts';
import { isRecordType, localRecordChanges, localRecords } from './records/local-file.ts';
import { publishedRecord, recordRevision, type FileRecord } from './records/record.ts';
import { fileUri } from '../text/uri.ts';

export interface FolderSourceOptions {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly maxFileBytes?: number;
}

type FoundFile = Extract<Found, { type: 'file' }>;

/**
 * A file system's clock may tick as slowly as every 10 ms: a file that changed this recently can change again
 * without a sign. Its stamp is left empty, and the next run reads it again ("racily clean" in git).
 */
const RACY_MS = 20;

/** Files are read synchronously: so often other work, and Ctrl-C, get their turn. */
const PAUSE_EVERY_MS = 20;

export default function folderSource(definition: FolderDefinition, options: FolderSourceOptions = {}): Source {
  const { id, from, path: address, baseUrl, language, records = {} } = definition;
  const { now = Date.now, maxFileBytes = DEFAULT_MAX_FILE_BYTES } = options;
  const reading = { records, maxBytes: maxFileBytes };

  return {
    id,
    address: from,
    changes,
    siblings,
    async currentRevision(uri) {
      try {
        const path = await realPathInside((await locate(address)).root, fileURLToPath(uri));
        if (path === undefined) return undefined;
        const type = mediaTypeOf(path);
        if (!('mediaType' in type) || !isRecordType(type.mediaType)) return await hashOf(path);
        const [file = ''] = uri.split('#');
        return await recordRevision({ uri: file }, localRecords(path, type.mediaType, reading), uri);
      } catch {
        return undefined;
      }
    },
  };

  async function* changes(
    known: ReadonlyMap<string, KnownRevision>,
    callOptions: CallOptions = {},
  ): AsyncGenerator<SourceChange> {
    const place = await locate(address);
    const seen = new Set<string>();
    const unknown: string[] = [];
    const found =
      place.file === undefined ? walk(place.root, selectionOf(definition), callOptions) : single(place.file);
    const entries: Found[] = [];
    for await (const entry of guarded(found, address)) entries.push(entry);
    yield { type: 'listed', total: entries.filter(({ type }) => type === 'file').length };
    let lastPause = performance.now();
    for (const entry of entries) {
      if (performance.now() - lastPause > PAUSE_EVERY_MS) {
        await setImmediate();
        lastPause = performance.now();
      }
      callOptions.signal?.throwIfAborted();
      const uri = fileUri(resolve(place.root, entry.type === 'exclude' ? entry.exclusion.path : entry.path));
      for await (const change of changesOf(entry, uri, known, place)) {
        if (change.type === 'failure') unknown.push(uri);
        if ('uri' in change) seen.add(change.uri);
        yield change;
      }
    }
    // A disk that was unplugged meanwhile looks like an empty folder: then nothing must be deleted.
    const after = await locate(address);
    if (after.inode !== place.inode) throw unreachable(address, 'it was replaced while it was read');
    for (const uri of [...known.keys()].sort(compareCodePoints)) {
      if (seen.has(uri)) continue;
      const unreadable = unknown.some((prefix) => uri === prefix || /^[/#]/u.test(below(prefix, uri)));
      yield { type: unreadable ? 'unchanged' : 'delete', uri };
    }
  }

  async function* changesOf(
    entry: Found,
    uri: string,
    known: ReadonlyMap<string, KnownRevision>,
    place: Place,
  ): AsyncGenerator<SourceChange> {
    if (entry.type !== 'file') yield entry;
    else if (isRecordType(entry.mediaType)) yield* changesOfRecords(entry, uri, known, place.file !== undefined);
    else {
      const change = compare(entry, uri, known.get(uri));
      if (change !== undefined) yield change;
    }
  }

  function changesOfRecords(
    { path, realPath, mediaType, stats }: FoundFile,
    uri: string,
    known: ReadonlyMap<string, KnownRevision>,
    named: boolean,
  ): AsyncGenerator<SourceChange> {
    const metadata = metadataOf(path, stats);
    const urlOf = (record: FileRecord): string | undefined =>
      baseUrl === undefined ? undefined : publishedRecord(baseUrl, record);
    return localRecordChanges({ sourceId: id, uri, path, realPath, mediaType, metadata, urlOf, named }, reading, known);
  }

  /** `undefined`: the file is gone. */
  function compare(file: FoundFile, uri: string, before: KnownRevision | undefined): SourceChange | undefined {
    const { path, realPath, mediaType } = file;
    if (file.stats.size > maxFileBytes)
      return { type: 'exclude', exclusion: tooLarge(path, file.stats.size, maxFileBytes) };
    if (before !== undefined && before.stamp === stampOf(file.stats)) return { type: 'unchanged', uri };
    const listed = now();
    let reading: FileReading;
    try {
      reading = readRegularFile(
        realPath,
        maxFileBytes,
        HEAD_BYTES,
        (head) => contentExclusion(path, head) === undefined,
      );
    } catch (error) {
      return isGone(error) ? undefined : { type: 'failure', path, message: reason(error) };
    }
    if (reading.type !== 'content') return { type: 'exclude', exclusion: rejection(path, reading) };
    const { body, stats } = reading;
    const stamp = isRacy(stats, listed) ? '' : stampOf(stats);
    const revision = sha256(body);
    if (before?.revision === revision) {
      return stamp === before.stamp ? { type: 'unchanged', uri } : { type: 'unchanged', uri, stamp };
    }
    const raw: RawDocument = {
      sourceId: id,
      uri,
      path,
      revision,
      mediaType,
      body,
      metadata: metadataOf(path, stats),
      ...(baseUrl === undefined ? {} : { url: publishedUrl(baseUrl, path), baseUrl }),
    };
    return { type: 'upsert', uri, path, stamp, read: () => Promise.resolve(raw) };
  }

  function rejection(path: string, reading: Exclude<FileReading, { type: 'content' }>) {
    if (reading.type === 'too-large') return tooLarge(path, reading.bytes, maxFileBytes);
    const judged = reading.type === 'rejected' ? contentExclusion(path, reading.head) : undefined;
    return judged ?? { path, reason: 'not-a-file' as const };
  }

  function metadataOf(path: string, { mtimeMs }: BigIntStats): Metadata {
    const modified = new Date(Number(mtimeMs));
    const category = categoryOf(path);
    return {
      source: id,
      // Some file systems keep years that a Date cannot hold.
      ...(Number.isNaN(modified.getTime()) ? {} : { modified: modified.toISOString() }),
      ...(category === undefined ? {} : { category }),
      ...(language === undefined ? {} : { language }),
    };
  }

  /** For a single file, what lies beside and below it. */
  function siblings(uri: string): SiblingFiles {
    return {
      async read(name) {
        if (isAbsolute(name) || name.includes('\0')) return undefined;
        const { root } = await locate(address);
        const path = await realPathInside(root, resolve(dirname(fileURLToPath(uri)), name));
        if (path === undefined || nameExclusion(relative(root, path).split(sep).join('/')) !== undefined)
          return undefined;
        try {
          const reading = readRegularFile(path, maxFileBytes, 0, () => true);
          return reading.type === 'content' ? reading.body : undefined;
        } catch {
          return undefined;
        }
      },
    };
  }
}

/** What of an address stands behind a prefix of it; `''` when it is none. */
const below = (prefix: string, uri: string): string => (uri.startsWith(prefix) ? uri.slice(prefix.length) : '');

interface Place {
  /** Real path of the folder, or of the one that holds the single file. */
  readonly root: string;
  readonly file?: { readonly realPath: string; readonly stats: BigIntStats };
  readonly inode: string;
}

/** @throws RagError `source-missing` | `source-failed` | `source-refused` */
async function locate(address: string): Promise<Place> {
  try {
    const realPath = await realpath(address);
    const stats = await lstat(realPath, { bigint: true });
    const inode = `${stats.dev}:${stats.isDirectory() ? stats.ino : ''}`;
    if (stats.isDirectory()) return { root: realPath, inode };
    if (stats.isFile()) return { root: dirname(realPath), file: { realPath, stats }, inode };
  } catch (error) {
    if (!isGone(error)) throw unreachable(address, reason(error));
    throw new RagError('source-missing', `there is no file or folder ${address} (any more)`, {
      hint: 'nothing of it was taken from the index; if it is gone for good: footnote ingest --remove SOURCE',
    });
  }
  throw new RagError('source-refused', `${address} is neither a folder nor a file`, {
    hint: 'give a folder or a file',
  });
}

const unreachable = (address: string, why: string): RagError =>
  new RagError('source-failed', `${address}: ${why}`, {
    hint: 'nothing of it was taken from the index; see that it can be read, and ingest again',
    retryable: true,
  });

/** A file that the user named is taken whatever its name and rules say; only its format and content count. */
function single({ realPath, stats }: NonNullable<Place['file']>): readonly Found[] {
  const path = basename(realPath);
  const type = mediaTypeOf(path);
  if ('unparsed' in type) return [{ type: 'exclude', exclusion: { path, reason: 'no-parser', detail: type.unparsed } }];
  return [{ type: 'file', path, realPath, mediaType: type.mediaType, stats }];
}

/** Failures to list the root itself, which end the run before its first change. */
async function* guarded(found: AsyncIterable<Found> | Iterable<Found>, address: string): AsyncGenerator<Found> {
  try {
    yield* found;
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw unreachable(address, reason(error));
    throw error;
  }
}

/** The change time, which the system sets itself, also shows a content that was replaced with its old time kept. */
const stampOf = ({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string => `${size}-${mtimeNs}-${ctimeNs}-${ino}`;

const isRacy = ({ ctimeNs }: BigIntStats, nowMs: number): boolean => nowMs - Number(ctimeNs / 1_000_000n) < RACY_MS;

async function hashOf(path: string): Promise<string | undefined> {
  if (!(await lstat(path)).isFile()) return undefined;
  const hash = createHash('sha256');
  for await (const part of createReadStream(path)) hash.update(part as Uint8Array);
  return hash.digest('hex');
}
