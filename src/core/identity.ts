/** Names that are the same on every machine and in every run. */
import { createHash } from 'node:crypto';

export const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');

/** 24 hex digits of SHA-256: 96 bits, no collision among any number of documents that a disk can hold. */
export const documentId = (sourceId: string, uri: string): string => sha256(`${sourceId}\n${uri}`).slice(0, 24);

/**
 * A chunk keeps its id as long as its document, its place and its words are the same. It begins with half of its
 * document's: the ids of a document stand together in an index, and replacing it touches few pages.
 */
export const chunkId = (document: string, position: number, text: string): string =>
  document.slice(0, 12) + sha256(`${document}\n${position}\n${text}`).slice(0, 12);
