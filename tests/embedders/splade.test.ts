import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import type { SparseEmbedder } from '../../src/core/contracts.ts';
import type { SparseVector } from '../../src/core/types.ts';
import spladeEmbedder from '../../src/embedders/splade.ts';
import type { SpladeOptions } from '../../src/embedders/splade.ts';
import { bertFiles, countingFiles, lookupFiles } from '../onnx/make-model.ts';
import { hasModel, PACKAGES, sharedModel } from '../onnx/places.ts';
import { tinyFiles, VOCABULARY, writeFiles } from '../onnx/tiny-model.ts';

const root = mkdtempSync(join(tmpdir(), 'footnote-splade-'));
const opened: SparseEmbedder[] = [];
afterAll(async () => {
  await Promise.all(opened.map((embedder) => embedder.close?.()));
  rmSync(root, { recursive: true, force: true });
});

const open = async (model: string, options: Partial<SpladeOptions> = {}): Promise<SparseEmbedder> => {
  const modelsFolder = join(root, 'models');
  const all = { model, device: 'cpu', threads: 2, packagesFrom: [PACKAGES], modelsFolder, ...options } as const;
  const embedder = await spladeEmbedder(all);
  opened.push(embedder);
  return embedder;
};
let made = 0;
const folder = (files: ReadonlyMap<string, Uint8Array>): string => writeFiles(join(root, `tiny-${made++}`), files);
const embedOne = async (embedder: SparseEmbedder, text: string): Promise<SparseVector> =>
  (await embedder.embed([text], 'passage'))[0] as SparseVector;
const weightsOf = ({ indices, values }: SparseVector): Record<number, number> =>
  Object.fromEntries([...indices].map((index, i) => [index, values[i] as number]));

/** Five words; one row a token of the vocabulary, [PAD] first: padding and [UNK] would be seen. */
const TABLE = [
  [9, 9, 9, 9, 9],
  [8, 8, 8, 8, 8],
  [0, 0, 0, 0, 0.5],
  [0, 0, 0, 0, 0.25],
  [2, -1, 0, 0, 0],
  [1, 3, 0, 0, 0],
  [0, 0, -4, 7, 0],
  [0, 0, 0, 0, 0],
  [0, 0, 0, 0, 0],
];
const logs = (logits: Readonly<Record<number, number>>): Record<number, unknown> =>
  Object.fromEntries(Object.entries(logits).map(([index, logit]) => [index, expect.closeTo(Math.log(1 + logit), 5)]));

describe('weights', () => {
  // [S0-future-splade]
  test('are log(1 + relu) of the largest logit over the tokens, marks included', async () => {
    const embedder = await open(folder(lookupFiles(TABLE)));
    const found = await embedOne(embedder, 'red green');
    expect([...found.indices]).toEqual([0, 1, 4]);
    expect(weightsOf(found)).toEqual(logs({ 0: 2, 1: 3, 4: 0.5 }));
    expect(weightsOf(await embedOne(embedder, ''))).toEqual(logs({ 4: 0.5 }));
    const otherwiseNamed = await open(folder(lookupFiles(TABLE, {}, 'output')));
    expect(await embedOne(otherwiseNamed, 'red green')).toEqual(found);
  });

  test('are the same alone and among others, of questions and of passages', async () => {
    const embedder = await open(folder(lookupFiles(TABLE)));
    const texts = ['red', 'blue blue blue', 'green red', '', 'red'];
    const together = await embedder.embed(texts, 'query');
    expect(together).toHaveLength(5);
    for (const [at, text] of texts.entries()) expect(together[at]).toEqual(await embedOne(embedder, text));
    expect(await embedder.embed([], 'query')).toEqual([]);
  });

  test('of a text longer than the model reads are the largest of its windows', async () => {
    const embedder = await open(folder(lookupFiles(TABLE)));
    expect(embedder.maxTokens).toBe(12);
    const found = await embedOne(embedder, `red ${'green '.repeat(20)} blue`);
    expect(weightsOf(found)).toEqual(logs({ 0: 2, 1: 3, 3: 7, 4: 0.5 }));
  });

  test('are the 256 largest, by ascending index', async () => {
    // Weights that rise and fall: the largest are in the middle.
    const row = Array.from({ length: 600 }, (_, i) => 300 - Math.abs(300 - i));
    const embedder = await open(folder(lookupFiles(VOCABULARY.map(() => row))));
    const { indices, values } = await embedOne(embedder, 'red');
    expect([...indices]).toEqual(Array.from({ length: 256 }, (_, i) => 300 - 128 + i));
    expect(values[128]).toBeCloseTo(Math.log(301), 4);
  });

  test('are those of BERT with the same weights in another program', async () => {
    // numpy, in float64: log(1 + relu) of the largest logits of "[CLS] red green [SEP]".
    const expected = { 1: 0.44296, 3: 0.92506, 7: 0.36678, 8: 0.74563 };
    const close = (digits: number): object =>
      Object.fromEntries(Object.entries(expected).map(([index, value]) => [index, expect.closeTo(value, digits)]));
    const exact = await open(folder(bertFiles('BertForMaskedLM')));
    expect(weightsOf(await embedOne(exact, 'red green'))).toEqual(close(4));
    for (const type of ['F16', 'BF16'] as const) {
      const shorter = await open(folder(bertFiles('BertForMaskedLM', {}, type)));
      expect(weightsOf(await embedOne(shorter, 'red green'))).toEqual(close(1));
    }
  });
});

interface Reference {
  readonly text: string;
  /** Words with a weight above 0. */
  readonly words: number;
  readonly sum: number;
  readonly top: readonly (readonly [string, number])[];
}

/** BERT and SPLADE written out in numpy (float64); tokens by the Python package `tokenizers` 0.23. */
const references = JSON.parse(
  readFileSync(fileURLToPath(new URL('splade-reference.json', import.meta.url)), 'utf8'),
) as readonly Reference[];

describe.skipIf(!hasModel('splade-tiny'))('splade-tiny (needs shared/models/splade-tiny)', () => {
  test('gives the words and weights of the reference', async () => {
    const model = sharedModel('splade-tiny');
    const vocabulary = JSON.parse(readFileSync(join(model, 'tokenizer.json'), 'utf8')) as {
      readonly model: { readonly vocab: Readonly<Record<string, number>> };
    };
    const words = new Map(Object.entries(vocabulary.model.vocab).map(([word, index]) => [index, word]));
    const embedder = await open(model);
    expect(embedder).toMatchObject({ maxTokens: 512, model: expect.stringMatching(/^splade-tiny@[0-9a-f]{12}$/u) });
    const found = await embedder.embed(
      references.map(({ text }) => text),
      'passage',
    );
    for (const [at, reference] of references.entries()) {
      const { indices, values } = found[at] as SparseVector;
      expect(indices).toHaveLength(reference.words);
      expect(values.reduce((sum, value) => sum + value, 0)).toBeCloseTo(reference.sum, 2);
      const order = [...values.keys()].sort((a, b) => (values[b] as number) - (values[a] as number));
      const top = order.slice(0, reference.top.length).map((i) => [words.get(indices[i] as number), values[i]]);
      expect(top).toEqual(reference.top.map(([word, weight]) => [word, expect.closeTo(weight, 3)]));
    }
  }, 20_000);
});

describe('a model', () => {
  test('stops when it is told to', async () => {
    const embedder = await open(folder(lookupFiles(TABLE)));
    await embedOne(embedder, 'red');
    const controller = new AbortController();
    const running = embedder.embed(
      Array.from({ length: 2000 }, () => 'red green blue'),
      'passage',
      controller,
    );
    controller.abort();
    await expect(running).rejects.toMatchObject({ code: 'aborted' });
    expect(weightsOf(await embedOne(embedder, 'red'))).toEqual(logs({ 0: 2, 4: 0.5 }));
  });

  test('that gives something else is refused', async () => {
    const failing = async (files: ReadonlyMap<string, Uint8Array>): Promise<unknown> =>
      (await open(folder(files))).embed(['red'], 'query').catch((error: unknown) => error);
    expect(await failing(tinyFiles())).toMatchObject({
      code: 'driver-unavailable',
      message: expect.stringContaining('4 numbers a token'),
    });
    expect(await failing(countingFiles())).toMatchObject({ code: 'driver-unavailable' });
    const config = { model_type: 'bert', max_position_embeddings: 16, vocab_size: 30522 };
    expect(await failing(lookupFiles(TABLE, { 'config.json': config }))).toMatchObject({
      code: 'driver-unavailable',
      message: expect.stringContaining('5 numbers a token'),
    });
  });

  test('without the packages: the command is named', async () => {
    const error = await open(folder(lookupFiles(TABLE)), { packagesFrom: [] }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'driver-missing', hint: expect.stringContaining('npm install') });
  });
});
