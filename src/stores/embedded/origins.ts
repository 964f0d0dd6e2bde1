/** Files and pages with their documents, as a copy of the index needs them. */
import type { Origin, StoredOrigin } from '../../core/contracts.ts';
import type { Database } from '../sqlite.ts';

interface OriginRow extends Omit<Origin, 'sourceId'> {
  readonly id: number;
  readonly source: string;
  readonly document: string | null;
}

/** With the documents of a generation; origins are those that a writer knows now, which between two runs is the same. */
export function listOrigins(db: Database, generation: number): StoredOrigin[] {
  const rows = db
    .prepare<OriginRow>(
      `SELECT o.id, o.source, o.uri, o.path, o.revision, o.stamp, d.id AS document
       FROM origins o LEFT JOIN documents d ON d.origin = o.id
         AND d.from_generation <= ? AND (d.to_generation IS NULL OR d.to_generation > ?)
       ORDER BY d.first_ordinal, d.number, o.id`,
    )
    .all(generation, generation);
  const found = new Map<number, { readonly origin: Origin; readonly documents: string[] }>();
  for (const { id, source: sourceId, uri, path, revision, stamp, document } of rows) {
    const known = found.get(id) ?? { origin: { sourceId, uri, path, revision, stamp }, documents: [] };
    if (document !== null) known.documents.push(document);
    found.set(id, known);
  }
  return [...found.values()];
}
