/** Small models with a known answer, on top of the tokenizer of `tiny-model.ts`. */
import { floats, graphBuilder, integers } from '../../src/onnx/convert/graph.ts';
import { tinyFiles, VOCABULARY } from './tiny-model.ts';

type Files = Readonly<Record<string, unknown>>;

/**
 * A cross-encoder whose score is the number of pairs of equal words, one in the question and one in the passage: it reads the
 * kinds of the tokens, and special tokens are no words. `logits` takes the score to what the model gives.
 */
export function countingFiles(
  files: Files = {},
  logits: 'score' | 'no-and-yes' | 'three' = 'score',
): Map<string, Uint8Array> {
  const graph = graphBuilder();
  const { node, constant } = graph;
  for (const name of ['input_ids', 'attention_mask', 'token_type_ids'])
    graph.input(name, 'int64', ['batch', 'sequence']);
  const asNumbers = (value: string): string => node('Cast', [value], { to: 1 });
  const lastSpecial = constant(integers([VOCABULARY.indexOf('[SEP]')], []));
  const word = node('Mul', [asNumbers(node('Greater', ['input_ids', lastSpecial])), asNumbers('attention_mask')]);
  const second = asNumbers('token_type_ids');
  const [rows, columns] = [constant(integers([2])), constant(integers([1]))];
  const ofPassage = node('Mul', [word, second]);
  const ofQuestion = node('Sub', [word, ofPassage]);
  const equal = node('Equal', [node('Unsqueeze', ['input_ids', rows]), node('Unsqueeze', ['input_ids', columns])]);
  const pairs = node('Mul', [node('Unsqueeze', [ofQuestion, rows]), node('Unsqueeze', [ofPassage, columns])]);
  const score = node('ReduceSum', [node('Mul', [asNumbers(equal), pairs]), constant(integers([1, 2]))], {
    keepdims: 0,
  });
  // One column for each label: score × slope.
  const slopes = { score: [1], 'no-and-yes': [-1, 1], three: [1, 1, 1] }[logits];
  const column = node('Unsqueeze', [score, columns]);
  graph.output(node('Mul', [column, constant(floats(slopes))], {}, 'logits'), 'float32', ['batch', slopes.length]);
  const id2label = Object.fromEntries(slopes.map((_, label) => [label, `LABEL_${label}`]));
  const config = { model_type: 'bert', max_position_embeddings: 16, type_vocab_size: 2, id2label };
  return tinyFiles({ files: { 'onnx/model.onnx': model(graph), 'config.json': config, ...files } });
}

/** A language model whose logits for each token are the token's row of the table: `words` columns. */
export function lookupFiles(
  table: readonly (readonly number[])[],
  files: Files = {},
  output = 'logits',
): Map<string, Uint8Array> {
  const graph = graphBuilder();
  const words = table[0]?.length ?? 0;
  const ids = graph.input('input_ids', 'int64', ['batch', 'sequence']);
  const rows = graph.constant(floats(table.flat(), [table.length, words]));
  graph.output(graph.node('Gather', [rows, ids], {}, output), 'float32', ['batch', 'sequence', words]);
  const config = { model_type: 'bert', max_position_embeddings: 16, vocab_size: words };
  return tinyFiles({ files: { 'onnx/model.onnx': model(graph), 'config.json': config, ...files } });
}

const model = (graph: ReturnType<typeof graphBuilder>): Uint8Array => Buffer.concat(graph.model().parts);

// ------------------------------------------------------------------------------------------------- BERT, not converted

export type Head = 'BertModel' | 'BertForMaskedLM' | 'BertForSequenceClassification';
const [DIMENSIONS, WIDE, POSITIONS, LAYERS, HEADS] = [8, 16, 16, 2, 2];

/**
 * A BERT of two layers as `model.safetensors`. The weight at place i of tensor k, both from 0, is
 * 0.6 sin(0.7 (k + 1) (i + 1)), and 1 + half of that where a norm multiplies: another program can compute it too.
 */
export function bertFiles(
  head: Head,
  files: Files = {},
  type: 'F32' | 'F16' | 'BF16' = 'F32',
): Map<string, Uint8Array> {
  const config = {
    architectures: [head],
    model_type: 'bert',
    hidden_act: 'gelu',
    hidden_size: DIMENSIONS,
    num_hidden_layers: LAYERS,
    num_attention_heads: HEADS,
    max_position_embeddings: POSITIONS,
    vocab_size: VOCABULARY.length,
    type_vocab_size: 2,
    id2label: { 0: 'LABEL_0' },
  };
  const weights = safetensors(bertTensors(head), type);
  const all = { 'onnx/model.onnx': null, 'config.json': config, 'model.safetensors': weights, ...files };
  return tinyFiles({ files: all });
}

type Shapes = Readonly<Record<string, readonly number[]>>;

function bertTensors(head: Head): Shapes {
  const prefix = head === 'BertModel' ? '' : 'bert.';
  const dense = (name: string, outputs: number, inputs: number): Shapes => ({
    [`${name}.weight`]: [outputs, inputs],
    [`${name}.bias`]: [outputs],
  });
  const norm = (name: string): Shapes => ({
    [`${name}.LayerNorm.weight`]: [DIMENSIONS],
    [`${name}.LayerNorm.bias`]: [DIMENSIONS],
  });
  const layer = (at: string): Shapes => ({
    ...dense(`${at}.attention.self.query`, DIMENSIONS, DIMENSIONS),
    ...dense(`${at}.attention.self.key`, DIMENSIONS, DIMENSIONS),
    ...dense(`${at}.attention.self.value`, DIMENSIONS, DIMENSIONS),
    ...dense(`${at}.attention.output.dense`, DIMENSIONS, DIMENSIONS),
    ...norm(`${at}.attention.output`),
    ...dense(`${at}.intermediate.dense`, WIDE, DIMENSIONS),
    ...dense(`${at}.output.dense`, DIMENSIONS, WIDE),
    ...norm(`${at}.output`),
  });
  const heads: Readonly<Record<Head, Shapes>> = {
    BertModel: {},
    BertForSequenceClassification: {
      ...dense('bert.pooler.dense', DIMENSIONS, DIMENSIONS),
      ...dense('classifier', 1, DIMENSIONS),
    },
    BertForMaskedLM: {
      ...dense('cls.predictions.transform.dense', DIMENSIONS, DIMENSIONS),
      ...norm('cls.predictions.transform'),
      'cls.predictions.decoder.weight': [VOCABULARY.length, DIMENSIONS],
      'cls.predictions.bias': [VOCABULARY.length],
    },
  };
  return {
    [`${prefix}embeddings.word_embeddings.weight`]: [VOCABULARY.length, DIMENSIONS],
    [`${prefix}embeddings.position_embeddings.weight`]: [POSITIONS, DIMENSIONS],
    [`${prefix}embeddings.token_type_embeddings.weight`]: [2, DIMENSIONS],
    ...norm(`${prefix}embeddings`),
    ...Object.assign({}, ...Array.from({ length: LAYERS }, (_, i) => layer(`${prefix}encoder.layer.${i}`))),
    ...heads[head],
  };
}

function safetensors(shapes: Shapes, type: 'F32' | 'F16' | 'BF16'): Uint8Array {
  let offset = 0;
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } };
  const parts = Object.entries(shapes).map(([name, shape], k) => {
    const count = shape.reduce((product, length) => product * length, 1);
    const values = Float32Array.from({ length: count }, (_, i) => {
      const value = 0.6 * Math.sin(0.7 * (k + 1) * (i + 1));
      return name.endsWith('LayerNorm.weight') ? 1 + value / 2 : value;
    });
    const bytes = encoded(values, type);
    header[name] = { dtype: type, shape, data_offsets: [offset, (offset += bytes.length)] };
    return bytes;
  });
  const json = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  return Buffer.concat([length, json, ...parts]);
}

function encoded(values: Float32Array, type: 'F32' | 'F16' | 'BF16'): Uint8Array {
  if (type === 'F32') return new Uint8Array(values.buffer);
  const bits = new Uint32Array(values.buffer);
  const short = Uint16Array.from(bits, (all) => (type === 'BF16' ? all >>> 16 : half(all)));
  return new Uint8Array(short.buffer);
}

/** Of numbers that are normal in both; cut, not rounded. */
function half(bits: number): number {
  const exponent = ((bits >>> 23) & 0xff) - 127;
  return exponent < -14 ? 0 : ((bits >>> 16) & 0x8000) | ((exponent + 15) << 10) | ((bits >>> 13) & 0x3ff);
}
