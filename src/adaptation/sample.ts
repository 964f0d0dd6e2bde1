/** Which documents an adaptation looks at, and how much of them has changed since. */
import { sha256 } from '../core/identity.ts';
import type { DocumentSummary } from '../core/contracts.ts';

/** So many documents tell how many of all have changed. */
const REMEMBERED = 512;
const KEY_DIGITS = 12;

/** A document's key changes with its content; keys in order are documents in no order. */
const keyOf = ({ id, revision }: DocumentSummary): string => sha256(`${id}\n${revision}`).slice(0, KEY_DIGITS);

/**
 * In an order that tells nothing of what the documents are about, and that is the same wherever they lie: their
 * addresses do not count, but where two are alike otherwise.
 */
export const shuffled = (documents: readonly DocumentSummary[]): DocumentSummary[] =>
  documents
    .map((document) => {
      const { sourceId, path, title, revision, id } = document;
      return { document, key: sha256([sourceId, path, title, revision].join('\n')) + id };
    })
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ document }) => document);

/** The smallest keys: a uniform sample of the documents, and the same one for the same documents. */
export const sampleKeys = (documents: readonly DocumentSummary[]): string[] =>
  documents
    .filter(({ chunks }) => chunks > 0)
    .map(keyOf)
    .sort()
    .slice(0, REMEMBERED);

/** Share of the chunks whose document is new or has changed since the keys were taken, or of the documents gone; 0 to 1. */
export function changedShare(before: readonly string[], documents: readonly DocumentSummary[]): number {
  const known = new Set(before);
  const present = new Map(documents.filter(({ chunks }) => chunks > 0).map((each) => [keyOf(each), each.chunks]));
  // Beyond its largest key a full sample says nothing.
  const limit = before.length < REMEMBERED ? '~' : (before.at(-1) as string);
  let [chunks, changed] = [0, 0];
  for (const [key, count] of present) {
    if (key > limit) continue;
    chunks += count;
    if (!known.has(key)) changed += count;
  }
  const gone = before.filter((key) => !present.has(key)).length / Math.max(1, before.length);
  return Math.max(chunks > 0 ? changed / chunks : 0, gone);
}
