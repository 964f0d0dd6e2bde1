import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { installCommand } from '../../src/onnx/packages.ts';
import { openSession, processPlan } from '../../src/onnx/session.ts';
import type { OnnxSession, OnnxSessionOptions, Pooling, RunOptions, Tensor, Tensors } from '../../src/onnx/session.ts';
import { PACKAGES } from './places.ts';
import { TABLE, writeTinyModel } from './tiny-model.ts';

// What the user has installed does not count here.
process.env['XDG_DATA_HOME'] = join(tmpdir(), 'there-is-no-such-folder');
const root = mkdtempSync(join(tmpdir(), 'footnote-session-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const weights = join(writeTinyModel(join(root, 'tiny')), 'onnx/model.onnx');

const opened: OnnxSession[] = [];
const open = (options: Partial<OnnxSessionOptions> = {}): OnnxSession => {
  const session = openSession({
    weights,
    weightBytes: 1000,
    device: 'cpu',
    threads: 2,
    packagesFrom: [PACKAGES],
    ...options,
  });
  opened.push(session);
  return session;
};
afterEach(() => Promise.all(opened.splice(0).map((session) => session.close())));

const feeds = (ids: readonly number[]): Tensors => {
  const tensor = (values: readonly number[]): Tensors[string] => ({
    type: 'int64',
    dims: [1, ids.length],
    data: BigInt64Array.from(values, BigInt),
  });
  return { input_ids: tensor(ids), attention_mask: tensor(ids.map(() => 1)), token_type_ids: tensor(ids.map(() => 0)) };
};
const OUTPUT = 'last_hidden_state';
const runOne = async (session: OnnxSession, input: Tensors, options?: RunOptions): Promise<Tensor> =>
  (await session.run([input], OUTPUT, options))[0] as Tensor;

describe('a session', () => {
  test('tells what the model takes and gives, and runs it', async () => {
    const session = open();
    expect(await session.signature()).toMatchObject({
      inputNames: ['input_ids', 'attention_mask', 'token_type_ids'],
      outputNames: [OUTPUT],
    });
    const output = await runOne(session, feeds([4, 6]));
    expect(output.dims).toEqual([1, 2, 4]);
    expect([...output.data]).toEqual([...(TABLE[4] ?? []), ...(TABLE[6] ?? [])]);
  });

  test('answers many runs at once, each with its own result', async () => {
    const session = open({ threads: 3 });
    const ids = Array.from({ length: 200 }, (_, i) => i % TABLE.length);
    const outputs = await Promise.all(ids.map((id) => runOne(session, feeds([id]))));
    expect(outputs.map(({ data }) => [...data])).toEqual(ids.map((id) => TABLE[id]));
  });

  test('answers several inputs of a call in their order', async () => {
    const session = open({ threads: 1 });
    const outputs = await session.run(
      [4, 6, 5].map((id) => feeds([id, id])),
      OUTPUT,
    );
    expect(outputs.map(({ dims }) => dims)).toEqual([4, 6, 5].map(() => [1, 2, 4]));
    expect(outputs.map(({ data }) => [...data].slice(0, 4))).toEqual([TABLE[4], TABLE[6], TABLE[5]]);
    expect(await session.run([], OUTPUT)).toEqual([]);
  });

  test('pools token vectors, without the padding', async () => {
    const session = open();
    const tensor = (rows: readonly (readonly number[])[]): Tensors[string] => ({
      type: 'int64',
      dims: [2, 3],
      data: BigInt64Array.from(rows.flat(), BigInt),
    });
    const two = (): Tensors => ({
      input_ids: tensor([
        [4, 5, 6],
        [7, 0, 0],
      ]),
      attention_mask: tensor([
        [1, 1, 1],
        [1, 0, 0],
      ]),
      token_type_ids: tensor([
        [0, 0, 0],
        [0, 0, 0],
      ]),
    });
    const values = async (pooling: Pooling): Promise<readonly number[]> => {
      const { dims, data } = await runOne(session, two(), { pooling });
      expect(dims).toEqual([2, 4]);
      return [...data].map((value) => Number(Number(value).toFixed(5)));
    };
    expect(await values('mean')).toEqual([1, 1.66667, 4, 9, ...(TABLE[7] ?? [])]);
    expect(await values('cls')).toEqual([...(TABLE[4] ?? []), ...(TABLE[7] ?? [])]);
    expect(await values('last')).toEqual([...(TABLE[6] ?? []), ...(TABLE[7] ?? [])]);
    const { attention_mask: _, ...unmasked } = two();
    await expect(runOne(session, unmasked, { pooling: 'mean' })).rejects.toMatchObject({
      code: 'driver-unavailable',
    });
  });

  test('goes on after a run that failed', async () => {
    const session = open({ threads: 1 });
    const { input_ids: _, ...incomplete } = feeds([4]);
    const failing = runOne(session, incomplete);
    const following = runOne(session, feeds([4]));
    await expect(failing).rejects.toMatchObject({
      code: 'driver-unavailable',
      message: expect.stringContaining('input_ids'),
    });
    await expect(runOne(session, feeds([99]))).rejects.toMatchObject({ code: 'driver-unavailable' });
    expect((await following).dims).toEqual([1, 1, 4]);
  });

  test('closed: what waits is refused, and so is what comes', async () => {
    const session = open();
    const waiting = runOne(session, feeds([4]));
    const refused = expect(waiting).rejects.toMatchObject({ code: 'aborted' });
    await session.close();
    await refused;
    await expect(runOne(session, feeds([4]))).rejects.toMatchObject({ message: 'the model was closed' });
    await session.close();
  });
});

describe('a process of the model that dies', () => {
  test.skipIf(process.platform !== 'linux')('is an error of its own run, and the next run has another', async () => {
    const before = children();
    const session = open({ threads: 1 });
    await session.signature();
    const [child] = children().filter((pid) => !before.includes(pid));
    if (child === undefined) throw new Error('no process was started');
    // Stopped, so that the run is certainly under way when it dies.
    process.kill(child, 'SIGSTOP');
    const run = runOne(session, feeds([4]));
    const failed = expect(run).rejects.toMatchObject({
      code: 'driver-unavailable',
      message: 'a process of the model ended (SIGKILL)',
    });
    process.kill(child, 'SIGKILL');
    await failed;
    expect([...(await runOne(session, feeds([5]))).data]).toEqual(TABLE[5]);
  });
});

/** Of this process, on Linux. */
function children(): readonly number[] {
  const path = `/proc/${process.pid}/task/${process.pid}/children`;
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split(' ').filter(Boolean).map(Number) : [];
}

describe('an abort', () => {
  test.skipIf(process.platform !== 'linux')('ends a run that is under way together with its process', async () => {
    const before = children();
    const session = open({ threads: 1 });
    await session.signature();
    const [child] = children().filter((pid) => !before.includes(pid));
    if (child === undefined) throw new Error('no process was started');
    process.kill(child, 'SIGSTOP');
    const controller = new AbortController();
    const runs = Array.from({ length: 20 }, () => runOne(session, feeds([4]), controller));
    controller.abort();
    for (const { status } of await Promise.allSettled(runs)) expect(status).toBe('rejected');
    await expect.poll(() => children().includes(child)).toBe(false);
    expect(children().filter((pid) => !before.includes(pid))).toEqual([]);
    expect([...(await runOne(session, feeds([5]))).data]).toEqual(TABLE[5]);
  });

  test('ends the run that it is for, at once, and no other', async () => {
    const session = open({ threads: 1 });
    const controller = new AbortController();
    const [first, second] = [runOne(session, feeds([4]), controller), runOne(session, feeds([5]))];
    const stopped = expect(first).rejects.toMatchObject({ code: 'aborted', cause: 'enough' });
    controller.abort('enough');
    await stopped;
    expect([...(await second).data]).toEqual(TABLE[5]);
    await expect(runOne(session, feeds([4]), controller)).rejects.toMatchObject({ code: 'aborted' });
    await expect(open().signature(controller)).rejects.toMatchObject({ code: 'aborted' });
  });
});

describe('what cannot start', () => {
  test('names the file that is no model', async () => {
    const broken = join(root, 'broken.onnx');
    writeFileSync(broken, 'no protobuf');
    const session = open({ weights: broken });
    const runs = [session.signature(), runOne(session, feeds([4])), runOne(session, feeds([4]))];
    for (const { status, reason } of (await Promise.allSettled(runs)) as PromiseRejectedResult[]) {
      expect(status).toBe('rejected');
      expect(reason).toMatchObject({ code: 'driver-unavailable', message: expect.stringContaining(broken) });
    }
  });

  test.each(['cuda', 'webgpu'] as const)(
    'the device %s, which this runtime does not have, is an error and not the processor',
    async (device) => {
      const error = await open({ device })
        .signature()
        .catch((caught: unknown) => caught);
      expect(error).toMatchObject({
        code: 'driver-unavailable',
        message: expect.stringContaining(`"${device}"`),
        hint: expect.stringContaining('cpu'),
      });
    },
  );

  test('without the package is the command that installs it', async () => {
    const error = await runOne(open({ packagesFrom: [] }), feeds([4])).catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      code: 'driver-missing',
      hint: installCommand(),
    });
  });
});

describe('processes', () => {
  const machine = { processors: 8, memoryBytes: 16e9 };
  test.each([
    ['a small model: one a processor', { threads: 0, weightBytes: 23e6 }, { processes: 8, threadsEach: 1 }],
    ['as many as were set', { threads: 3, weightBytes: 23e6 }, { processes: 3, threadsEach: 1 }],
    [
      'a large model: as many as fit into a quarter of the memory, with more threads each',
      { threads: 0, weightBytes: 700e6 },
      { processes: 2, threadsEach: 4 },
    ],
    ['a model larger than that: one', { threads: 0, weightBytes: 9e9 }, { processes: 1, threadsEach: 8 }],
    ['many processors', { threads: 96, weightBytes: 1e6 }, { processes: 16, threadsEach: 6 }],
  ])('%s', (_, options, plan) => {
    expect(processPlan({ device: 'cpu', ...options }, machine)).toEqual(plan);
  });

  test('a graphics processor has one', () => {
    expect(processPlan({ device: 'cuda', threads: 0, weightBytes: 23e6 }, machine)).toEqual({
      processes: 1,
      threadsEach: 1,
    });
  });
});

const built = fileURLToPath(new URL('../../dist/onnx/session.js', import.meta.url));
describe.skipIf(!existsSync(built))('a process with an open session (needs the build)', () => {
  const program = (after: string): string => `
    import { openSession } from ${JSON.stringify(pathToFileURL(built).href)};
    const session = openSession({ weights: ${JSON.stringify(weights)}, weightBytes: 1000, device: 'cpu', threads: 2, packagesFrom: [${JSON.stringify(PACKAGES)}] });
    const tensor = () => ({ type: 'int64', dims: [1, 1], data: BigInt64Array.of(4n) });
    const run = () => session.run([{ input_ids: tensor(), attention_mask: tensor(), token_type_ids: tensor() }], 'last_hidden_state');
    await Promise.all([run(), run(), run()]);
    ${after}
    console.log('ran');`;

  const finish = async (
    after: string,
    signal?: NodeJS.Signals,
  ): Promise<{ code: number | null; killedBy: string | null }> => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program(after)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (signal !== undefined) child.stdout.once('data', () => child.kill(signal));
    return new Promise((resolve) => child.once('exit', (code, killedBy) => resolve({ code, killedBy })));
  };

  test('ends by itself, without close', async () => {
    expect(await finish('')).toEqual({ code: 0, killedBy: null });
  }, 10_000);

  test('ends on SIGINT', async () => {
    const after =
      "process.once('SIGINT', () => session.close().then(() => process.exit(130))); setInterval(() => run().catch(() => undefined), 1);";
    expect(await finish(after, 'SIGINT')).toEqual({ code: 130, killedBy: null });
  }, 10_000);
});
