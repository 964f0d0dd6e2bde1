/**
 * Runs an ONNX model in worker threads, each with a session of its own: `onnxruntime-node` computes synchronously,
 * and would hold up every other request of the process. Threads are started when there is work for them, do not keep
 * the process alive while they wait, and end with `close`.
 *
 * One thread a session beats one session with many threads: for int8 MiniLM on two cores the same passages took half
 * the processor time (`bench/embedding.mjs`).
 */
import { availableParallelism, totalmem } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { CallOptions } from '../core/contracts.ts';
import { RagError } from '../core/errors.ts';
import { requiredPackage } from './packages.ts';
import { sessionWorker } from './session-worker.ts';
import type { Tensors, WorkerReply, WorkerRequest, WorkerStart } from './session-worker.ts';

export type { Tensor, Tensors } from './session-worker.ts';

export const DEVICES = ['cpu', 'cuda', 'webgpu'] as const;
export type OnnxDevice = (typeof DEVICES)[number];

export interface OnnxSessionOptions {
  /** Path of the `.onnx` file. */
  readonly weights: string;
  readonly weightBytes: number;
  readonly device: OnnxDevice;
  /** Processor threads altogether; 0 = as many as there are processors. */
  readonly threads: number;
  /** Where else to look for `onnxruntime-node`. */
  readonly packagesFrom?: readonly string[];
}

/** What the model takes and gives. */
export interface Signature {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
}

export interface OnnxSession {
  /** Starts the first thread and loads the weights. @throws RagError `driver-missing` | `driver-unavailable` | `aborted` */
  signature(options?: CallOptions): Promise<Signature>;
  /**
   * Runs at once while a thread is free, else in its turn.
   * @throws RagError `driver-missing` | `driver-unavailable` | `aborted`
   */
  run(feeds: Tensors, outputs: readonly string[], options?: CallOptions): Promise<Tensors>;
  close(): Promise<void>;
}

/** More threads than this gain little, and each has a copy of the weights. */
const MOST_WORKERS = 16;
/** Weights and what the runtime makes of them; all workers together may take a quarter of the memory. */
const MEMORY_PER_WEIGHT_BYTE = 2.5;
const MEMORY_SHARE = 1 / 4;

/** How many sessions, and how many threads in each. */
export function workerPlan(
  { device, threads, weightBytes }: Pick<OnnxSessionOptions, 'device' | 'threads' | 'weightBytes'>,
  machine: { readonly processors: number; readonly memoryBytes: number } = {
    processors: availableParallelism(),
    memoryBytes: totalmem(),
  },
): { readonly workers: number; readonly threadsEach: number } {
  const wanted = threads > 0 ? threads : machine.processors;
  if (device !== 'cpu') return { workers: 1, threadsEach: 1 };
  const fitting = Math.floor((machine.memoryBytes * MEMORY_SHARE) / (weightBytes * MEMORY_PER_WEIGHT_BYTE));
  const workers = Math.max(1, Math.min(wanted, fitting, MOST_WORKERS));
  return { workers, threadsEach: Math.max(1, Math.floor(wanted / workers)) };
}

interface Job {
  readonly request: WorkerRequest;
  readonly resolve: (outputs: Tensors) => void;
  readonly reject: (error: RagError) => void;
}

interface Thread {
  readonly worker: Worker;
  job: Job | undefined;
  ready: boolean;
}

export function openSession(options: OnnxSessionOptions): OnnxSession {
  const plan = workerPlan(options);
  const threads = new Set<Thread>();
  const queue: Job[] = [];
  const waiting: { resolve: (signature: Signature) => void; reject: (error: RagError) => void }[] = [];
  let known: Signature | undefined;
  let runtime: string | undefined;
  let closed = false;

  /** What cannot start now will not start for the next job either: all who wait are told. */
  const failAll = (error: RagError): void => {
    for (const { reject } of [...waiting.splice(0), ...queue.splice(0)]) reject(error);
  };

  const end = (thread: Thread, error: RagError): void => {
    threads.delete(thread);
    void thread.worker.terminate();
    thread.job?.reject(error);
    thread.job = undefined;
    if (!thread.ready) failAll(error);
    else give();
  };

  const start = (): void => {
    const { weights, device } = options;
    const workerData = { runtime, weights, device, threads: plan.threadsEach } as WorkerStart;
    const worker = new Worker(`(${sessionWorker.toString()})()`, { eval: true, workerData });
    const thread: Thread = { worker, job: undefined, ready: false };
    threads.add(thread);
    worker.on('message', (reply: WorkerReply) => {
      if (reply.type === 'failed' && reply.during === 'start') end(thread, cannotStart(options, reply.message));
      else if (reply.type === 'ready') {
        thread.ready = true;
        known = reply;
        for (const { resolve } of waiting.splice(0)) resolve(reply);
        rest(thread);
      } else {
        const { job } = thread;
        if (reply.type === 'done') job?.resolve(reply.outputs);
        else job?.reject(new RagError('driver-unavailable', `the model cannot be run: ${firstLine(reply.message)}`));
        rest(thread);
      }
    });
    worker.on('error', (cause: unknown) => {
      const message = cause instanceof Error ? cause.message : String(cause);
      end(thread, new RagError('driver-unavailable', `a thread of the model failed: ${message}`, { cause }));
    });
    worker.on('exit', (code) => {
      if (threads.has(thread)) end(thread, new RagError('driver-unavailable', `a thread of the model ended (${code})`));
    });
  };

  /** A thread that waits does not keep the process alive. */
  const rest = (thread: Thread): void => {
    thread.job = undefined;
    thread.worker.unref();
    give();
  };

  /** Hands out work: to threads that wait, then to new ones. */
  const give = (): void => {
    for (const thread of threads) {
      if (!thread.ready || thread.job !== undefined) continue;
      const job = queue.shift();
      if (job === undefined) return;
      thread.job = job;
      thread.worker.ref();
      thread.worker.postMessage(job.request, buffersOf(job.request));
    }
    const starting = [...threads].filter(({ ready }) => !ready).length;
    const missing = Math.max(waiting.length > 0 ? 1 : 0, queue.length) - starting;
    const room = plan.workers - threads.size;
    if (missing <= 0 || room <= 0) return;
    for (let i = 0; i < Math.min(missing, room); i++) start();
  };

  const prepare = (): void => {
    if (closed) throw new RagError('internal', 'the model was closed');
    runtime ??= requiredPackage('onnxruntime-node', options.packagesFrom);
  };

  /** What has begun cannot be stopped, but where nobody waits for it any more it does not keep the process alive. */
  const leave = (job?: Job): void => {
    for (const thread of threads) {
      const wanted = thread.ready ? thread.job !== job : queue.length + waiting.length > 0;
      if (!wanted) thread.worker.unref();
    }
  };

  return {
    async signature({ signal } = {}) {
      prepare();
      if (known !== undefined) return known;
      return abortable<Signature>(signal, (resolve, reject) => {
        const caller = { resolve, reject };
        waiting.push(caller);
        give();
        return () => {
          if (waiting.includes(caller)) waiting.splice(waiting.indexOf(caller), 1);
          leave();
        };
      });
    },
    async run(feeds, outputs, { signal } = {}) {
      prepare();
      return abortable<Tensors>(signal, (resolve, reject) => {
        const job: Job = { request: { feeds, outputs }, resolve, reject };
        queue.push(job);
        give();
        return () => {
          if (queue.includes(job)) queue.splice(queue.indexOf(job), 1);
          leave(job);
        };
      });
    },
    async close() {
      closed = true;
      const error = new RagError('aborted', 'the model was closed');
      failAll(error);
      const ending = [...threads];
      threads.clear();
      for (const { job } of ending) job?.reject(error);
      await Promise.all(ending.map(({ worker }) => worker.terminate()));
    },
  };
}

/** A promise that an abort rejects at once; `begin` returns what to do then. */
function abortable<T>(
  signal: AbortSignal | undefined,
  begin: (resolve: (value: T) => void, reject: (error: RagError) => void) => () => void,
): Promise<T> {
  if (signal?.aborted === true) return Promise.reject(stopped(signal));
  return new Promise<T>((resolve, reject) => {
    const stop = (): void => {
      leave();
      if (signal !== undefined) reject(stopped(signal));
    };
    const finish = <V>(settle: (value: V) => void) => {
      return (value: V): void => {
        signal?.removeEventListener('abort', stop);
        settle(value);
      };
    };
    signal?.addEventListener('abort', stop, { once: true });
    const leave = begin(finish(resolve), finish(reject));
  });
}

/** The feeds are made for one run: their memory goes to the thread with them. */
const buffersOf = ({ feeds }: WorkerRequest): ArrayBuffer[] =>
  Object.values(feeds).map(({ data }) => data.buffer as ArrayBuffer);

const stopped = (signal: AbortSignal): RagError => new RagError('aborted', 'stopped', { cause: signal.reason });

const firstLine = (message: string): string => (message.trim().split('\n', 1)[0] as string).slice(0, 300);

function cannotStart({ device, weights }: OnnxSessionOptions, message: string): RagError {
  if (device === 'cpu') {
    return new RagError('driver-unavailable', `the model ${weights} cannot be loaded: ${firstLine(message)}`, {
      hint: 'remove the file, so that it is downloaded again, or export it anew; a runtime newer than the model helps where it speaks of an unsupported version',
    });
  }
  return new RagError('driver-unavailable', `the device "${device}" cannot be used: ${firstLine(message)}`, {
    hint: `set the device to cpu, or install a runtime that has ${device} (npm install onnxruntime-node) and its drivers`,
  });
}
