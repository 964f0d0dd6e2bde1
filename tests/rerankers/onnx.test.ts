import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Reranker } from '../../src/core/contracts.ts';
import onnxReranker from '../../src/rerankers/onnx/index.ts';
import type { OnnxRerankerOptions } from '../../src/rerankers/onnx/index.ts';
import { KNOWN_RERANKERS } from '../../src/rerankers/onnx/models.ts';
import { findModel, hubName } from '../../src/onnx/known-models.ts';
import { startHub } from '../onnx/hub-server.ts';
import { bertFiles, countingFiles } from '../onnx/make-model.ts';
import { PACKAGES } from '../onnx/places.ts';
import { tinyFiles, writeFiles } from '../onnx/tiny-model.ts';

const root = mkdtempSync(join(tmpdir(), 'footnote-reranker-'));
const opened: Reranker[] = [];
afterAll(async () => {
  await Promise.all(opened.map((reranker) => reranker.close?.()));
  rmSync(root, { recursive: true, force: true });
});

const open = async (model: string, options: Partial<OnnxRerankerOptions> = {}): Promise<Reranker> => {
  const modelsFolder = join(root, 'models');
  const reranker = await onnxReranker({
    model,
    device: 'cpu',
    threads: 2,
    packagesFrom: [PACKAGES],
    modelsFolder,
    ...options,
  });
  opened.push(reranker);
  return reranker;
};
let made = 0;
const folder = (files: ReadonlyMap<string, Uint8Array>): string => writeFiles(join(root, `tiny-${made++}`), files);
const counting = await open(folder(countingFiles()));
const failure = (opening: Promise<unknown>): Promise<unknown> =>
  opening.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('the order', () => {
  // The model counts pairs of equal words, one of the question and one of the passage.
  // [S0-cross-encoder-input] [S0-cross-encoder-score] [S2-rerank-pair]
  test('is by the model’s score of question and passage together', async () => {
    const texts = ['blue', 'green', 'red blue', 'red red green', ''];
    expect(await counting.rerank('red green', texts, { topK: 10 })).toEqual([
      { index: 3, score: 3 },
      { index: 1, score: 1 },
      { index: 2, score: 1 },
      { index: 0, score: 0 },
      { index: 4, score: 0 },
    ]);
    expect(await counting.rerank('red green', texts, { topK: 1 })).toEqual([{ index: 3, score: 3 }]);
    expect(await counting.rerank('red', [], { topK: 5 })).toEqual([]);
  });

  test('is the same for a passage alone and among many', async () => {
    const words = ['red', 'green', 'blue', ':'];
    const texts = Array.from({ length: 120 }, (_, i) =>
      Array.from({ length: i % 8 }, (_, j) => words[(i * 7 + j * j) % words.length]).join(' '),
    );
    const scores = await counting.rerank('red red :', texts, { topK: texts.length });
    expect(scores).toHaveLength(texts.length);
    for (const { index, score } of scores) {
      const count = (word: string): number => (texts[index] as string).split(' ').filter((one) => one === word).length;
      expect(score).toBe(2 * count('red') + count(':'));
    }
  });

  test('counts the best window of a passage that is longer than the model reads', async () => {
    // Twelve tokens: three marks, one of the question, eight of a window, two of them again in the next.
    const filler = 'blue blue blue blue blue blue blue blue blue blue';
    const texts = [`${filler} red`, 'red blue red', `red ${filler} red red red ${filler} red`, filler];
    expect(await counting.rerank('red', texts, { topK: 4 })).toEqual([
      { index: 2, score: 3 },
      { index: 1, score: 2 },
      { index: 0, score: 1 },
      { index: 3, score: 0 },
    ]);
  });

  test('is by the second of two logits, against the first', async () => {
    const reranker = await open(folder(countingFiles({}, 'no-and-yes')));
    expect(await reranker.rerank('red', ['green', 'red red', 'red'], { topK: 3 })).toEqual([
      { index: 1, score: 4 },
      { index: 2, score: 2 },
      { index: 0, score: 0 },
    ]);
  });

  test('is that of BERT with the same weights in another program', async () => {
    // Logits of numpy, in float64.
    const reranker = await open(folder(bertFiles('BertForSequenceClassification')));
    const [one] = await reranker.rerank('red green', ['blue'], { topK: 1 });
    const [other] = await reranker.rerank('blue', ['red green'], { topK: 1 });
    expect(one?.score).toBeCloseTo(-0.13339, 4);
    expect(other?.score).toBeCloseTo(-0.12754, 4);
  });
});

describe('a model', () => {
  test('is named after its files', async () => {
    const [one, same, other] = await Promise.all(
      [{ x: 'a' }, { x: 'b' }, { x: 'c', logits: 'no-and-yes' as const }].map(({ x, logits }) =>
        open(writeFiles(join(root, x, 'counter'), countingFiles({}, logits))),
      ),
    );
    expect(one?.model).toMatch(/^counter@[0-9a-f]{12}$/u);
    expect(same?.model).toBe(one?.model);
    expect(other?.model).not.toBe(one?.model);
  });

  test('that is not named is MiniLM of MS MARCO, from the hub', async () => {
    const server = await startHub('cross-encoder/ms-marco-MiniLM-L-6-v2', { files: countingFiles() });
    try {
      const reranker = await open('', { hubUrl: server.url });
      expect(reranker.model).toMatch(/^ms-marco-MiniLM-L-6-v2@/u);
      expect(await reranker.rerank('red', ['blue', 'red'], { topK: 1 })).toEqual([{ index: 1, score: 1 }]);
    } finally {
      await server.close();
    }
  });

  test('has several names', () => {
    const names = ['ms-marco-minilm', 'ms-marco-MiniLM-L-6-v2', 'BGE-reranker-base', 'ms-marco-minilm-l12'];
    expect(names.map((name) => hubName(KNOWN_RERANKERS, name, 'cross-encoder'))).toEqual([
      'cross-encoder/ms-marco-MiniLM-L-6-v2',
      'cross-encoder/ms-marco-MiniLM-L-6-v2',
      'BAAI/bge-reranker-base',
      'cross-encoder/ms-marco-MiniLM-L-12-v2',
    ]);
    for (const known of KNOWN_RERANKERS) expect(findModel(KNOWN_RERANKERS, known.hub)).toBe(known);
    expect(hubName(KNOWN_RERANKERS, 'Xenova/ms-marco-MiniLM-L-6-v2', 'cross-encoder')).toMatch(/^Xenova/u);
  });

  test('stops when it is told to, and answers the next question', async () => {
    const controller = new AbortController();
    const texts = Array.from({ length: 2000 }, () => 'red green blue');
    const running = counting.rerank('red', texts, { topK: 5, signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    await expect(running).rejects.toMatchObject({ code: 'aborted' });
    expect(await counting.rerank('red', ['red'], { topK: 5 })).toEqual([{ index: 0, score: 1 }]);
  });
});

describe('refused', () => {
  const invalid = (message: string): object => ({ code: 'setting-invalid', message: expect.stringContaining(message) });

  test('a question that leaves no room for passages', async () => {
    expect(await failure(counting.rerank('red red red red red red red', ['red'], { topK: 1 }))).toMatchObject(
      invalid('7 tokens'),
    );
  });

  test('a model that gives more labels than relevant or not', async () => {
    expect(await failure(open(folder(countingFiles({}, 'three'))))).toMatchObject(invalid('3 labels'));
    const undeclared = { 'config.json': { model_type: 'bert', max_position_embeddings: 16 } };
    const reranker = await open(folder(countingFiles(undeclared, 'three')));
    expect(await failure(reranker.rerank('red', ['red'], { topK: 1 }))).toMatchObject({
      code: 'driver-unavailable',
      message: expect.stringContaining('3 numbers for a pair'),
    });
  });

  test('an embedding model', async () => {
    const reranker = await open(folder(tinyFiles()));
    expect(await failure(reranker.rerank('red', ['red'], { topK: 1 }))).toMatchObject({
      code: 'driver-unavailable',
      message: expect.stringContaining('last_hidden_state, and not logits'),
    });
  });

  test('names that are no model, and a model that is not here', async () => {
    expect(await failure(open('ms-marco-minilmm'))).toMatchObject({
      ...invalid('no cross-encoder "ms-marco-minilmm"'),
      hint: expect.stringContaining('did you mean ms-marco-minilm?'),
    });
    expect(await failure(open('', { offline: true, modelsFolder: join(root, 'empty') }))).toMatchObject({
      code: 'driver-unavailable',
      hint: expect.stringContaining(join(root, 'empty', 'cross-encoder', 'ms-marco-MiniLM-L-6-v2')),
    });
  });

  test('a machine without the packages: the command is named, and nothing is downloaded', async () => {
    const server = await startHub('cross-encoder/ms-marco-MiniLM-L-6-v2', { files: countingFiles() });
    const options = { hubUrl: server.url, packagesFrom: [], modelsFolder: join(root, 'unused') };
    expect(await failure(open('', options))).toMatchObject({
      code: 'driver-missing',
      hint: expect.stringMatching(/^npm install .*onnxruntime-node/u),
    });
    expect(server.requests).toEqual([]);
    await server.close();
  });
});
