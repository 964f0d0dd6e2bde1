/** Reads a file line by line, without holding it in memory. */
import { createReadStream } from 'node:fs';

export interface Line {
  /** 1-based. */
  readonly number: number;
  /** Without its line end. */
  readonly text: string;
}

/**
 * Lines end at LF or CRLF and nowhere else: `node:readline` also ends them at U+2028, which is allowed inside a JSON
 * string. Empty lines are counted and left out.
 */
export async function* readLines(file: string): AsyncGenerator<Line> {
  let number = 0;
  for await (const bytes of splitAtLineFeeds(file)) {
    number += 1;
    const decoded = bytes.toString('utf8');
    const text = number === 1 && decoded.startsWith('\uFEFF') ? decoded.slice(1) : decoded;
    if (text.trim() !== '') yield { number, text: text.endsWith('\r') ? text.slice(0, -1) : text };
  }
}

async function* splitAtLineFeeds(file: string): AsyncGenerator<Buffer> {
  let pending: Buffer[] = [];
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      yield Buffer.concat([...pending, chunk.subarray(start, end)]);
      pending = [];
      start = end + 1;
    }
    pending.push(chunk.subarray(start));
  }
  yield Buffer.concat(pending);
}
