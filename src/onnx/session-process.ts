/**
 * What a process of {@link openSession} does: it holds one session of the runtime and answers one run at a time.
 * The process is started from this function's own text, so that it works alike from the sources, from `dist` and from
 * a bundle. Therefore the function uses nothing outside of itself but Node.
 */

/** A tensor as plain data, as it goes to the process and back. */
export interface Tensor {
  readonly type: 'int64' | 'float32';
  readonly dims: readonly number[];
  readonly data: BigInt64Array | Float32Array;
}

export type Tensors = Readonly<Record<string, Tensor>>;

/** From one vector a token to one a text: their mean, the first one, or the last one. Padding does not count. */
export type Pooling = 'mean' | 'cls' | 'last';
/** `max`: the largest value in each dimension, as learned sparse models do it. */
export type Reduction = Pooling | 'max';

export interface ProcessStart {
  /** Main file of `onnxruntime-node`. */
  readonly runtime: string;
  readonly weights: string;
  readonly device: string;
  readonly threads: number;
}

export interface RunRequest {
  /** Run one after the other, answered together. With `attention_mask` where there is a pooling. */
  readonly inputs: readonly Tensors[];
  /** The one output that is computed and sent back. */
  readonly output: string;
  /** `texts × tokens × dimensions` become `texts × dimensions` before they are sent: a hundredth of the bytes. */
  readonly pooling: Reduction | null;
}

export type ProcessReply =
  | { readonly type: 'ready'; readonly inputNames: readonly string[]; readonly outputNames: readonly string[] }
  | { readonly type: 'done'; readonly outputs: readonly Tensor[] }
  /** `start`: the session could not be made; `run`: this run failed, the next may not. */
  | { readonly type: 'failed'; readonly during: 'start' | 'run'; readonly message: string };

/** As much of `onnxruntime-node` as is used. */
interface Runtime {
  readonly InferenceSession: { create(path: string, options: object): Promise<Session> };
  readonly Tensor: new (type: string, data: Tensor['data'], dims: readonly number[]) => RuntimeTensor;
}

interface Session {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(
    feeds: Record<string, RuntimeTensor>,
    outputs: readonly string[],
  ): Promise<Readonly<Record<string, RuntimeTensor>>>;
}

interface RuntimeTensor {
  readonly type: string;
  readonly dims: readonly number[];
  readonly data: unknown;
}

export function sessionProcess({ runtime, weights, device, threads }: ProcessStart): void {
  const { createRequire } = process.getBuiltinModule('node:module');
  const reply = (message: ProcessReply): void => void process.send?.(message);
  const failed = (during: 'start' | 'run', error: unknown): void =>
    reply({ type: 'failed', during, message: error instanceof Error ? error.message : String(error) });

  const pooled = ({ dims, data }: Tensor, mask: Tensor['data'], pooling: Reduction): Tensor => {
    const [texts = 0, tokens = 0, width = 0] = dims;
    const vectors = new Float32Array(texts * width);
    for (let text = 0; text < texts; text++) {
      let length = 0;
      while (length < tokens && mask[text * tokens + length] === 1n) length++;
      const from = pooling === 'last' ? length - 1 : 0;
      const to = pooling === 'cls' ? 1 : length;
      for (let token = from; token < to; token++) {
        const at = (text * tokens + token) * width;
        if (pooling === 'max') {
          for (let i = 0; i < width; i++) {
            const value = data[at + i] as number;
            if (token === from || value > (vectors[text * width + i] as number)) vectors[text * width + i] = value;
          }
          continue;
        }
        for (let i = 0; i < width; i++) {
          vectors[text * width + i] = (vectors[text * width + i] as number) + (data[at + i] as number) / (to - from);
        }
      }
    }
    return { type: 'float32', dims: [texts, width], data: vectors };
  };

  const start = async (): Promise<void> => {
    const onnx = createRequire(runtime)(runtime) as Runtime;
    const session = await onnx.InferenceSession.create(weights, {
      // One device and no second choice: what it cannot do is an error, not a slow run elsewhere.
      executionProviders: [device],
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      // Threads that wait for work by spinning take the processor from the other processes.
      extra: { session: { intra_op: { allow_spinning: '0' } } },
      // What fails is thrown; the runtime would also print it.
      logSeverityLevel: 4,
    });
    const run = async (feeds: Tensors, { output, pooling }: RunRequest): Promise<Tensor> => {
      const given: Record<string, RuntimeTensor> = {};
      for (const name of session.inputNames) {
        const feed = feeds[name];
        if (feed !== undefined) given[name] = new onnx.Tensor(feed.type, feed.data, feed.dims);
      }
      const { type, dims, data } = (await session.run(given, [output]))[output] ?? { type: 'missing', dims: [] };
      if (type !== 'float32') throw new Error(`output ${output} is ${type}, not float32`);
      const tensor: Tensor = { type, dims: [...dims], data: data as Float32Array };
      const mask = feeds['attention_mask'];
      if (pooling === null) return tensor;
      if (mask === undefined || dims.length !== 3) throw new Error(`output ${output} is not one vector a token`);
      return pooled(tensor, mask.data, pooling);
    };
    const runAll = async (request: RunRequest): Promise<void> => {
      const outputs: Tensor[] = [];
      for (const feeds of request.inputs) outputs.push(await run(feeds, request));
      reply({ type: 'done', outputs });
    };
    process.on('message', (request: RunRequest) => {
      runAll(request).catch((error: unknown) => failed('run', error));
    });
    reply({ type: 'ready', inputNames: session.inputNames, outputNames: session.outputNames });
  };
  // Whoever started it decides when it ends: Ctrl-C goes to all processes of a terminal.
  process.on('SIGINT', () => undefined);
  process.on('disconnect', () => process.exit());
  start().catch((error: unknown) => failed('start', error));
}
