/** The table while it is trained: the rows of the pieces that occur, their gradient and their moments. */
import type { StaticModel } from '../static-model/static-model.ts';
import { contrast } from './contrastive.ts';
import { trainingKernel } from './kernel.ts';

/** A question and the text that answers it, as known pieces in any order, and what they are parts of. */
export interface Pair {
  readonly question: Int32Array;
  readonly text: Int32Array;
  readonly chunk: string;
  readonly section: string;
}

export interface Trainer {
  /** Pieces whose rows are trained, ascending. */
  readonly ids: Int32Array;
  /** Row i of piece `ids[i]`, float32; it changes with every step. */
  readonly rows: Float32Array;
  readonly gradient: Float32Array;
  /** Mean loss of a batch of exactly `batch` pairs; adds to the gradient. */
  loss(pairs: readonly Pair[]): number;
  /** Moves the rows against the gradient and clears it. @param rate In units of a row's mean length. */
  step(rate: number): void;
}

/** A text longer than this many distinct pieces is read up to there. */
const MAX_PIECES = 1024;
const EPSILON = 1e-8;

/** @param pieces All pieces that the pairs will have. */
export function createTrainer(
  model: StaticModel,
  pieces: Iterable<number>,
  { batch, temperature }: { readonly batch: number; readonly temperature: number },
): Trainer {
  const width = model.dimensions;
  const ids = Int32Array.from(new Set(pieces)).sort();
  const place = new Int32Array(model.scales.length);
  ids.forEach((id, i) => (place[id] = i));
  const [tableBytes, sideBytes, bagBytes] = [4 * ids.length * width, 4 * batch * width, 4 * 2 * batch * MAX_PIECES];
  const kernel = trainingKernel([
    ...Array.from({ length: 4 }, () => tableBytes),
    ...Array.from({ length: 4 }, () => sideBytes),
    bagBytes,
    bagBytes,
    4 * batch * batch,
  ]);
  const [table, first, second, slope] = [0, 1, 2, 3].map(() => kernel.allocate(tableBytes)) as [
    number,
    number,
    number,
    number,
  ];
  const side = (): Side => {
    const [vectors, slopes] = [kernel.allocate(sideBytes), kernel.allocate(sideBytes)];
    return {
      vectors,
      slopes,
      values: kernel.floats(vectors, batch * width),
      slopeValues: kernel.floats(slopes, batch * width),
      lengths: new Float64Array(batch),
      counts: new Int32Array(batch),
    };
  };
  const [questions, texts] = [side(), side()];
  const [bagIds, bagWeights] = [kernel.allocate(bagBytes), kernel.allocate(bagBytes)];
  const [bagIdValues, bagWeightValues] = [
    kernel.integers(bagIds, bagBytes / 4),
    kernel.floats(bagWeights, bagBytes / 4),
  ];
  const matrix = kernel.allocate(4 * batch * batch);
  const rows = kernel.floats(table, ids.length * width);
  ids.forEach((id, i) => {
    const scale = model.scales[id] as number;
    for (let k = 0; k < width; k++) rows[i * width + k] = scale * (model.rows[id * width + k] as number);
  });
  const meanLength = meanRowLength(rows, ids.length, width);
  const occurrences = new Int32Array(ids.length);
  let steps = 0;

  /** Writes the distinct pieces and √count of a text into the slot's place. */
  const fillBag = (text: Int32Array, slot: number): number => {
    const start = slot * MAX_PIECES;
    let count = 0;
    for (const id of text) {
      const at = place[id] as number;
      const seen = occurrences[at] as number;
      if (seen === 0 && count < MAX_PIECES) bagIdValues[start + count++] = at;
      occurrences[at] = seen + 1;
    }
    for (let k = start; k < start + count; k++) {
      bagWeightValues[k] = Math.sqrt(occurrences[bagIdValues[k] as number] as number);
    }
    for (const id of text) occurrences[place[id] as number] = 0;
    return count;
  };

  const embed = (text: Int32Array, i: number, slot: number, to: Side): void => {
    const count = fillBag(text, slot);
    const bag = 4 * slot * MAX_PIECES;
    kernel.sumRows(table, bagIds + bag, bagWeights + bag, count, width, to.vectors + 4 * i * width);
    to.counts[i] = count;
    to.lengths[i] = normalise(to.values, i * width, width);
  };

  /** The slope of a unit vector becomes that of the sum before it was normalised, and goes to its rows. */
  const spread = (i: number, slot: number, { values, slopeValues, slopes, lengths, counts }: Side): void => {
    const at = i * width;
    let along = 0;
    for (let k = at; k < at + width; k++) along += (values[k] as number) * (slopeValues[k] as number);
    const length = lengths[i] as number;
    for (let k = at; k < at + width; k++) {
      slopeValues[k] = ((slopeValues[k] as number) - along * (values[k] as number)) / length;
    }
    const bag = 4 * slot * MAX_PIECES;
    kernel.addRows(slope, bagIds + bag, bagWeights + bag, counts[i] as number, width, slopes + 4 * at);
  };

  return {
    ids,
    rows,
    gradient: kernel.floats(slope, ids.length * width),
    loss(pairs) {
      pairs.forEach(({ question, text }, i) => {
        embed(question, i, i, questions);
        embed(text, i, batch + i, texts);
      });
      kernel.dots(questions.vectors, texts.vectors, batch, batch, width, matrix);
      const related = (i: number, j: number): boolean => isRelated(pairs[i] as Pair, pairs[j] as Pair);
      const loss = contrast(kernel.floats(matrix, batch * batch), batch, related, temperature);
      kernel.combine(matrix, batch, 1, texts.vectors, batch, batch, width, questions.slopes);
      kernel.combine(matrix, 1, batch, questions.vectors, batch, batch, width, texts.slopes);
      for (let i = 0; i < batch; i++) {
        spread(i, i, questions);
        spread(i, batch + i, texts);
      }
      return loss;
    },
    step(rate) {
      steps++;
      const [firstBias, secondBias] = [1 - 0.9 ** steps, Math.sqrt(1 - 0.999 ** steps)];
      const corrected = (rate * meanLength * secondBias) / firstBias;
      kernel.adam(table, first, second, slope, ids.length * width, corrected, EPSILON * secondBias);
    },
  };
}

/** Questions or texts of a batch as unit vectors, and the slopes of the loss there. */
interface Side {
  readonly vectors: number;
  readonly slopes: number;
  readonly values: Float32Array;
  readonly slopeValues: Float32Array;
  /** Before they were normalised. */
  readonly lengths: Float64Array;
  /** Distinct pieces. */
  readonly counts: Int32Array;
}

const isRelated = (a: Pair, b: Pair): boolean => a.chunk === b.chunk || a.section === b.section;

/** @returns the length before; 1 for zeros, which stay */
function normalise(values: Float32Array, at: number, width: number): number {
  let squares = 0;
  for (let k = at; k < at + width; k++) squares += (values[k] as number) ** 2;
  const length = squares > 0 ? Math.sqrt(squares) : 1;
  for (let k = at; k < at + width; k++) values[k] = (values[k] as number) / length;
  return length;
}

function meanRowLength(rows: Float32Array, count: number, width: number): number {
  let sum = 0;
  for (let i = 0; i < count; i++) {
    let squares = 0;
    for (let k = i * width; k < (i + 1) * width; k++) squares += (rows[k] as number) ** 2;
    sum += Math.sqrt(squares);
  }
  return count > 0 ? sum / count : 0;
}
