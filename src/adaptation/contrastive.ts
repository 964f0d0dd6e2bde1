/** InfoNCE over a batch (van den Oord et al. 2018), in both directions: each question its text, each text its question. */

/**
 * @param matrix Similarities of question i and text j, `size` × `size`, pairs on the diagonal. Becomes the gradient.
 * @param related Whether question i may be answered by text j as well: then j is not its wrong answer.
 * @returns the mean loss of the questions
 */
export function contrast(
  matrix: Float32Array,
  size: number,
  related: (i: number, j: number) => boolean,
  temperature: number,
): number {
  const rows = new Float64Array(size);
  const columns = new Float64Array(size);
  const weights = new Float64Array(size * size);
  let loss = 0;
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      if (i !== j && related(i, j)) continue;
      const at = i * size + j;
      // Similarities are at most 1: no power overflows.
      const weight = Math.exp(((matrix[at] as number) - 1) / temperature);
      weights[at] = weight;
      rows[i] = (rows[i] as number) + weight;
      columns[j] = (columns[j] as number) + weight;
    }
  }
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      const at = i * size + j;
      const weight = weights[at] as number;
      const row = weight / (rows[i] as number);
      const column = weight / (columns[j] as number);
      if (i === j) loss -= (Math.log(row) + Math.log(column)) / (2 * size);
      matrix[at] = ((row + column) / 2 - Number(i === j)) / (size * temperature);
    }
  }
  return loss;
}
