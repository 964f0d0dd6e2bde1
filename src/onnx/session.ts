/**
 * Runs an ONNX model beside the process that uses it: `onnxruntime-node` computes synchronously, and would hold up
 * every other request. Each of several processes has a session of its own; they are started when there is work for
 * them, do not keep the program alive while they wait, and end with it.
 *
 * Processes and not worker threads, because `onnxruntime-node` does not survive threads: up to 1.20 it corrupts the
 * heap as soon as a second one loads it, and up to 1.30 at least it aborts the program when a thread is ended during a
 * run. A process can be ended at any time, and takes nothing with it.
 *
 * One thread a session beats one session with many threads: the same passages took half the processor time
 * (`bench/embedding.mjs`).
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { availableParallelism, totalmem } from 'node:os';
import type { CallOptions } from '../core/contracts.ts';
import { RagError } from '../core/errors.ts';
import { abortable } from './abortable.ts';
import { requiredPackage } from './packages.ts';
import { sessionProcess } from './session-process.ts';
import type { ProcessReply, ProcessStart, Reduction, RunRequest, Tensor, Tensors } from './session-process.ts';

export type { Pooling, Reduction, Tensor, Tensors } from './session-process.ts';

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

export interface RunOptions extends CallOptions {
  /** Of the token vectors that the output has; without it they come as they are. */
  readonly pooling?: Reduction;
}

export interface OnnxSession {
  /** Starts the first process and loads the weights. @throws RagError `driver-missing` | `driver-unavailable` | `aborted` */
  signature(options?: CallOptions): Promise<Signature>;
  /**
   * Computes one output of each input, one after the other in one process: at once while one is free, else in turn.
   * A few inputs a call save the way there and back; several calls at the same time keep all processes busy.
   *
   * @param inputs each by name; those that the model does not take are ignored
   * @throws RagError `driver-missing` | `driver-unavailable` | `aborted`
   */
  run(inputs: readonly Tensors[], output: string, options?: RunOptions): Promise<readonly Tensor[]>;
  /** How many there are at most. */
  readonly processes: number;
  close(): Promise<void>;
}

/** More gain little, and each has a copy of the weights. */
const MOST_PROCESSES = 16;
/** Weights and what the runtime makes of them; all processes together may take a quarter of the memory. */
const MEMORY_PER_WEIGHT_BYTE = 2.5;
const MEMORY_SHARE = 1 / 4;

/** How many sessions, and how many threads in each. */
export function processPlan(
  { device, threads, weightBytes }: Pick<OnnxSessionOptions, 'device' | 'threads' | 'weightBytes'>,
  machine: { readonly processors: number; readonly memoryBytes: number } = {
    processors: availableParallelism(),
    memoryBytes: totalmem(),
  },
): { readonly processes: number; readonly threadsEach: number } {
  const wanted = threads > 0 ? threads : machine.processors;
  if (device !== 'cpu') return { processes: 1, threadsEach: 1 };
  const fitting = Math.floor((machine.memoryBytes * MEMORY_SHARE) / (weightBytes * MEMORY_PER_WEIGHT_BYTE));
  const processes = Math.max(1, Math.min(wanted, fitting, MOST_PROCESSES));
  return { processes, threadsEach: Math.max(1, Math.floor(wanted / processes)) };
}

interface Job {
  readonly request: RunRequest;
  readonly resolve: (outputs: readonly Tensor[]) => void;
  readonly reject: (error: RagError) => void;
}

interface Runner {
  readonly child: ChildProcess;
  job: Job | undefined;
  ready: boolean;
}

export function openSession(options: OnnxSessionOptions): OnnxSession {
  const plan = processPlan(options);
  const runners = new Set<Runner>();
  const queue: Job[] = [];
  const waiting: { resolve: (signature: Signature) => void; reject: (error: RagError) => void }[] = [];
  let known: Signature | undefined;
  let runtime: string | undefined;
  let closed = false;

  /** What cannot start now will not start for the next job either: all who wait are told. */
  const failAll = (error: RagError): void => {
    for (const { reject } of [...waiting.splice(0), ...queue.splice(0)]) reject(error);
  };

  const end = (runner: Runner, error?: RagError): void => {
    runners.delete(runner);
    runner.child.kill('SIGKILL');
    if (error === undefined) return;
    runner.job?.reject(error);
    if (!runner.ready) failAll(error);
    else give();
  };

  const start = (path: string): void => {
    const { weights, device } = options;
    const child = startProcess({ runtime: path, weights, device, threads: plan.threadsEach });
    const runner: Runner = { child, job: undefined, ready: false };
    runners.add(runner);
    child.on('message', (reply: ProcessReply) => {
      if (reply.type === 'failed' && reply.during === 'start') {
        end(runner, cannotStart(options, reply.message));
        return;
      }
      if (reply.type === 'ready') {
        runner.ready = true;
        known = reply;
        for (const { resolve } of waiting.splice(0)) resolve(reply);
      } else if (reply.type === 'done') runner.job?.resolve(reply.outputs);
      else runner.job?.reject(unavailable(`the model cannot be run: ${firstLine(reply.message)}`));
      runner.job = undefined;
      keepAlive(child, false);
      give();
    });
    child.on('error', (cause) => {
      end(runner, unavailable(`a process for the model cannot be started: ${cause.message}`, cause));
    });
    child.on('exit', (code, signal) => {
      if (runners.has(runner))
        end(runner, unavailable(`a process of the model ended (${signal ?? code ?? 'unknown'})`));
    });
  };

  /** Hands out work: to processes that wait, then to new ones. */
  const give = (): void => {
    for (const runner of runners) {
      if (!runner.ready || runner.job !== undefined) continue;
      const job = queue.shift();
      if (job === undefined) return;
      runner.job = job;
      keepAlive(runner.child, true);
      runner.child.send(job.request);
    }
    const starting = [...runners].filter(({ ready }) => !ready).length;
    const missing = Math.max(waiting.length > 0 ? 1 : 0, queue.length) - starting;
    const room = plan.processes - runners.size;
    for (let i = 0; i < Math.min(missing, room); i++) start(runtime as string);
  };

  const prepare = (): void => {
    if (closed) throw new RagError('internal', 'the model was closed');
    runtime ??= requiredPackage('onnxruntime-node', options.packagesFrom);
  };

  /** A run cannot be stopped: its process is, and so are those that start for nobody any more. */
  const leave = (job?: Job): void => {
    for (const runner of runners) {
      const wanted = runner.ready ? job === undefined || runner.job !== job : queue.length + waiting.length > 0;
      if (!wanted) end(runner);
    }
    // Not before all runs that the same signal ends are out of the queue.
    queueMicrotask(give);
  };

  return {
    processes: plan.processes,
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
    async run(inputs, output, { signal, pooling = null as Reduction | null } = {}) {
      prepare();
      return abortable<readonly Tensor[]>(signal, (resolve, reject) => {
        const job: Job = { request: { inputs, output, pooling }, resolve, reject };
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
      for (const { job } of runners) job?.reject(error);
      for (const runner of runners) end(runner);
    },
  };
}

/** Ended with this process even when that is in the middle of a run; otherwise they would finish it first. */
const alive = new Set<ChildProcess>();
const endAll = (): void => {
  for (const child of alive) child.kill('SIGKILL');
};

function startProcess(start: ProcessStart): ChildProcess {
  const code = `(${sessionProcess.toString()})(${JSON.stringify(start)})`;
  // Options that this process was started with (inspectors, loaders of test runners) are not meant for the other.
  const { NODE_OPTIONS: _, ...env } = process.env;
  const child = spawn(process.execPath, ['--eval', code], {
    env,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // Typed arrays and 64-bit integers go as they are.
    serialization: 'advanced',
  });
  if (alive.size === 0) process.on('exit', endAll);
  alive.add(child);
  child.once('exit', () => {
    alive.delete(child);
    if (alive.size === 0) process.off('exit', endAll);
  });
  return child;
}

/** A process that waits for work does not keep the program alive. */
function keepAlive(child: ChildProcess, alive: boolean): void {
  if (alive) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}

const unavailable = (message: string, cause?: unknown): RagError =>
  new RagError('driver-unavailable', message, { cause });

const firstLine = (message: string): string => (message.trim().split('\n', 1)[0] as string).slice(0, 300);

function cannotStart({ device, weights }: OnnxSessionOptions, message: string): RagError {
  if (device === 'cpu') {
    return new RagError('driver-unavailable', `the model ${weights} cannot be loaded: ${firstLine(message)}`, {
      hint: 'download or export the file again; if it asks for a newer version: ONNXRUNTIME_NODE_INSTALL=skip npm install onnxruntime-node',
    });
  }
  return new RagError('driver-unavailable', `the device "${device}" cannot be used: ${firstLine(message)}`, {
    hint: `set the device to cpu, or install a runtime that has ${device} (npm install onnxruntime-node) and its drivers`,
  });
}
