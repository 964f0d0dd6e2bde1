import type { PostingList } from './postings.ts';

/** Gives a segment's list from memory, or reads it and keeps it. */
export type PostingCache = (segment: number, term: number, read: () => PostingList) => PostingList;

/** Keeps the lists used last, up to so many bytes together. */
export function postingCache(maxBytes: number): PostingCache {
  const lists = new Map<number, PostingList>();
  let bytes = 0;
  return (segment, term, read) => {
    const key = segment * 2 ** 32 + term;
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

const size = ({ rows, counts }: PostingList): number => rows.byteLength + counts.byteLength;
