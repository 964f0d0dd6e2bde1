import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Embedder } from '../../src/core/contracts.ts';
import onnxEmbedder from '../../src/embedders/onnx/index.ts';
import { openModel } from '../../src/onnx/locate.ts';
import type { ModelFolder } from '../../src/onnx/model-folder.ts';
import { startHub } from './hub-server.ts';
import { bertFiles } from './make-model.ts';
import { PACKAGES } from './places.ts';
import { tinyFiles, writeFiles } from './tiny-model.ts';

const root = mkdtempSync(join(tmpdir(), 'footnote-convert-'));
const opened: Embedder[] = [];
afterAll(async () => {
  await Promise.all(opened.map((embedder) => embedder.close?.()));
  rmSync(root, { recursive: true, force: true });
});

let made = 0;
const folder = (files: ReadonlyMap<string, Uint8Array>, name = `bert-${made++}`): string =>
  writeFiles(join(root, name), files);
const open = (model: string, modelsFolder = join(root, 'models')): Promise<ModelFolder> =>
  openModel({ model, device: 'cpu', modelsFolder });
const failure = (opening: Promise<unknown>): Promise<unknown> =>
  opening.then(
    () => undefined,
    (error: unknown) => error,
  );
/** A whole file with another tensor table. */
const damaged = (change: (bytes: Buffer) => Uint8Array): ReadonlyMap<string, Uint8Array> =>
  new Map([
    ...bertFiles('BertModel'),
    ['model.safetensors', change(Buffer.from(bertFiles('BertModel').get('model.safetensors') ?? []))],
  ]);

describe('BERT without an ONNX file', () => {
  test('gives the vectors of the same weights in another program', async () => {
    const modelsFolder = join(root, 'models');
    const model = folder(bertFiles('BertModel'));
    const embedder = await onnxEmbedder({ model, device: 'cpu', packagesFrom: [PACKAGES], modelsFolder });
    opened.push(embedder);
    // numpy, in float64: mean of the vectors of "[CLS] red green [SEP]", of unit length.
    const expected = [-0.62654, -0.0031, 0.19757, -0.27555, 0.52697, -0.23949, 0.36959, 0.14432];
    const texts = ['red green', 'blue', 'red green', ''];
    const vectors = await embedder.embed(texts, 'passage');
    for (const at of [0, 2])
      expect([...(vectors[at] ?? [])]).toEqual(expected.map((value) => expect.closeTo(value, 4)));
  });

  test('is converted once, for every content of its own', async () => {
    const models = join(root, 'once');
    const first = await open(folder(bertFiles('BertModel'), 'x/the-model'), models);
    const made = statSync(first.weights).mtimeMs;
    const again = await open(folder(bertFiles('BertModel'), 'y/the-model'), models);
    const other = await open(folder(bertFiles('BertModel', {}, 'F16'), 'z/the-model'), models);
    expect(again.weights).toBe(first.weights);
    expect(statSync(again.weights).mtimeMs).toBe(made);
    expect(first.weightBytes).toBe(statSync(first.weights).size);
    expect(await other.fingerprint()).not.toBe(await first.fingerprint());
    expect(readdirSync(join(models, 'converted'))).toHaveLength(2);
  });

  test('whose ONNX file is there is not converted', async () => {
    const both = new Map([...bertFiles('BertModel'), ...tinyFiles()]);
    expect((await open(folder(both))).weights).toMatch(/onnx[\\/]model\.onnx$/u);
  });

  test('comes from the hub like any other model, if it can be converted', async () => {
    const other = { 'config.json': { model_type: 'roberta', architectures: ['RobertaModel'] } };
    for (const [files, converted] of [
      [bertFiles('BertForMaskedLM'), true],
      [bertFiles('BertModel', other), false],
    ] as const) {
      const server = await startHub('org/a-bert', { files });
      const modelsFolder = join(root, `hub-${converted}`);
      const opening = openModel({ model: 'org/a-bert', device: 'cpu', modelsFolder, hubUrl: server.url });
      if (converted) expect((await opening).weights).toContain(join(modelsFolder, 'converted'));
      else expect(await failure(opening)).toMatchObject({ code: 'setting-invalid' });
      expect(server.requests.some((path) => path.endsWith('model.safetensors'))).toBe(converted);
      await server.close();
    }
  });
});

describe('refused', () => {
  const config = JSON.parse(String(bertFiles('BertModel').get('config.json'))) as Record<string, unknown>;
  test.each([
    ['another kind', { model_type: 'roberta' }, '"roberta"'],
    ['another head', { architectures: ['BertForQuestionAnswering'] }, 'BertForQuestionAnswering'],
    ['another activation', { hidden_act: 'relu' }, 'hidden_act is "relu"'],
    ['relative positions', { position_embedding_type: 'relative_key' }, 'position_embedding_type'],
    ['no size', { hidden_size: null }, 'how large'],
  ])('%s', async (_, change, message) => {
    const files = bertFiles('BertModel', { 'config.json': { ...config, ...change } });
    expect(await failure(open(folder(files)))).toMatchObject({
      code: 'setting-invalid',
      message: expect.stringContaining(message),
      hint: expect.stringContaining('optimum-cli'),
    });
  });

  test.each([
    ['of a few bytes', () => Buffer.from('x'), 'ends within its header'],
    ['that ends within its header', (bytes: Buffer) => bytes.subarray(0, 200), 'ends within its header'],
    ['that lacks its end', (bytes: Buffer) => bytes.subarray(0, -8), 'is not whole'],
    ['that is something else', (bytes: Buffer) => bytes.fill('x', 8, 20), 'is not JSON'],
    [
      'of whole numbers',
      (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replaceAll('F32', 'I32'), 'latin1'),
      'I32',
    ],
    [
      'of another model',
      (bytes: Buffer) =>
        Buffer.from(
          bytes.toString('latin1').replace('layer.1.output.dense.bias', 'layer.9.output.dense.bias'),
          'latin1',
        ),
      'has no encoder.layer.1.output.dense.bias',
    ],
    [
      'of a place before the file',
      (bytes: Buffer) =>
        Buffer.from(
          bytes.toString('latin1').replace(/\[0,\d+\]/u, (places) => '[-1]'.padEnd(places.length)),
          'latin1',
        ),
      'is not whole',
    ],
  ])('weights %s', async (_, change, message) => {
    const model = folder(damaged(change));
    expect(await failure(open(model))).toMatchObject({
      code: 'setting-invalid',
      message: expect.stringMatching(new RegExp(`${join(model, 'model.safetensors')}.*${message}`, 'u')),
    });
  });

  test('a folder that cannot be written is told, with the setting', async () => {
    const file = join(folder(bertFiles('BertModel')), 'config.json');
    expect(await failure(open(folder(bertFiles('BertModel')), file))).toMatchObject({
      code: 'storage-failed',
      hint: expect.stringContaining('models.folder'),
    });
  });
});
