/** Token sequences through a model: padded, in batches, on all processes at once, one row of numbers for each. */
import type { CallOptions } from '../core/contracts.ts';
import { RagError } from '../core/errors.ts';
import type { OnnxDevice, OnnxSession, Reduction, Signature, Tensor, Tensors } from './session.ts';

/** One input of a model. */
export interface Sequence {
  readonly ids: readonly number[];
  /** 0 for tokens of the first text, 1 for those of the second; without it all are 0. */
  readonly typeIds?: readonly number[];
}

export interface SequenceRun extends CallOptions {
  readonly session: OnnxSession;
  /** Name of the output. */
  readonly output: string;
  /** For outputs with one vector a token. */
  readonly pooling?: Reduction;
  /** Sequences that are computed together. */
  readonly runSize: number;
}

/** On a processor one: as fast as eight for int8, and a result that depends on its own text only. */
export const RUN_SIZE: Readonly<Record<OnnxDevice, number>> = { cpu: 1, cuda: 32, webgpu: 16 };
/** Runs that one process is given at once; fewer where there are not enough for all processes. */
const MOST_RUNS = 4;

/** Inputs that encoders have; `token_type_ids` only those with two kinds of segments. */
const KNOWN_INPUTS = ['input_ids', 'attention_mask', 'token_type_ids'];

/**
 * The first of the outputs that the model has.
 *
 * @param purpose what else the model should be chosen for, for the hint
 * @throws RagError `driver-unavailable` for a model that wants or gives something else
 */
export function outputOf({ inputNames, outputNames }: Signature, outputs: readonly string[], purpose: string): string {
  const cannotUse = (why: string): RagError =>
    new RagError('driver-unavailable', `the model ${why}`, { hint: `choose a model that was exported for ${purpose}` });
  const unknown = inputNames.filter((name) => !KNOWN_INPUTS.includes(name));
  if (unknown.length > 0) throw cannotUse(`wants ${unknown.join(', ')}, which texts do not have`);
  const output = outputs.find((name) => outputNames.includes(name));
  if (output === undefined) throw cannotUse(`gives ${outputNames.join(', ')}, and not ${outputs.join(' or ')}`);
  return output;
}

/**
 * @returns one row for each sequence, in their order
 * @throws RagError `driver-missing` | `driver-unavailable` | `aborted`; what was not computed yet is given up
 */
export async function runSequences(
  sequences: readonly Sequence[],
  { session, output, pooling, runSize, signal }: SequenceRun,
): Promise<readonly Float32Array[]> {
  const lengthOf = (at: number): number => (sequences[at] as Sequence).ids.length;
  // The longest first: at the end all processes finish at about the same time, and neighbours need little padding.
  const order = [...sequences.keys()].sort((a, b) => lengthOf(b) - lengthOf(a));
  const rows = new Array<Float32Array>(sequences.length);
  const ending = new AbortController();
  const forward = (): void => ending.abort(signal?.reason);
  signal?.addEventListener('abort', forward, { once: true });
  if (signal?.aborted === true) forward();
  const options = { signal: ending.signal, ...(pooling === undefined ? {} : { pooling }) };
  const batches = slices(order, runSize);
  const runsEach = Math.floor(batches.length / (2 * session.processes));
  const calls = slices(batches, Math.max(1, Math.min(MOST_RUNS, runsEach))).map(async (call) => {
    const inputs = call.map((batch) => feedsOf(batch.map((at) => sequences[at] as Sequence)));
    const outputs = await session.run(inputs, output, options);
    call.forEach((batch, i) => {
      const found = rowsOf(outputs[i], batch.length);
      batch.forEach((at, row) => (rows[at] = found[row] as Float32Array));
    });
  });
  try {
    await Promise.all(calls);
    return rows;
  } catch (error) {
    // One failed: the others are not waited for.
    ending.abort();
    await Promise.allSettled(calls);
    throw error;
  } finally {
    signal?.removeEventListener('abort', forward);
  }
}

function slices<T>(list: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));
}

/** One row a sequence, padded to the longest; padding is masked. */
export function feedsOf(batch: readonly Sequence[]): Tensors {
  const width = Math.max(...batch.map(({ ids }) => ids.length));
  const tensor = (valuesOf: (sequence: Sequence) => readonly number[]): Tensor => {
    const data = new BigInt64Array(batch.length * width);
    batch.forEach((sequence, row) => data.set(valuesOf(sequence).map(BigInt), row * width));
    return { type: 'int64', dims: [batch.length, width], data };
  };
  return {
    input_ids: tensor(({ ids }) => ids),
    attention_mask: tensor(({ ids }) => ids.map(() => 1)),
    token_type_ids: tensor(({ typeIds = [] }) => typeIds),
  };
}

function rowsOf(output: Tensor | undefined, sequences: number): readonly Float32Array[] {
  const { dims, data } = output ?? { dims: [], data: [] };
  const [rows = 0, width = 0] = dims;
  if (dims.length !== 2 || rows !== sequences) {
    throw new RagError('driver-unavailable', `the model gave ${dims.join(' × ')} values for ${sequences} texts`);
  }
  return Array.from({ length: rows }, (_, row) => (data as Float32Array).slice(row * width, (row + 1) * width));
}
