/**
 * A model folder made by the test itself: an encoder whose token vectors are the rows of a table, so that pooling can
 * be computed by hand, and a word-piece tokenizer of a few words.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { floats, graphBuilder } from '../../src/onnx/convert/graph.ts';

/** Special tokens first; the row of a word in the table is its place here. */
export const VOCABULARY: readonly string[] = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'red', 'green', 'blue', '##ish', ':'];
/** Four dimensions; one row a token. */
export const TABLE: readonly (readonly number[])[] = [
  [9, 9, 9, 9],
  [0, 0, 0, 1],
  [1, 0, 0, 0],
  [0, 1, 0, 0],
  [3, 0, 4, 0],
  [0, 5, 0, 12],
  [0, 0, 8, 15],
  [2, 1, 2, 0],
  [1, 1, 1, 1],
];

export const row = (word: string): readonly number[] => TABLE[VOCABULARY.indexOf(word)] ?? [];

export interface TinyModelOptions {
  readonly inputs?: readonly string[];
  readonly output?: string;
  /** Further files, or others in the place of the usual ones; null leaves one out. */
  readonly files?: Readonly<Record<string, unknown>>;
}

export function tinyFiles({
  inputs = ['input_ids', 'attention_mask', 'token_type_ids'],
  output = 'last_hidden_state',
  files = {},
}: TinyModelOptions = {}): Map<string, Uint8Array> {
  const json: Record<string, unknown> = {
    'config.json': { model_type: 'bert', hidden_size: 4, max_position_embeddings: 16 },
    'tokenizer.json': tokenizer(),
    'tokenizer_config.json': { tokenizer_class: 'BertTokenizer', model_max_length: 12 },
    '1_Pooling/config.json': {
      word_embedding_dimension: 4,
      pooling_mode_mean_tokens: true,
      pooling_mode_cls_token: false,
    },
    ...files,
  };
  const all = new Map<string, Uint8Array>();
  for (const [name, value] of Object.entries(json)) {
    if (value !== null) all.set(name, value instanceof Uint8Array ? value : Buffer.from(JSON.stringify(value)));
  }
  if (files['onnx/model.onnx'] !== null && !all.has('onnx/model.onnx'))
    all.set('onnx/model.onnx', encoder(inputs, output));
  return all;
}

export const writeTinyModel = (folder: string, options: TinyModelOptions = {}): string =>
  writeFiles(folder, tinyFiles(options));

export function writeFiles(folder: string, files: ReadonlyMap<string, Uint8Array>): string {
  for (const [name, bytes] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
  return folder;
}

function tokenizer(): object {
  const special = ['[CLS]', '[SEP]'].map((content) => ({
    id: VOCABULARY.indexOf(content),
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  }));
  const marked = (id: string): object => ({ id, ids: [VOCABULARY.indexOf(id)], tokens: [id] });
  const sequence = (id: string, type_id: number): object => ({ Sequence: { id, type_id } });
  const mark = (id: string, type_id: number): object => ({ SpecialToken: { id, type_id } });
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: special,
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [mark('[CLS]', 0), sequence('A', 0), mark('[SEP]', 0)],
      pair: [mark('[CLS]', 0), sequence('A', 0), mark('[SEP]', 0), sequence('B', 1), mark('[SEP]', 1)],
      special_tokens: { '[CLS]': marked('[CLS]'), '[SEP]': marked('[SEP]') },
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(VOCABULARY.map((word, id) => [word, id])),
    },
  };
}

/** `output = Gather(table, input_ids)`; further inputs are accepted and not used. */
function encoder(inputs: readonly string[], output: string): Uint8Array {
  const width = TABLE[0]?.length ?? 0;
  const graph = graphBuilder();
  for (const name of inputs) graph.input(name, 'int64', ['batch', 'sequence']);
  const table = graph.constant(floats(TABLE.flat(), [TABLE.length, width]));
  graph.output(graph.node('Gather', [table, 'input_ids'], {}, output), 'float32', ['batch', 'sequence', width]);
  return Buffer.concat(graph.model().parts);
}
