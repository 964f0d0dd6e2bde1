import type { DocumentSummary } from '../core/contracts.ts';
import type { Document } from '../core/types.ts';

export const summarize = (
  document: Pick<Document, keyof Omit<DocumentSummary, 'chunks'>>,
  chunks: number,
): DocumentSummary => ({
  id: document.id,
  sourceId: document.sourceId,
  uri: document.uri,
  path: document.path,
  title: document.title,
  revision: document.revision,
  type: document.type,
  chunks,
});

/** By source, path and address, in code units: the same on every machine. */
export function compareSummaries(a: DocumentSummary, b: DocumentSummary): number {
  return compare(a.sourceId, b.sourceId) || compare(a.path, b.path) || compare(a.uri, b.uri) || compare(a.id, b.id);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
