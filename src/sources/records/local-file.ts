/** Files of records on a disk: opened like all files of a folder, read piece by piece. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { KnownRevision, SourceChange } from '../../core/contracts.ts';
import { isRagError } from '../../core/errors.ts';
import type { RecordSettings } from '../../core/settings.ts';
import { JSON_LINES, SQLITE } from '../media-types.ts';
import { isGone, reason, systemCode } from '../read-file.ts';
import { contentExclusion, HEAD_BYTES, tooLarge } from '../selection.ts';
import { faqRecords, SQLITE_HEADER } from './faq-database.ts';
import { jsonLineRecords } from './json-lines.ts';
import { NoRecords, recordChanges, RecordFileFailure, type RecordEntry, type RecordFile } from './record.ts';

/** As in `read-file.ts`: no link that took the file's place is followed, and no pipe waited for. */
const READ_SAFELY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const PART_BYTES = 1 << 16;

export const isRecordType = (mediaType: string): boolean => mediaType === JSON_LINES || mediaType === SQLITE;

export interface LocalRecordsOptions {
  readonly records: RecordSettings;
  /** Of one line, and of a whole database. */
  readonly maxBytes: number;
}

export interface LocalRecordFile extends RecordFile {
  readonly realPath: string;
  readonly mediaType: string;
  /** Whether the user gave this very file: that it holds nothing to read is then a failure. */
  readonly named: boolean;
}

/** The changes of one file; never fails, but for a missing driver: what cannot be read is told. */
export async function* localRecordChanges(
  file: LocalRecordFile,
  options: LocalRecordsOptions,
  known: ReadonlyMap<string, KnownRevision>,
): AsyncGenerator<SourceChange> {
  const { path, realPath, mediaType } = file;
  try {
    yield* recordChanges(file, localRecords(realPath, mediaType, options), known);
  } catch (error) {
    if (error instanceof NoRecords && !(file.named && UNREADABLE.has(error.reason))) {
      const { reason: why, message } = error;
      yield { type: 'exclude', exclusion: { path, reason: why, ...(message === '' ? {} : { detail: message }) } };
    } else if (error instanceof RecordFileFailure || error instanceof NoRecords) {
      yield { type: 'failure', path, message: error.message };
    } else if (isRagError(error) || systemCode(error) === '') throw error;
    else if (!isGone(error)) yield { type: 'failure', path, message: reason(error) };
  }
}

const UNREADABLE: ReadonlySet<string> = new Set(['binary', 'no-parser', 'not-a-file']);

/**
 * @param path a real path
 * @throws NoRecords | RecordFileFailure, and the system's errors
 */
export async function* localRecords(
  path: string,
  mediaType: string,
  options: LocalRecordsOptions,
): AsyncGenerator<RecordEntry> {
  const file = await open(path, READ_SAFELY);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new NoRecords('not-a-file');
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const head = buffer.subarray(0, bytesRead);
    if (bytesRead === 0) throw new NoRecords('empty');
    const left = contentExclusion(path, head);
    if (left?.reason === 'lfs-pointer') throw new NoRecords(left.reason, left.detail);
    if (mediaType === SQLITE) {
      if (stats.size > options.maxBytes)
        throw new NoRecords('too-large', tooLarge(path, stats.size, options.maxBytes).detail);
      if (!head.toString('latin1').startsWith(SQLITE_HEADER))
        throw new NoRecords('binary', 'not an SQLite file, or an encrypted one');
      yield* faqRecords(path, options.records);
    } else {
      if (left !== undefined) throw new NoRecords(left.reason, left.detail);
      yield* jsonLineRecords(file.createReadStream({ start: 0, highWaterMark: PART_BYTES, autoClose: false }), options);
    }
  } finally {
    await file.close();
  }
}
