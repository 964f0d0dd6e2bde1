/** From a pooled vector to the one that is stored. */
import type { EmbeddingRecipe } from '../models.ts';

const LAYER_NORM_EPSILON = 1e-5;

/** The first `dimensions` values; models that were trained so want the whole vector levelled before (nomic's card). */
export function shorten(
  vector: Float32Array,
  dimensions: number,
  { layerNorm }: NonNullable<EmbeddingRecipe['shortened']>,
): Float32Array {
  if (!layerNorm) return vector.slice(0, dimensions);
  const mean = vector.reduce((sum, value) => sum + value, 0) / vector.length;
  const variance = vector.reduce((sum, value) => sum + (value - mean) ** 2, 0) / vector.length;
  const scale = 1 / Math.sqrt(variance + LAYER_NORM_EPSILON);
  return vector.slice(0, dimensions).map((value) => (value - mean) * scale);
}

export function normalised(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const norm = Math.sqrt(squares);
  return norm === 0 ? vector : vector.map((value) => value / norm);
}

/** Of unit vectors, each counting as much as its window has tokens; a unit vector again. */
export function weightedMean(vectors: readonly Float32Array[], weights: readonly number[]): Float32Array {
  const [first] = vectors;
  if (first === undefined) throw new RangeError('no vectors');
  if (vectors.length === 1) return first;
  const sum = new Float32Array(first.length);
  vectors.forEach((vector, window) => {
    for (let i = 0; i < sum.length; i++)
      sum[i] = (sum[i] as number) + (vector[i] as number) * (weights[window] as number);
  });
  return normalised(sum);
}
