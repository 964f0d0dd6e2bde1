/** Gives a list from memory, or reads it and keeps it. Keys name segment and term. */
export type PostingCache<List> = (key: string, read: () => List) => List;

/** Keeps the lists used last, up to so many bytes together. */
export function postingCache<List>(maxBytes: number, size: (list: List) => number): PostingCache<List> {
  const lists = new Map<string, List>();
  let bytes = 0;
  return (key, read) => {
    const known = lists.get(key);
    if (known !== undefined) {
      lists.delete(key);
      lists.set(key, known);
      return known;
    }
    const list = read();
    lists.set(key, list);
    bytes += size(list);
    for (const [oldest, old] of lists) {
      if (bytes <= maxBytes) break;
      lists.delete(oldest);
      bytes -= size(old);
    }
    return list;
  };
}
