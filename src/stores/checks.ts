/** What every store asks of what it is given. */
import type { IndexSchema, StoredDocument } from '../core/contracts.ts';
import { RagError } from '../core/errors.ts';
import type { SparseVector } from '../core/types.ts';

/** @throws RagError `setting-invalid` when a dense and a sparse space have one name */
export function checkSpaceNames({ spaces, sparse = {} }: IndexSchema): void {
  const both = Object.keys(sparse).find((name) => Object.hasOwn(spaces, name));
  if (both !== undefined) {
    throw new RagError(
      'setting-invalid',
      `"${both}" names both dense and sparse vectors: each needs a name of its own`,
    );
  }
}

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

/** @throws RagError `setting-invalid` for a space that the index does not have, `internal` for a malformed vector */
export function checkSparse({ sparse = {} }: IndexSchema, space: string, { indices, values }: SparseVector): void {
  if (!Object.hasOwn(sparse, space)) {
    throw new RagError('setting-invalid', `this index has no sparse vectors named "${space}"`, {
      hint: 'set embed.sparse and run footnote ingest --rebuild, or set fuse.weights.sparse to 0',
    });
  }
  const wellFormed =
    indices.length === values.length &&
    values.every((value) => Number.isFinite(value)) &&
    indices.every((index, i) => i === 0 || index > (indices[i - 1] as number));
  if (!wellFormed) {
    throw new RagError(
      'internal',
      `a sparse vector for "${space}" is not a list of ascending numbers with finite weights`,
    );
  }
}

/** Vectors fit the index, and every chunk is the words at its place. @throws RagError, as the checks above */
export function checkDocuments(schema: IndexSchema, documents: readonly StoredDocument[]): void {
  for (const { document, chunks } of documents) {
    for (const { chunk, vectors } of chunks) {
      for (const [space, vector] of Object.entries(vectors.dense)) checkVector(schema, space, vector);
      for (const [space, vector] of Object.entries(vectors.sparse ?? {})) checkSparse(schema, space, vector);
      if (document.text.slice(chunk.span.start, chunk.span.end) !== chunk.text) {
        throw new RagError('internal', `chunk ${chunk.position} of ${document.path} is not the text at its place`);
      }
    }
  }
}
