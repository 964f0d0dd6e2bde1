import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import type { Embedder } from '../../src/core/contracts.ts';
import onnxEmbedder from '../../src/embedders/onnx/index.ts';
import type { OnnxEmbedderOptions } from '../../src/embedders/onnx/index.ts';
import { startHub } from '../onnx/hub-server.ts';
import { hasModel, PACKAGES, sharedModel } from '../onnx/places.ts';
import { row, tinyFiles, writeTinyModel } from '../onnx/tiny-model.ts';
import type { TinyModelOptions } from '../onnx/tiny-model.ts';

// What the user has installed does not count here.
process.env['XDG_DATA_HOME'] = join(tmpdir(), 'there-is-no-such-folder');
const root = mkdtempSync(join(tmpdir(), 'footnote-onnx-'));
const opened: Embedder[] = [];
afterAll(async () => {
  await Promise.all(opened.map((embedder) => embedder.close?.()));
  rmSync(root, { recursive: true, force: true });
});

const open = async (model: string, options: Partial<OnnxEmbedderOptions> = {}): Promise<Embedder> => {
  const embedder = await onnxEmbedder({ model, device: 'cpu', threads: 2, packagesFrom: [PACKAGES], ...options });
  opened.push(embedder);
  return embedder;
};
let made = 0;
const tiny = (options: TinyModelOptions = {}, name = `tiny-${made++}`): string =>
  writeTinyModel(join(root, name), options);
const failure = (model: string, options: Partial<OnnxEmbedderOptions> = {}): Promise<unknown> =>
  open(model, options).then(
    () => undefined,
    (error: unknown) => error,
  );

const embedOne = async (embedder: Embedder, text: string, as: 'query' | 'passage' = 'passage'): Promise<Float32Array> =>
  (await embedder.embed([text], as))[0] as Float32Array;
const cosine = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, i) => sum + value * (b[i] as number), 0);
const unit = (values: readonly number[]): readonly number[] => values.map((value) => value / Math.hypot(...values));
const mean = (words: readonly string[]): readonly number[] =>
  [0, 1, 2, 3].map((i) => words.reduce((sum, word) => sum + (row(word)[i] as number), 0) / words.length);
const rounded = (vector: Iterable<number>): readonly number[] => [...vector].map((value) => Number(value.toFixed(5)));

// ------------------------------------------------------------------------------------- against another implementation

interface Reference {
  readonly as: 'query' | 'passage';
  readonly text: string;
  /** Special tokens and prompt included. */
  readonly tokens: number;
  readonly first: readonly number[];
  /** Little-endian float32, base64. */
  readonly vector: string;
}

/**
 * Made with the Python packages `tokenizers` 0.23.3, `onnxruntime` 1.17.0 and `numpy`, pooling and prompts as on the
 * models' cards. Other runtimes and processors without 8-bit dot products round otherwise: 1.31 gives cosines of .997.
 */
const references = JSON.parse(
  readFileSync(fileURLToPath(new URL('onnx-reference.json', import.meta.url)), 'utf8'),
) as Readonly<Record<string, readonly Reference[]>>;
const LEAST_COSINE = hasDotProducts() ? 0.9999 : 0.99;

function hasDotProducts(): boolean {
  try {
    return /avx512_vnni|avx_vnni/u.test(readFileSync('/proc/cpuinfo', 'utf8'));
  } catch {
    return false;
  }
}

const MODELS = [
  { name: 'all-MiniLM-L6-v2', maxTokens: 256, prompt: 0 },
  { name: 'bge-small-en-v1.5', maxTokens: 512, prompt: 8 },
];
describe.each(MODELS)('$name', ({ name, maxTokens, prompt }) => {
  describe.skipIf(!hasModel(name))(`(needs shared/models/${name})`, () => {
    test('gives the vectors of the reference', async () => {
      const embedder = await open(sharedModel(name));
      expect(embedder).toMatchObject({
        dimensions: 384,
        maxTokens,
        model: expect.stringMatching(`^${name}@[0-9a-f]{12}$`),
      });
      for (const { as, text, tokens, vector } of references[name] ?? []) {
        const expected = new Float32Array(new Uint8Array(Buffer.from(vector, 'base64')).buffer);
        const found = await embedOne(embedder, text, as);
        expect(cosine(found, found)).toBeCloseTo(1, 5);
        expect(cosine(found, expected)).toBeGreaterThan(LEAST_COSINE);
        expect(embedder.countTokens(text) + 2 + (as === 'query' ? prompt : 0)).toBe(tokens);
      }
    });
  });
});

test.skipIf(!hasModel('all-MiniLM-L6-v2'))(
  'of a text longer than it reads, the last words count too (needs shared/models/all-MiniLM-L6-v2)',
  async () => {
    const embedder = await open(sharedModel('all-MiniLM-L6-v2'));
    const filler = Array.from({ length: 120 }, (_, i) => `Option ${i} sets how long a request may wait.`).join(' ');
    const [plain, ending] = await embedder.embed(
      [filler, `${filler} ${'Grill the octopus in olive oil. '.repeat(20)}`],
      'passage',
    );
    const octopus = await embedOne(embedder, 'How to grill an octopus', 'query');
    expect(embedder.countTokens(filler)).toBeGreaterThan(512);
    expect(cosine(ending as Float32Array, octopus)).toBeGreaterThan(cosine(plain as Float32Array, octopus) + 0.05);
  },
);

// -------------------------------------------------------------------------------------------------- computed by hand

describe('a vector', () => {
  test.each([
    ['mean', 'pooling_mode_mean_tokens', mean(['[CLS]', 'red', 'green', '[SEP]'])],
    ['cls', 'pooling_mode_cls_token', row('[CLS]')],
    ['last', 'pooling_mode_lasttoken', row('[SEP]')],
    // [S1-normalize] [S1-pooling-mean] [S1-weaviate-pooling]
  ])('is the token vectors’ %s, of unit length', async (_, mode, expected) => {
    const embedder = await open(tiny({ files: { '1_Pooling/config.json': { [mode]: true } } }));
    expect(rounded(await embedOne(embedder, 'red green'))).toEqual(rounded(unit(expected)));
  });

  // [S4-batching] [S1-batch-embedding]
  test('is the same alone and among others, in any order and number', async () => {
    const embedder = await open(tiny());
    const texts = ['red', 'blue blue', '', 'red green blue', 'red', 'greenish'];
    const together = await embedder.embed(texts, 'passage');
    expect(together).toHaveLength(texts.length);
    for (const [at, text] of texts.entries()) expect(together[at]).toEqual(await embedOne(embedder, text));
    const many = await embedder.embed(
      Array.from({ length: 500 }, (_, i) => texts[i % texts.length] as string),
      'passage',
    );
    many.forEach((vector, i) => expect(vector).toEqual(together[i % texts.length]));
    expect(await embedder.embed([], 'query')).toEqual([]);
  });

  // [S0-query-prefix] [S4-prompts-both]
  test('has the model’s prompt before questions and passages', async () => {
    const prompts = { query: 'red: ', document: 'blue: ' };
    const embedder = await open(tiny({ files: { 'config_sentence_transformers.json': { prompts } } }));
    expect(rounded(await embedOne(embedder, 'green', 'query'))).toEqual(
      rounded(unit(mean(['[CLS]', 'red', ':', 'green', '[SEP]']))),
    );
    expect(rounded(await embedOne(embedder, 'green', 'passage'))).toEqual(
      rounded(unit(mean(['[CLS]', 'blue', ':', 'green', '[SEP]']))),
    );
    // The prompt takes two of the twelve tokens that the model reads.
    expect(embedder.maxTokens).toBe(10);
  });

  // [S1-chunk-size] [S4-chunk-tokens]
  test('of a longer text is the mean of its windows, by their tokens: nothing is cut', async () => {
    const embedder = await open(tiny());
    const words = ['red', 'red', 'red', 'red', 'red', 'red', 'red', 'red', 'green', 'green', 'blue', 'blue', 'blue'];
    const window = (from: number, to: number): readonly number[] =>
      unit(mean(['[CLS]', ...words.slice(from, to), '[SEP]']));
    // Ten words a window, the last two again in the next: 0–10 and 8–13.
    const [first, second] = [window(0, 10), window(8, 13)];
    const expected = unit(first.map((value, i) => 12 * value + 7 * (second[i] as number)));
    expect(rounded(await embedOne(embedder, words.join(' ')))).toEqual(rounded(expected));
  });

  test('of nomic’s model can be shortened, levelled before', async () => {
    const folder = tiny({ files: { 'config.json': { hidden_size: 768 } } }, 'nomic-embed-text-v1.5');
    expect((await open(folder)).dimensions).toBe(768);
    expect((await open(folder, { dimensions: 256 })).dimensions).toBe(256);
    expect((await open(folder)).model).not.toBe((await open(folder, { dimensions: 256 })).model);
    expect(await failure(folder, { dimensions: 32 })).toMatchObject({
      code: 'setting-invalid',
      message: expect.stringContaining('64 to 768'),
    });
    expect(await failure(tiny(), { dimensions: 2 })).toMatchObject({ code: 'setting-invalid' });
  });
});

describe('a model', () => {
  test('is named after its files: another tokenizer or another use is another model', async () => {
    const one = tiny({}, 'a/the-model');
    const names = await Promise.all(
      [
        one,
        tiny({}, 'b/the-model'),
        tiny({ files: { '1_Pooling/config.json': { pooling_mode_cls_token: true } } }, 'c/the-model'),
        tiny({ output: 'token_embeddings' }, 'd/the-model'),
      ].map(async (folder) => (await open(folder)).model),
    );
    expect(names[0]).toMatch(/^the-model@[0-9a-f]{12}$/u);
    expect(names[1]).toBe(names[0]);
    expect(new Set(names).size).toBe(3);
  });

  // [S0-loading-told]
  test('comes from the hub, by a name that stands for it there', async () => {
    const server = await startHub('Xenova/all-MiniLM-L6-v2', { files: tinyFiles() });
    const files: string[] = [];
    try {
      const options = {
        hubUrl: server.url,
        modelsFolder: join(root, 'cache'),
        onProgress: ({ file }: { file: string }) => files.push(file),
      };
      const embedder = await open('minilm', options);
      expect(embedder).toMatchObject({
        maxTokens: 256,
        dimensions: 384,
        model: expect.stringMatching(/^all-MiniLM-L6-v2@/u),
      });
      expect(files).toContain('onnx/model.onnx');
    } finally {
      await server.close();
    }
  });

  // [S0-lazy-loading] [S2-future-eager] [S2-first-query-latency]
  test('is loaded with the first text, or when it is warmed', async () => {
    const folder = tiny({ files: { 'onnx/model.onnx': Buffer.from('broken') } });
    const embedder = await open(folder);
    expect(embedder.countTokens('red greenish')).toBe(3);
    await expect(embedder.warm?.()).rejects.toMatchObject({
      code: 'driver-unavailable',
      message: expect.stringContaining(folder),
    });
    await expect(embedder.embed(['red'], 'query')).rejects.toMatchObject({ code: 'driver-unavailable' });
  });

  test('without some of the inputs of BERT is not given them', async () => {
    const embedder = await open(tiny({ inputs: ['input_ids', 'attention_mask'] }));
    expect(rounded(await embedOne(embedder, 'red'))).toEqual(rounded(unit(mean(['[CLS]', 'red', '[SEP]']))));
  });

  test('stops when it is told to', async () => {
    const embedder = await open(tiny());
    await embedder.warm?.();
    const controller = new AbortController();
    const running = embedder.embed(
      Array.from({ length: 2000 }, () => 'red green blue'),
      'passage',
      { signal: controller.signal },
    );
    controller.abort();
    await expect(running).rejects.toMatchObject({ code: 'aborted' });
    expect(rounded(await embedOne(embedder, 'red'))).toEqual(rounded(unit(mean(['[CLS]', 'red', '[SEP]']))));
    await embedder.close?.();
    await expect(embedder.embed(['red'], 'query')).rejects.toMatchObject({ message: 'the model was closed' });
  });
});

describe('refused', () => {
  const invalid = (message: string): object => ({ code: 'setting-invalid', message: expect.stringContaining(message) });
  test.each([
    ['without pooling', { '1_Pooling/config.json': null }, '1_Pooling/config.json'],
    [
      'with two poolings',
      { '1_Pooling/config.json': { pooling_mode_mean_tokens: true, pooling_mode_max_tokens: true } },
      'mean_tokens and pooling_mode_max_tokens',
    ],
    [
      'with a pooling that is not known',
      { '1_Pooling/config.json': { pooling_mode_weightedmean_tokens: true } },
      'weightedmean',
    ],
    [
      'with a further layer',
      { 'modules.json': [{ path: '2_Dense', type: 'sentence_transformers.models.Dense' }] },
      '2_Dense',
    ],
    ['without a size', { 'config.json': { model_type: 'bert' } }, 'hidden_size'],
    [
      'without a limit',
      { 'config.json': { hidden_size: 4 }, 'tokenizer_config.json': { model_max_length: 1e30 } },
      'model_max_length',
    ],
  ])('an unknown model %s', async (_, files, message) => {
    expect(await failure(tiny({ files }))).toMatchObject(invalid(message));
  });

  test('names that are no model', async () => {
    expect(await failure('bge-smal')).toMatchObject({
      ...invalid('"bge-smal"'),
      hint: expect.stringContaining('did you mean bge-small?'),
    });
    expect(await failure('./nowhere')).toMatchObject(invalid('nowhere'));
    expect(await failure('minilm', { offline: true, modelsFolder: join(root, 'empty') })).toMatchObject({
      code: 'driver-unavailable',
      hint: expect.stringContaining(join(root, 'empty', 'Xenova', 'all-MiniLM-L6-v2')),
    });
  });

  test('models that are no encoders', async () => {
    for (const options of [{ inputs: ['input_ids', 'position_ids'] }, { output: 'logits' }]) {
      const embedder = await open(tiny(options));
      await expect(embedder.warm?.()).rejects.toMatchObject({
        code: 'driver-unavailable',
        message: expect.stringMatching(/position_ids|logits/u),
      });
    }
  });

  // [S0-embedding-device]
  test('devices that there are not', async () => {
    expect(await failure(tiny(), { device: 'npu' as 'cpu' })).toMatchObject(invalid('"npu"'));
    const cuda = await open(tiny(), { device: 'cuda' });
    await expect(cuda.warm?.()).rejects.toMatchObject({
      code: 'driver-unavailable',
      message: expect.stringContaining('"cuda"'),
    });
  });

  test('a machine without the packages: the command is named', async () => {
    expect(await failure(tiny(), { packagesFrom: [] })).toMatchObject({
      code: 'driver-missing',
      hint: expect.stringMatching(/^npm install --prefix .*onnxruntime-node@1\.17\.0 @huggingface\/tokenizers@/u),
    });
  });
});
