/** Vectors as 8-bit integers with one scale a vector: what the kernel scans. */

/** Vectors are padded with zeros to a multiple of this, as the kernel reads them. */
const WIDTH_STEP = 32;

/** The kernel adds products of int8 and int16 in 32 bits: Σ 127 × |query| must stay below 2³¹. */
const MAX_QUERY_SUM = Math.floor((2 ** 31 - 1) / 127) - 4096;

export const paddedWidth = (dimensions: number): number => Math.ceil(dimensions / WIDTH_STEP) * WIDTH_STEP;

/** Writes `vector` as int8 into `codes` (as wide as the padded vector) and returns its scale. */
export function quantizeRow(vector: Float32Array, codes: Int8Array): number {
  const largest = maximum(vector);
  if (largest === 0) return 0;
  const scale = largest / 127;
  for (let i = 0; i < vector.length; i++) codes[i] = Math.round((vector[i] as number) / scale);
  return scale;
}

/** Finer than the rows, so that the error of a score is the row's alone. */
export function quantizeQuery(vector: Float32Array): { readonly codes: Int16Array; readonly scale: number } {
  const codes = new Int16Array(paddedWidth(vector.length));
  const largest = maximum(vector);
  if (largest === 0) return { codes, scale: 0 };
  const sum = vector.reduce((total, value) => total + Math.abs(value), 0);
  const scale = Math.max(largest / 32767, sum / MAX_QUERY_SUM);
  for (let i = 0; i < vector.length; i++) codes[i] = Math.round((vector[i] as number) / scale);
  return { codes, scale };
}

/**
 * How far a scanned score may lie from the exact one, for a query of length 1. Rounding errors of the components are
 * independent and uniform in ± scale ÷ 2, so a score's error has the standard deviation scale ÷ √12; six of these
 * leave out one candidate in a billion.
 */
export const scoreError = (largestScale: number): number => (6 * largestScale) / Math.sqrt(12);

function maximum(vector: Float32Array): number {
  let largest = 0;
  for (let i = 0; i < vector.length; i++) largest = Math.max(largest, Math.abs(vector[i] as number));
  return largest;
}
