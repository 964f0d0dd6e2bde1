/** Dense vectors as every store sees them: unit length, compared by their dot product. */
import type { IndexSchema, StoredDocument } from '../core/contracts.ts';
import { RagError } from '../core/errors.ts';

/** In four partial sums, which is faster, and the same everywhere: exact scores are equal in all stores. */
export function dot(a: Float32Array, b: Float32Array): number {
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  const whole = a.length & ~3;
  for (let i = 0; i < whole; i += 4) {
    s0 += (a[i] as number) * (b[i] as number);
    s1 += (a[i + 1] as number) * (b[i + 1] as number);
    s2 += (a[i + 2] as number) * (b[i + 2] as number);
    s3 += (a[i + 3] as number) * (b[i + 3] as number);
  }
  for (let i = whole; i < a.length; i++) s0 += (a[i] as number) * (b[i] as number);
  return Math.fround(s0 + s1 + (s2 + s3));
}

/** @throws RagError `index-mismatch` for a space that the index does not have, or a vector of another length. */
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

/** Every vector of every chunk. @throws RagError `index-mismatch` */
export function checkVectors(schema: IndexSchema, documents: readonly StoredDocument[]): void {
  for (const { chunks } of documents) {
    for (const { vectors } of chunks) {
      for (const [space, vector] of Object.entries(vectors.dense)) checkVector(schema, space, vector);
    }
  }
}
