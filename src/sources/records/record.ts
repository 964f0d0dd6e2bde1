/** Records of a file in the one form that all kinds of files share, and what becomes of them in a source. */
import { setImmediate } from 'node:timers/promises';
import type { KnownRevision, SourceChange } from '../../core/contracts.ts';
import { sha256 } from '../../core/identity.ts';
import type { ExclusionReason, Metadata, RawDocument, Warning } from '../../core/types.ts';
import { encodePath } from '../../text/uri.ts';

/** What the parser of its media type takes. Holds no lone surrogates. */
export interface FileRecord {
  /** Its title or id: what identifies it in its file. */
  readonly key: string;
  readonly mediaType: 'text/markdown' | 'text/x-wiki' | 'text/x-faq' | 'text/plain';
  readonly text: string;
  readonly url?: string;
  /** Title, type, and all that can be filtered on. */
  readonly fields: Metadata;
}

export type RecordEntry =
  | {
      readonly type: 'record';
      readonly place: string;
      readonly record: FileRecord;
      readonly warnings?: readonly string[];
    }
  /** This record is left out, the others go on. `place` is e.g. `line 7`. */
  | { readonly type: 'problem'; readonly place: string; readonly message: string; readonly kind: ProblemKind }
  /** Left out by rule, after the last record. */
  | { readonly type: 'unverified'; readonly count: number; readonly detail: string };

/** `damaged`: no record was there to be read. `incomplete`: there was, but it is no page, article or question. */
export type ProblemKind = 'damaged' | 'incomplete';

/** A file of records as its source knows it. */
export interface RecordFile {
  readonly sourceId: string;
  readonly uri: string;
  readonly path: string;
  /** Of every record, unless it says otherwise. */
  readonly metadata: Metadata;
  /** Address of a record without one of its own. */
  urlOf?(record: FileRecord): string | undefined;
}

/** Nothing of the file can be read; what the index holds of it stays. */
export class RecordFileFailure extends Error {}

/** The file holds no records, by what it is: nothing is wrong with it. */
export class NoRecords extends Error {
  readonly reason: ExclusionReason;

  constructor(reason: ExclusionReason, detail?: string) {
    super(detail);
    this.reason = reason;
  }
}

/** Pages of a wiki lie under their base address by their titles; of other records nothing is known. */
export const publishedRecord = (baseUrl: string, { mediaType, key }: FileRecord): string | undefined =>
  mediaType === 'text/x-wiki' ? `${baseUrl.replace(/\/+$/u, '')}/${encodePath(key.replaceAll(' ', '_'))}` : undefined;

/** So many lines are named one by one; of the others there is a count. */
const MAX_NAMED = 100;

/** Rows come without waiting: so often other work, and Ctrl-C, get their turn. */
const PAUSE_EVERY_MS = 20;

/**
 * Changes of one file, record by record. Records that are gone are not told: the source sees them missing.
 *
 * @throws RecordFileFailure | NoRecords also when there were only problems: a folder may hold JSON lines of any kind
 */
export async function* recordChanges(
  file: RecordFile,
  entries: AsyncIterable<RecordEntry> | Iterable<RecordEntry>,
  known: ReadonlyMap<string, KnownRevision>,
): AsyncGenerator<SourceChange> {
  const problems: Warning[] = [];
  let damaged = false;
  let more = 0;
  let records = 0;
  const { uri: fileUri } = file;
  const warn = (warning: Warning): void => {
    if (problems.length < MAX_NAMED) problems.push(warning);
    else more++;
  };
  let lastPause = performance.now();
  for await (const entry of identified(file, entries)) {
    if (performance.now() - lastPause > PAUSE_EVERY_MS) {
      await setImmediate();
      lastPause = performance.now();
    }
    if (entry.type === 'problem') {
      damaged ||= entry.kind === 'damaged';
      warn({ code: 'record-left-out', message: `${entry.place}: ${entry.message}`, uri: fileUri });
    } else if (entry.type === 'unverified') {
      const { count, detail } = entry;
      yield { type: 'exclude', exclusion: { path: file.path, reason: 'unverified', detail: `${count} ${detail}` } };
    } else {
      records++;
      for (const message of entry.warnings) {
        warn({ code: 'record-changed', message: `${entry.place}: ${message}`, uri: fileUri });
      }
      const { uri, revision } = entry;
      if (known.get(uri)?.revision === revision) yield { type: 'unchanged', uri };
      else {
        const raw = rawDocument(file, entry);
        yield { type: 'upsert', uri, path: raw.path, stamp: '', read: () => Promise.resolve(raw) };
      }
    }
  }
  const [first] = problems;
  if (records === 0 && first !== undefined) {
    const message = `not one record of it can be read; ${first.message}`;
    throw damaged ? new RecordFileFailure(message) : new NoRecords('no-parser', message);
  }
  for (const warning of problems) yield { type: 'warning', warning };
  if (more > 0) {
    const warning = { code: 'record-left-out', message: `and as much of ${more} further records`, uri: fileUri };
    yield { type: 'warning', warning };
  }
}

/** The revision of the record at an address; undefined when it is not (or no longer) there. */
export async function recordRevision(
  file: Pick<RecordFile, 'uri'>,
  entries: AsyncIterable<RecordEntry> | Iterable<RecordEntry>,
  uri: string,
): Promise<string | undefined> {
  for await (const entry of identified(file, entries)) {
    if (entry.type === 'record' && entry.uri === uri) return entry.revision;
  }
  return undefined;
}

interface IdentifiedRecord {
  readonly type: 'record';
  readonly place: string;
  readonly record: FileRecord;
  readonly warnings: readonly string[];
  /** Unique in the file: the record's, with a number where another has the same. */
  readonly key: string;
  readonly uri: string;
  readonly revision: string;
}

async function* identified(
  { uri: fileUri }: Pick<RecordFile, 'uri'>,
  entries: AsyncIterable<RecordEntry> | Iterable<RecordEntry>,
): AsyncGenerator<IdentifiedRecord | Exclude<RecordEntry, { type: 'record' }>> {
  const taken = new Set<string>();
  for await (const entry of entries) {
    if (entry.type !== 'record') {
      yield entry;
      continue;
    }
    const { record, place } = entry;
    let key = record.key;
    for (let times = 2; taken.has(key); times++) key = `${record.key} (${times})`;
    taken.add(key);
    const warnings = [...(entry.warnings ?? [])];
    if (key !== record.key) warnings.push(`another record is called "${record.key}" too; this one is "${key}"`);
    const { mediaType, text, url, fields } = record;
    const revision = sha256(JSON.stringify([mediaType, text, url, fields]));
    yield { type: 'record', place, record, warnings, key, uri: `${fileUri}#${encodeURIComponent(key)}`, revision };
  }
}

function rawDocument(file: RecordFile, { record, key, uri, revision }: IdentifiedRecord): RawDocument {
  const url = record.url ?? file.urlOf?.(record);
  return {
    sourceId: file.sourceId,
    uri,
    path: `${file.path}#${key}`,
    revision,
    mediaType: record.mediaType,
    body: new TextEncoder().encode(record.text),
    metadata: { ...file.metadata, ...record.fields },
    ...(url === undefined ? {} : { url }),
  };
}
