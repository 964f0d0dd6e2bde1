/** Opening an index for its one writer or for any number of readers. */
import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { IndexSchema } from '../../core/contracts.ts';
import { isRagError, RagError } from '../../core/errors.ts';
import type { Warning } from '../../core/types.ts';
import { createAnalyzer } from '../../text/analyze.ts';
import type { Analyzer } from '../../text/analyze.ts';
import { damaged, isNotPermitted, openDatabase } from '../sqlite.ts';
import type { Database } from '../sqlite.ts';
import { checkFormat, configureReader, configureWriter, createIndex, finishWriting, isEmpty } from './format.ts';
import { createKernel } from './kernel.ts';
import type { Kernel } from './kernel.ts';
import type { NormCache } from './keyword-leg.ts';
import { snapshots } from './snapshot.ts';
import type { Snapshot } from './snapshot.ts';
import { readSpaces } from './vector-rows.ts';
import type { SpaceNumbers } from './vector-rows.ts';
import { acquireWriterLock } from './writer-lock.ts';
import { createWriter } from './writer.ts';
import type { Writer } from './writer.ts';

export interface OpenIndex {
  readonly db: Database;
  readonly schema: IndexSchema;
  readonly analyzer: Analyzer;
  readonly snapshot: () => Snapshot;
  readonly kernel: () => Kernel;
  readonly norms: NormCache;
  readonly spaces: SpaceNumbers;
  readonly writer: Writer | undefined;
  close(): void;
}

/** @throws RagError `index-locked` | `index-mismatch` | `index-damaged` | `storage-failed` */
export async function openForWriting(
  path: string,
  schema: IndexSchema,
  onWarning: (warning: Warning) => void,
): Promise<OpenIndex> {
  const lock = await acquireWriterLock(dirname(path));
  try {
    const db = await openDatabase(path, { readOnly: false });
    try {
      if (isEmpty(db)) createIndex(db, schema);
      else checkFormat(db, path, schema);
      configureWriter(db);
      const writer = reading(path, () => createWriter(db, schema));
      return prepare(db, schema, onWarning, writer, () => {
        lock.release();
      });
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Writes nothing. @throws RagError `index-missing` | `index-mismatch` | `index-damaged` | `storage-failed` */
export async function openForReading(
  path: string,
  schema: IndexSchema,
  onWarning: (warning: Warning) => void,
): Promise<OpenIndex> {
  if (!existsSync(path)) throw missing(path);
  const db = await openReadOnly(path);
  try {
    if (isEmpty(db)) throw missing(path);
    checkFormat(db, path, schema);
    configureReader(db);
    return prepare(db, schema, onWarning, undefined, () => undefined);
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * A reader keeps its place in a small file beside the index. Where it may not write there, and no writer has left
 * anything to apply, the file is read as it lies.
 */
async function openReadOnly(path: string): Promise<Database> {
  try {
    const db = await openDatabase(path, { readOnly: true });
    try {
      isEmpty(db);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    const unapplied = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    if (!isNotPermitted(error) || unapplied > 0) throw error;
    const url = pathToFileURL(path);
    url.searchParams.set('immutable', '1');
    return openDatabase(url, { readOnly: true });
  }
}

function prepare(
  db: Database,
  schema: IndexSchema,
  onWarning: (warning: Warning) => void,
  writer: Writer | undefined,
  release: () => void,
): OpenIndex {
  let kernel: Kernel | undefined;
  const useKernel = (): Kernel => (kernel ??= createKernel(onWarning));
  return {
    db,
    schema,
    analyzer: createAnalyzer(schema.analyzer),
    snapshot: snapshots(db, useKernel),
    kernel: useKernel,
    norms: new WeakMap(),
    spaces: readSpaces(db),
    writer,
    close() {
      try {
        if (writer !== undefined) finishWriting(db);
      } catch {
        // Nothing is lost: what is still in the WAL is read from there, and the next writer tries again.
      }
      db.close();
      release();
    },
  };
}

const missing = (path: string): RagError =>
  new RagError('index-missing', `there is no index at ${path}`, { hint: 'footnote ingest SOURCE builds one' });

/** Bytes that do not decode are damage, and nothing else throws these. */
export function reading<T>(path: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (isRagError(error) || !(error instanceof RangeError || error instanceof SyntaxError)) throw error;
    throw damaged(path, `something in it cannot be read (${error.message})`, error);
  }
}
