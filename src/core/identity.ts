/** Names that are the same on every machine and in every run. */
import { createHash } from 'node:crypto';
import type { Span } from './types.ts';

export const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');

/** 24 hex digits of SHA-256: 96 bits, no collision among any number of documents that a disk can hold. */
export const documentId = (sourceId: string, uri: string): string => sha256(`${sourceId}\n${uri}`).slice(0, 24);

/**
 * A chunk keeps its id as long as its document, its place and its words are the same. It begins with half of its
 * document's: the ids of a document stand together in an index, and replacing it touches few pages.
 */
export const chunkId = (document: string, position: number, text: string): string =>
  document.slice(0, 12) + sha256(`${document}\n${position}\n${text}`).slice(0, 12);

/** A larger part of a document that chunks belong to. It is not stored: its id says where it is. */
export const parentId = (document: string, { start, end }: Span): string => `${document}:${start}-${end}`;

/** What a parent's id says; undefined of anything else. Whether the place exists, only the document knows. */
export function parentSpan(id: string): { readonly documentId: string; readonly span: Span } | undefined {
  const [, documentId = '', from = '', to = ''] = /^([0-9a-f]{24}):(\d{1,10})-(\d{1,10})$/.exec(id) ?? [];
  const span = { start: Number(from), end: Number(to) };
  return documentId !== '' && span.start < span.end ? { documentId, span } : undefined;
}
