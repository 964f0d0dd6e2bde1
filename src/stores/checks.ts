/** What every store asks of what it is given. */
import type { IndexSchema, StoredDocument } from '../core/contracts.ts';
import { RagError } from '../core/errors.ts';

/** @throws RagError `index-mismatch` for a space that the index does not have, or a vector of another length */
export function checkVector(schema: IndexSchema, space: string, vector: Float32Array): void {
  const known = Object.hasOwn(schema.spaces, space) ? schema.spaces[space] : undefined;
  if (known === undefined) {
    throw new RagError('index-mismatch', `the index has no vectors named "${space}"`, {
      hint: `it has ${Object.keys(schema.spaces).join(', ') || 'none'}; footnote ingest --rebuild builds others`,
    });
  }
  if (vector.length !== known.dimensions) {
    throw new RagError(
      'index-mismatch',
      `a vector for "${space}" has ${vector.length} dimensions, the index has ${known.dimensions}`,
      { hint: 'use the embedder the index was built with, or footnote ingest --rebuild' },
    );
  }
}

/** Vectors fit the index, and every chunk is the words at its place. @throws RagError `index-mismatch` | `internal` */
export function checkDocuments(schema: IndexSchema, documents: readonly StoredDocument[]): void {
  for (const { document, chunks } of documents) {
    for (const { chunk, vectors } of chunks) {
      for (const [space, vector] of Object.entries(vectors.dense)) checkVector(schema, space, vector);
      if (document.text.slice(chunk.span.start, chunk.span.end) !== chunk.text) {
        throw new RagError('internal', `chunk ${chunk.position} of ${document.path} is not the text at its place`);
      }
    }
  }
}
