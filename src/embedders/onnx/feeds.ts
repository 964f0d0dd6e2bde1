/** Which input takes the token ids and which output has the vectors. */
import { RagError } from '../../core/errors.ts';
import type { Signature, Tensor, Tensors } from '../../onnx/session.ts';

/** Inputs that encoders have; `token_type_ids` only those with two kinds of segments. */
const KNOWN_INPUTS = ['input_ids', 'attention_mask', 'token_type_ids'];
/** Names of the output with one vector a token. */
const TOKEN_OUTPUTS = ['last_hidden_state', 'token_embeddings'];

/**
 * The name of the output with one vector a token.
 *
 * @throws RagError `driver-unavailable` for a model that wants or gives something else
 */
export function tokenOutput({ inputNames, outputNames }: Signature): string {
  const unknown = inputNames.filter((name) => !KNOWN_INPUTS.includes(name));
  const output = TOKEN_OUTPUTS.find((name) => outputNames.includes(name));
  if (unknown.length > 0) throw cannotUse(`wants ${unknown.join(', ')}, which encoders are not given`);
  if (output === undefined) {
    throw cannotUse(`gives ${outputNames.join(', ')}, and no token vectors (${TOKEN_OUTPUTS.join(', ')})`);
  }
  return output;
}

const cannotUse = (why: string): RagError =>
  new RagError('driver-unavailable', `the model ${why}`, {
    hint: 'choose an encoder that was exported for feature extraction',
  });

/** One row a text, padded to the longest; padding is masked. */
export function feedsOf(batch: readonly (readonly number[])[]): Tensors {
  const width = Math.max(...batch.map(({ length }) => length));
  const tensor = (fill: (data: BigInt64Array) => void): Tensor => {
    const data = new BigInt64Array(batch.length * width);
    fill(data);
    return { type: 'int64', dims: [batch.length, width], data };
  };
  return {
    input_ids: tensor((data) => {
      batch.forEach((ids, row) => data.set(ids.map(BigInt), row * width));
    }),
    attention_mask: tensor((data) => {
      batch.forEach(({ length }, row) => data.fill(1n, row * width, row * width + length));
    }),
    token_type_ids: tensor(() => undefined),
  };
}

/** One vector a text. */
export function rowsOf(output: Tensor | undefined, texts: number): readonly Float32Array[] {
  const { dims, data } = output ?? { dims: [], data: [] };
  const [rows = 0, width = 0] = dims;
  if (rows !== texts || data.length !== rows * width) {
    throw new RagError('driver-unavailable', `the model gave ${dims.join(' × ')} values for ${texts} texts`);
  }
  return Array.from({ length: rows }, (_, row) => (data as Float32Array).slice(row * width, (row + 1) * width));
}
