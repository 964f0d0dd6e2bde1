/** Reading trees and blobs: `ls-tree` and one `cat-file --batch`. */
import type { ChildProcess } from 'node:child_process';
import { RagError } from '../core/errors.ts';

export interface TreeEntry {
  /** Octal, as git has it: `100644`, `120000` a symbolic link, `160000` a submodule. */
  readonly mode: string;
  readonly id: string;
  /** `undefined` for a submodule. */
  readonly bytes: number | undefined;
  /** Relative to the repository's root. */
  readonly path: string;
  /** Whether the name is valid UTF-8: only then does `path` say exactly what it is. */
  readonly exact: boolean;
}

/** The output of `ls-tree -r -z --long`, in git's order, which is that of code points. */
export function parseTree(output: string): TreeEntry[] {
  return output
    .split('\0')
    .filter(Boolean)
    .map((line) => {
      const tab = line.indexOf('\t');
      const [mode = '', , id = '', bytes = '-'] = line.slice(0, tab).split(/ +/u);
      const path = line.slice(tab + 1);
      return { mode, id, bytes: bytes === '-' ? undefined : Number(bytes), path, exact: !path.includes('\uFFFD') };
    });
}

export interface ObjectReader {
  /** The exact bytes of an object, or `undefined` when the repository lacks it. */
  read(id: string): Promise<Uint8Array | undefined>;
  close(): void;
}

/** Talks to `git cat-file --batch`. */
export function objectReader(start: () => ChildProcess): ObjectReader {
  let child: ChildProcess | undefined;
  let output: AsyncIterator<Uint8Array> | undefined;
  let pending: Uint8Array = new Uint8Array(0);
  /** Answers come in the order of the questions: one at a time. */
  let last: Promise<unknown> = Promise.resolve();

  function open(): ChildProcess {
    child = start();
    // Errors of the process show as the end of its output.
    child.on('error', () => child?.stdout?.destroy());
    child.stdin?.on('error', () => child?.stdout?.destroy());
    child.stderr?.resume();
    output = (child.stdout as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    return child;
  }

  async function more(): Promise<Uint8Array> {
    const part: IteratorResult<Uint8Array, unknown> | undefined = await output?.next();
    if (part === undefined || part.done === true) {
      throw new RagError('source-failed', 'git ended before it had sent a file', {
        hint: 'ingest again',
        retryable: true,
      });
    }
    return part.value;
  }

  async function line(): Promise<string> {
    for (;;) {
      const end = pending.indexOf(10);
      if (end >= 0) {
        const text = Buffer.from(pending.subarray(0, end)).toString('latin1');
        pending = pending.subarray(end + 1);
        return text;
      }
      pending = Buffer.concat([pending, await more()]);
    }
  }

  async function exactly(length: number): Promise<Uint8Array> {
    const body = new Uint8Array(length);
    for (let filled = 0; ;) {
      const part = pending.subarray(0, length - filled);
      body.set(part, filled);
      filled += part.length;
      pending = pending.subarray(part.length);
      if (filled === length) return body;
      pending = await more();
    }
  }

  async function ask(id: string): Promise<Uint8Array | undefined> {
    (child ?? open()).stdin?.write(`${id}\n`);
    const bytes = /^[0-9a-f]+ [a-z]+ (\d+)$/u.exec(await line())?.[1];
    if (bytes === undefined) return undefined;
    const body = await exactly(Number(bytes));
    await exactly(1);
    return body;
  }

  return {
    read(id) {
      const answer = last.then(() => ask(id));
      last = answer.catch(() => undefined);
      return answer;
    },
    close() {
      child?.stdin?.end();
      child?.kill();
      child = undefined;
    },
  };
}
