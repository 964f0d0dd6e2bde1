/**
 * A model folder made by the test itself: an encoder whose token vectors are the rows of a table, so that pooling can
 * be computed by hand, and a word-piece tokenizer of a few words. The weights are written as ONNX's protobuf.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

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

export function writeTinyModel(folder: string, options: TinyModelOptions = {}): string {
  for (const [name, bytes] of tinyFiles(options)) {
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
  const raw = Buffer.from(Float32Array.from(TABLE.flat()).buffer);
  const table = message([1, TABLE.length], [1, width], [2, FLOAT], [8, 'table'], [9, raw]);
  const gather = message([1, 'table'], [1, 'input_ids'], [2, output], [4, 'Gather']);
  const graph = message(
    [1, gather],
    [2, 'tiny'],
    [5, table],
    ...inputs.map((name): Field => [11, tensorInfo(name, INT64, ['batch', 'sequence'])]),
    [12, tensorInfo(output, FLOAT, ['batch', 'sequence', width])],
  );
  return message([1, 8], [7, graph], [8, message([1, ''], [2, 13])]);
}

const FLOAT = 1;
const INT64 = 7;

function tensorInfo(name: string, type: number, dims: readonly (string | number)[]): Uint8Array {
  const shape = message(...dims.map((dim): Field => [1, message(typeof dim === 'number' ? [1, dim] : [2, dim])]));
  return message([1, name], [2, message([1, message([1, type], [2, shape])])]);
}

/** Field number and value: a number as varint, everything else with its length before it. */
type Field = readonly [number, number | string | Uint8Array];

function message(...fields: readonly Field[]): Uint8Array {
  return Buffer.concat(
    fields.flatMap(([field, value]) => {
      if (typeof value === 'number') return [varint(field << 3), varint(value)];
      const bytes = Buffer.from(value as string);
      return [varint((field << 3) | 2), varint(bytes.length), bytes];
    }),
  );
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let left = value;
  for (; left > 127; left >>>= 7) bytes.push((left & 127) | 128);
  bytes.push(left);
  return Uint8Array.from(bytes);
}
