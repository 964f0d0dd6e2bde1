/**
 * BERT as an ONNX graph (Devlin et al. 2019; names of weights as in transformers): the encoder with one of three
 * heads. Shapes in comments: B texts, T tokens, D = hidden size, V = vocabulary.
 */
import { FLOAT32, floats, graphBuilder, integers } from './graph.ts';
import type { GraphBuilder, Value } from './graph.ts';
import type { Bytes } from './protobuf.ts';
import type { Weights } from './safetensors.ts';

export interface BertShape {
  readonly head: 'token-vectors' | 'vocabulary' | 'labels';
  readonly layers: number;
  readonly heads: number;
  readonly dimensions: number;
  readonly epsilon: number;
}

const ARCHITECTURES: Readonly<Record<string, BertShape['head'] | undefined>> = {
  BertModel: 'token-vectors',
  BertForMaskedLM: 'vocabulary',
  BertForSequenceClassification: 'labels',
};

/** The only forms that are made; also what a config means that does not say it. */
const ONLY = { hidden_act: 'gelu', position_embedding_type: 'absolute', is_decoder: false };

/**
 * What `config.json` says, or why this converter cannot make it: one that it does not know in every detail would
 * answer, badly and in silence.
 */
export function bertShape(config: Readonly<Record<string, unknown>>): BertShape | { readonly refused: string } {
  const head = ARCHITECTURES[String((config['architectures'] as readonly unknown[] | undefined)?.[0])];
  const kind = [config['model_type'], config['architectures']].map((value) => JSON.stringify(value)).join(' ');
  if (config['model_type'] !== 'bert' || head === undefined) return { refused: `it is of the kind ${kind}` };
  const [other] = Object.entries(ONLY).find(([key, value]) => (config[key] ?? value) !== value) ?? [];
  if (other !== undefined) return { refused: `its ${other} is ${JSON.stringify(config[other])}` };
  const sizes = ['num_hidden_layers', 'num_attention_heads', 'hidden_size'].map((key) => config[key]);
  const [layers, heads, dimensions] = sizes;
  if (typeof layers !== 'number' || typeof heads !== 'number' || typeof dimensions !== 'number')
    return { refused: 'its config.json does not say how large it is' };
  const epsilon = config['layer_norm_eps'];
  return { head, layers, heads, dimensions, epsilon: typeof epsilon === 'number' ? epsilon : 1e-12 };
}

/**
 * Inputs `input_ids`, `attention_mask`, `token_type_ids` (B × T, int64); output `last_hidden_state` (B × T × D),
 * `logits` (B × T × V) of a head over the vocabulary, or `logits` (B × labels).
 */
export function bertGraph(shape: BertShape, weights: Weights): Bytes {
  const graph = graphBuilder();
  const { node } = graph;
  const block = blocks(graph, weights, shape);
  const ids = graph.input('input_ids', 'int64', ['batch', 'sequence']);
  const mask = graph.input('attention_mask', 'int64', ['batch', 'sequence']);
  const types = graph.input('token_type_ids', 'int64', ['batch', 'sequence']);
  // A bare encoder has no prefix.
  const prefix = weights.has('bert.embeddings.word_embeddings.weight') ? 'bert.' : '';
  const embeddings = `${prefix}embeddings`;
  const length = node('Squeeze', [node('Shape', [ids], { start: 1, end: 2 })]);
  const [zero, one] = [graph.constant(integers([0], [])), graph.constant(integers([1], []))];
  const positions = node('Range', [zero, length, one]);
  const table = (name: string): Value => block.weight(`${embeddings}.${name}_embeddings.weight`);
  const words = table('word');
  const sum = [
    node('Gather', [words, ids]),
    node('Gather', [table('position'), positions]),
    node('Gather', [table('token_type'), types]),
  ];
  // 0 for tokens, a very negative number for padding: no attention is left for it.
  const seen = node('Unsqueeze', [node('Cast', [mask], { to: FLOAT32 }), graph.constant(integers([1, 2]))]);
  const hidden = node('Mul', [
    node('Sub', [graph.constant(floats([1], [])), seen]),
    graph.constant(floats([-1e9], [])),
  ]);

  let x = block.norm(
    sum.reduce((a, b) => node('Add', [a, b])),
    embeddings,
  );
  for (let layer = 0; layer < shape.layers; layer++) {
    const at = `${prefix}encoder.layer.${layer}`;
    const attended = block.dense(block.attention(x, hidden, `${at}.attention.self`), `${at}.attention.output.dense`);
    x = block.norm(node('Add', [attended, x]), `${at}.attention.output`);
    const wide = block.gelu(block.dense(x, `${at}.intermediate.dense`));
    x = block.norm(node('Add', [block.dense(wide, `${at}.output.dense`), x]), `${at}.output`);
  }

  switch (shape.head) {
    case 'token-vectors':
      graph.output(node('Identity', [x], {}, 'last_hidden_state'), 'float32', ['batch', 'sequence', shape.dimensions]);
      break;
    case 'vocabulary': {
      const at = 'cls.predictions';
      const read = block.norm(block.gelu(block.dense(x, `${at}.transform.dense`)), `${at}.transform`);
      const decoder = `${at}.decoder.weight`;
      // Usually the word embeddings again, which are then not saved twice.
      const scores = node('MatMul', [read, block.turned(weights.has(decoder) ? block.weight(decoder) : words)]);
      const bias = block.weight(`${at}.bias`, `${at}.decoder.bias`);
      graph.output(node('Add', [scores, bias], {}, 'logits'), 'float32', ['batch', 'sequence', 'vocabulary']);
      break;
    }
    case 'labels': {
      const first = node('Gather', [x, zero], { axis: 1 });
      const pooled = node('Tanh', [block.dense(first, `${prefix}pooler.dense`)]);
      graph.output(block.dense(pooled, 'classifier', 'logits'), 'float32', ['batch', 'labels']);
    }
  }
  return graph.model();
}

interface Blocks {
  /** As float32, whatever it was saved as. */
  weight(...names: readonly string[]): Value;
  turned(matrix: Value): Value;
  /** x · Wᵀ + b; PyTorch saves W as outputs × inputs. */
  dense(x: Value, name: string, output?: string): Value;
  norm(x: Value, name: string): Value;
  /** x · Φ(x), the exact form with the error function. */
  gelu(x: Value): Value;
  /** softmax(Q Kᵀ / √d + hidden) V, d = dimensions of a head. @param hidden B × 1 × 1 × T */
  attention(x: Value, hidden: Value, name: string): Value;
}

function blocks(graph: GraphBuilder, weights: Weights, { dimensions, heads, epsilon }: BertShape): Blocks {
  const { node } = graph;
  const number = (value: number): Value => graph.constant(floats([value], []));
  const [half, one, root2] = [number(0.5), number(1), number(Math.SQRT2)];
  const width = dimensions / heads;
  const rootOfWidth = number(Math.sqrt(width));
  const [toHeads, toOne] = [integers([0, 0, heads, width]), integers([0, 0, dimensions])].map(graph.constant) as [
    Value,
    Value,
  ];

  const weight: Blocks['weight'] = (...names) => {
    const found = weights.get(...names);
    const value = graph.constant(found);
    return found.type === 'float32' ? value : node('Cast', [value], { to: FLOAT32 });
  };
  const turned: Blocks['turned'] = (matrix) => node('Transpose', [matrix], { perm: [1, 0] });
  const dense: Blocks['dense'] = (x, name, output) =>
    node('Add', [node('MatMul', [x, turned(weight(`${name}.weight`))]), weight(`${name}.bias`)], {}, output);
  return {
    weight,
    turned,
    dense,
    // `gamma` and `beta` in files that were first saved by TensorFlow.
    norm: (x, name) =>
      node(
        'LayerNormalization',
        [
          x,
          weight(`${name}.LayerNorm.weight`, `${name}.LayerNorm.gamma`),
          weight(`${name}.LayerNorm.bias`, `${name}.LayerNorm.beta`),
        ],
        { epsilon: { float: epsilon } },
      ),
    gelu: (x) => {
      const erf = node('Erf', [node('Div', [x, root2])]);
      return node('Mul', [node('Mul', [x, node('Add', [erf, one])]), half]);
    },
    attention(x, hidden, name) {
      // B × T × D → B × heads × T × d; keys turned: B × heads × d × T.
      const split = (part: string, perm: readonly number[]): Value =>
        node('Transpose', [node('Reshape', [dense(x, `${name}.${part}`), toHeads])], { perm });
      const [queries, keys, values] = [
        split('query', [0, 2, 1, 3]),
        split('key', [0, 2, 3, 1]),
        split('value', [0, 2, 1, 3]),
      ];
      const scores = node('Add', [node('Div', [node('MatMul', [queries, keys]), rootOfWidth]), hidden]);
      const mixed = node('MatMul', [node('Softmax', [scores], { axis: 3 }), values]);
      return node('Reshape', [node('Transpose', [mixed], { perm: [0, 2, 1, 3] }), toOne]);
    },
  };
}
