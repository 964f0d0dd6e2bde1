/** Token ids to the inputs of a model, and its outputs to the vectors of each text's tokens. */
import { RagError } from '../../core/errors.ts';
import type { Signature, Tensor, Tensors } from '../../onnx/session.ts';
import type { TokenVectors } from './pool.ts';

/** Inputs that encoders have; `token_type_ids` only those with two kinds of segments. */
const KNOWN_INPUTS = ['input_ids', 'attention_mask', 'token_type_ids'];
/** Names of the output with one vector a token. */
const TOKEN_OUTPUTS = ['last_hidden_state', 'token_embeddings'];

export interface Wiring {
  readonly inputNames: readonly string[];
  readonly output: string;
}

/** @throws RagError `driver-unavailable` for a model that wants or gives something else */
export function wiringOf({ inputNames, outputNames }: Signature): Wiring {
  const unknown = inputNames.filter((name) => !KNOWN_INPUTS.includes(name));
  const output = TOKEN_OUTPUTS.find((name) => outputNames.includes(name));
  if (unknown.length > 0) throw cannotUse(`wants ${unknown.join(', ')}, which is not given to encoders`);
  if (output === undefined)
    throw cannotUse(`gives ${outputNames.join(', ')}, and no token vectors (${TOKEN_OUTPUTS.join(', ')})`);
  return { inputNames, output };
}

const cannotUse = (why: string): RagError =>
  new RagError('driver-unavailable', `the model ${why}`, {
    hint: 'choose an encoder that was exported for feature extraction',
  });

/** One row a text, padded to the longest; padding is masked. */
export function feedsOf(batch: readonly (readonly number[])[], inputNames: readonly string[]): Tensors {
  const width = Math.max(...batch.map(({ length }) => length));
  const dims = [batch.length, width];
  const ids = new BigInt64Array(batch.length * width);
  const mask = new BigInt64Array(batch.length * width);
  batch.forEach((row, at) => {
    row.forEach((id, i) => {
      ids[at * width + i] = BigInt(id);
      mask[at * width + i] = 1n;
    });
  });
  const all: Tensors = {
    input_ids: { type: 'int64', dims, data: ids },
    attention_mask: { type: 'int64', dims, data: mask },
    token_type_ids: { type: 'int64', dims, data: new BigInt64Array(batch.length * width) },
  };
  return Object.fromEntries(inputNames.map((name) => [name, all[name] as Tensor]));
}

/** Without the padding. */
export function tokenVectors(output: Tensor, batch: readonly (readonly number[])[]): readonly TokenVectors[] {
  const [rows = 0, width = 0, dimensions = 0] = output.dims;
  const data = output.data as Float32Array;
  if (rows !== batch.length || data.length !== rows * width * dimensions) {
    throw new RagError(
      'driver-unavailable',
      `the model gave ${output.dims.join(' × ')} values for ${batch.length} texts`,
    );
  }
  return batch.map(({ length }, row) => {
    const start = row * width * dimensions;
    return { data: data.subarray(start, start + length * dimensions), tokens: length, dimensions };
  });
}
