/**
 * What a worker thread of {@link openSession} does: it holds one session of the runtime and answers one run at a time.
 * The thread is started from this function's own text, so that it works alike from the sources, from `dist` and from
 * a bundle. Therefore the function uses nothing outside of itself but Node.
 */

/** A tensor as plain data, as it crosses to the thread and back. */
export interface Tensor {
  readonly type: 'int64' | 'float32';
  readonly dims: readonly number[];
  readonly data: BigInt64Array | Float32Array;
}

export type Tensors = Readonly<Record<string, Tensor>>;

export interface WorkerStart {
  /** Main file of `onnxruntime-node`. */
  readonly runtime: string;
  readonly weights: string;
  readonly device: string;
  readonly threads: number;
}

export interface WorkerRequest {
  readonly feeds: Tensors;
  /** Outputs that are computed and sent back. */
  readonly outputs: readonly string[];
}

export type WorkerReply =
  | { readonly type: 'ready'; readonly inputNames: readonly string[]; readonly outputNames: readonly string[] }
  | { readonly type: 'done'; readonly outputs: Tensors }
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

export function sessionWorker(): void {
  const thread = process.getBuiltinModule('node:worker_threads');
  const { createRequire } = process.getBuiltinModule('node:module');
  const { parentPort } = thread;
  const { runtime, weights, device, threads } = thread.workerData as WorkerStart;
  const reply = (message: WorkerReply, transfer: readonly ArrayBuffer[] = []): void =>
    parentPort?.postMessage(message, transfer);
  const failed = (during: 'start' | 'run', error: unknown): void =>
    reply({ type: 'failed', during, message: error instanceof Error ? error.message : String(error) });

  const start = async (): Promise<void> => {
    const onnx = createRequire(runtime)(runtime) as Runtime;
    const session = await onnx.InferenceSession.create(weights, {
      // One device and no second choice: what it cannot do is an error, not a slow run elsewhere.
      executionProviders: [device],
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      // Threads that wait for work by spinning take the processor from the other sessions.
      extra: { session: { intra_op: { allow_spinning: '0' } } },
      logSeverityLevel: 3,
    });
    const run = async ({ feeds, outputs }: WorkerRequest): Promise<void> => {
      const inputs: Record<string, RuntimeTensor> = {};
      for (const [name, { type, data, dims }] of Object.entries(feeds)) {
        inputs[name] = new onnx.Tensor(type, data, dims);
      }
      const computed = await session.run(inputs, outputs);
      const plain: Record<string, Tensor> = {};
      const buffers: ArrayBuffer[] = [];
      for (const name of outputs) {
        const tensor = computed[name];
        if (tensor?.type !== 'float32') throw new Error(`output ${name} is ${tensor?.type ?? 'missing'}, not float32`);
        // A copy of its own: the runtime may own the memory, and memory that it owns cannot be handed over.
        const data = Float32Array.from(tensor.data as Float32Array);
        plain[name] = { type: 'float32', dims: [...tensor.dims], data };
        buffers.push(data.buffer);
      }
      reply({ type: 'done', outputs: plain }, buffers);
    };
    parentPort?.on('message', (request: WorkerRequest) => {
      run(request).catch((error: unknown) => {
        failed('run', error);
      });
    });
    reply({ type: 'ready', inputNames: session.inputNames, outputNames: session.outputNames });
  };
  start().catch((error: unknown) => {
    failed('start', error);
  });
}
