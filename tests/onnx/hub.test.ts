import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { defaultModelsFolder, isHubId } from '../../src/onnx/hub.ts';
import type { DownloadProgress } from '../../src/onnx/hub.ts';
import { openModel } from '../../src/onnx/locate.ts';
import type { ModelLocation } from '../../src/onnx/locate.ts';
import { COMMIT, startHub } from './hub-server.ts';
import type { HubBehaviour, HubServer } from './hub-server.ts';
import { tinyFiles, writeTinyModel } from './tiny-model.ts';

const ID = 'org/tiny-model';
const root = mkdtempSync(join(tmpdir(), 'footnote-hub-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const servers: HubServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));
const hub = async (behaviour: Partial<HubBehaviour> = {}): Promise<HubServer> => {
  const server = await startHub(ID, { files: tinyFiles(), ...behaviour });
  servers.push(server);
  return server;
};
const emptyFolder = (): string => mkdtempSync(join(root, 'models-'));
const failure = (location: Omit<ModelLocation, 'device'>): Promise<unknown> =>
  openModel({ device: 'cpu', ...location }).then(
    () => undefined,
    (error: unknown) => error,
  );
const leftovers = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.part'));

describe('a model of the hub', () => {
  test('is downloaded once, whole and of one commit, with progress', async () => {
    const [server, modelsFolder] = [await hub(), emptyFolder()];
    const progress: DownloadProgress[] = [];
    const location = {
      model: ID,
      device: 'cpu',
      modelsFolder,
      hubUrl: server.url,
      onProgress: (one: DownloadProgress) => progress.push(one),
    } as const;
    const model = await openModel(location);
    expect(model.path).toBe(join(modelsFolder, 'org', 'tiny-model'));
    for (const [name, bytes] of tinyFiles()) expect(readFileSync(join(model.path, name))).toEqual(Buffer.from(bytes));

    const asked = server.requests.filter((path) => path.startsWith(`/${ID}`));
    expect(asked[0]).toBe(`/${ID}/resolve/main/config.json`);
    expect(asked.slice(1).every((path) => path.startsWith(`/${ID}/resolve/${COMMIT}/`))).toBe(true);
    const { length } = readFileSync(model.weights);
    expect(progress.filter(({ file }) => file === 'onnx/model.onnx').at(-1)).toEqual({
      model: ID,
      file: 'onnx/model.onnx',
      receivedBytes: length,
      totalBytes: length,
    });

    const before = server.requests.length;
    expect(await (await openModel(location)).fingerprint()).toBe(await model.fingerprint());
    expect(server.requests.length).toBe(before);
    await server.close();
    expect((await openModel({ ...location, offline: true })).weights).toBe(model.weights);
  });

  test('is int8 where there is such a file, unless float32 was asked for', async () => {
    const files = new Map([...tinyFiles(), ['onnx/model_quantized.onnx', Buffer.from('int8')]]);
    const [server, modelsFolder] = [await hub({ files }), emptyFolder()];
    const location = { model: ID, device: 'cpu', modelsFolder, hubUrl: server.url } as const;
    expect((await openModel(location)).weights).toMatch(/model_quantized\.onnx$/u);
    expect(server.requests.some((path) => path.endsWith('onnx/model.onnx'))).toBe(false);
    expect((await openModel({ ...location, precision: 'float32' })).weights).toMatch(/onnx.model\.onnx$/u);
    expect((await openModel({ ...location, offline: true })).weights).toMatch(/model_quantized\.onnx$/u);
    expect((await openModel({ ...location, device: 'cuda', offline: true })).weights).toMatch(/onnx.model\.onnx$/u);
  });

  test('comes whole although the connection breaks, going on where it broke', async () => {
    const [server, modelsFolder] = [await hub({ breaks: 2 }), emptyFolder()];
    const model = await openModel({ model: ID, device: 'cpu', modelsFolder, hubUrl: server.url });
    expect(readFileSync(model.weights)).toEqual(Buffer.from(tinyFiles().get('onnx/model.onnx') ?? []));
    const starts = server.requests.filter((path) => path.startsWith('→')).map((path) => Number(path.split(' ').at(-1)));
    expect(starts).toHaveLength(3);
    expect(starts[1]).toBeGreaterThan(0);
    expect(leftovers(model.path)).toEqual([]);
  });

  test('put there by hand is used without a connection', async () => {
    const modelsFolder = emptyFolder();
    const path = writeTinyModel(join(modelsFolder, ...ID.split('/')));
    expect((await openModel({ model: ID, device: 'cpu', modelsFolder, offline: true })).path).toBe(path);
  });
});

describe('refused', () => {
  test.each([['onnx/model.onnx'], ['tokenizer.json']])(
    '%s with another checksum than stated, and nothing is kept of it',
    async (damaged) => {
      const [server, modelsFolder] = [await hub({ damaged }), emptyFolder()];
      expect(await failure({ model: ID, modelsFolder, hubUrl: server.url })).toMatchObject({
        code: 'driver-unavailable',
        message: expect.stringMatching(new RegExp(`${damaged} is not what the hub describes`, 'u')),
      });
      const folder = join(modelsFolder, ...ID.split('/'));
      expect(existsSync(join(folder, damaged))).toBe(false);
      expect(leftovers(folder)).toEqual([]);
    },
  );

  test('a file that changed after the download', async () => {
    const [server, modelsFolder] = [await hub(), emptyFolder()];
    const { weights, path } = await openModel({ model: ID, device: 'cpu', modelsFolder, hubUrl: server.url });
    writeFileSync(weights, Buffer.alloc(readFileSync(weights).length));
    expect(await failure({ model: ID, modelsFolder, hubUrl: server.url })).toMatchObject({
      code: 'driver-unavailable',
      message: `${weights} is not the file that was downloaded`,
      hint: `remove the folder ${path}, so that the model is downloaded again`,
    });
  });

  test('a model that the hub does not have, or that has no ONNX file', async () => {
    const modelsFolder = emptyFolder();
    const unknown = { model: 'org/unknown', modelsFolder, hubUrl: (await hub()).url };
    expect(await failure(unknown)).toMatchObject({
      code: 'setting-invalid',
      message: expect.stringContaining('"org/unknown"'),
    });
    const closed = { model: ID, modelsFolder, hubUrl: (await hub({ status: 401 })).url };
    expect(await failure(closed)).toMatchObject({ code: 'setting-invalid', hint: expect.stringContaining('login') });
    const files = tinyFiles({ files: { 'onnx/model.onnx': null } });
    const bare = { model: ID, modelsFolder, hubUrl: (await hub({ files })).url };
    expect(await failure(bare)).toMatchObject({
      code: 'setting-invalid',
      message: expect.stringContaining('onnx/model.onnx'),
    });
  });

  test('without a connection: the error names the folder and the files', async () => {
    const modelsFolder = emptyFolder();
    const expected = {
      code: 'driver-unavailable',
      hint: `put config.json, tokenizer.json, tokenizer_config.json, onnx/model_quantized.onnx into ${join(modelsFolder, 'org', 'tiny-model')}, or name a folder that holds them as the model`,
    };
    const server = await hub();
    await server.close();
    expect(await failure({ model: ID, modelsFolder, hubUrl: server.url })).toMatchObject({
      ...expected,
      message: expect.stringContaining('cannot be reached (ECONNREFUSED)'),
      retryable: true,
    });
    const never: typeof fetch = () => Promise.reject(new Error('connected although offline'));
    expect(await failure({ model: ID, modelsFolder, offline: true, fetch: never })).toMatchObject({
      ...expected,
      message: `the model "${ID}" is not on this machine, and downloads are switched off`,
    });
  });

  test('what cannot be written, and names that are no folder and no model', async () => {
    const file = join(root, 'a-file');
    writeFileSync(file, '');
    expect(await failure({ model: ID, modelsFolder: file, hubUrl: (await hub()).url })).toMatchObject({
      code: 'storage-failed',
    });
    expect(await failure({ model: './no/such/folder' })).toMatchObject({
      code: 'setting-invalid',
      message: expect.stringContaining('no/such/folder'),
    });
    for (const odd of ['../up', 'a/../b', 'a/b/c', '/etc', 'a b/c', './a', 'org/..']) expect(isHubId(odd)).toBe(false);
    expect(isHubId('BAAI/bge-small-en-v1.5')).toBe(true);
  });

  test('an abort ends the download', async () => {
    const [server, modelsFolder] = [await hub({ stalls: true }), emptyFolder()];
    const controller = new AbortController();
    const onProgress = ({ receivedBytes, file }: DownloadProgress): void => {
      if (file.endsWith('.onnx') && receivedBytes > 0) controller.abort();
    };
    expect(
      await failure({ model: ID, modelsFolder, hubUrl: server.url, onProgress, signal: controller.signal }),
    ).toMatchObject({ code: 'aborted' });
    expect(leftovers(modelsFolder)).toEqual([]);
  });
});

describe('a folder', () => {
  test('that lacks a file is refused by the file', async () => {
    const folder = writeTinyModel(join(root, 'incomplete'), {
      files: { 'tokenizer.json': null, 'onnx/model.onnx': null },
    });
    expect(await failure({ model: folder })).toMatchObject({
      code: 'setting-invalid',
      message: expect.stringMatching(/no tokenizer\.json, no onnx\/model_quantized\.onnx or /u),
    });
  });

  test('with a file that is not JSON is refused', async () => {
    const folder = writeTinyModel(join(root, 'no-json'), { files: { 'config.json': Buffer.from('{') } });
    expect(await failure({ model: folder })).toMatchObject({
      code: 'setting-invalid',
      message: `${join(folder, 'config.json')} is not JSON`,
    });
  });
});

test('models are kept in the user’s cache folder', () => {
  expect(defaultModelsFolder({ XDG_CACHE_HOME: '/var/cache/me' })).toBe(join('/var/cache/me', 'footnote', 'models'));
  for (const environment of [{}, { XDG_CACHE_HOME: 'relative' }]) {
    expect(defaultModelsFolder(environment)).toBe(join(homedir(), '.cache', 'footnote', 'models'));
  }
});
