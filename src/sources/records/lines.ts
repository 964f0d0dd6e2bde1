/** Lines of bytes, with bounded memory whatever the file holds. */

export interface ByteLine {
  /** 1-based. */
  readonly number: number;
  /** Without its line end; undefined for a line that is longer than allowed. */
  readonly bytes: Uint8Array | undefined;
}

/** Lines end at LF; a CR before it is white space to JSON. Empty lines are counted and left out. */
export async function* byteLines(
  parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<ByteLine> {
  let number = 1;
  let pending: Uint8Array[] = [];
  let length = 0;
  const add = (part: Uint8Array): void => {
    length += part.length;
    if (length <= maxBytes) pending.push(part);
    else pending = [];
  };
  const line = (): ByteLine | undefined => {
    const bytes = length > maxBytes ? undefined : Buffer.concat(pending);
    const found = length === 0 ? undefined : { number, bytes };
    pending = [];
    length = 0;
    number++;
    return found;
  };
  for await (const part of parts) {
    let start = 0;
    for (let end = part.indexOf(10); end !== -1; end = part.indexOf(10, start)) {
      add(part.subarray(start, end));
      const found = line();
      if (found !== undefined) yield found;
      start = end + 1;
    }
    add(part.subarray(start));
  }
  const last = line();
  if (last !== undefined) yield last;
}
