/**
 * One writer at a time. The lock is an exclusive transaction on a small file beside the index: the operating system
 * gives it back when the process ends, however it ends. A JSON file beside it says who holds it.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { RagError } from '../../core/errors.ts';
import { isBusy, openDatabase } from '../sqlite.ts';

export interface WriterLock {
  release(): void;
}

interface Holder {
  readonly pid: number;
  readonly command: string;
  readonly since: string;
}

/** @throws RagError `index-locked` | `storage-failed` */
export async function acquireWriterLock(folder: string): Promise<WriterLock> {
  const holderFile = join(folder, 'writer.json');
  const db = await openDatabase(join(folder, 'lock.sqlite'), { readOnly: false });
  try {
    db.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    throw isBusy(error) ? locked(readHolder(holderFile), error) : error;
  }
  const holder: Holder = { pid: process.pid, command: commandName(), since: new Date().toISOString() };
  try {
    writeFileSync(holderFile, `${JSON.stringify(holder)}\n`);
  } catch {
    // Only the name in a second writer's message is lost.
  }
  return {
    release() {
      rmSync(holderFile, { force: true });
      db.exec('ROLLBACK');
      db.close();
    },
  };
}

function locked(holder: Holder | undefined, cause: unknown): RagError {
  const who =
    holder === undefined ? 'another process' : `${holder.command} (process ${holder.pid}, since ${holder.since})`;
  return new RagError('index-locked', `${who} is writing to this index`, {
    hint: 'wait until it has finished, or end it; readers are not affected',
    retryable: true,
    cause,
  });
}

function readHolder(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}

/** Program and sub-command; no further arguments, which may say more than others should read. */
function commandName(): string {
  const [, program = 'node', command] = process.argv;
  return [basename(program), ...(command === undefined || command.startsWith('-') ? [] : [basename(command)])].join(
    ' ',
  );
}
