/** Ctrl-C: the first asks the work to stop where it is whole, the second ends the process at once. */
import { RagError } from '../core/errors.ts';
import { note } from './output.ts';

/** @throws RagError `aborted`, with `kept` as its message, when the work was stopped */
export async function interruptible<T>(kept: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const interrupt = (): void => {
    if (controller.signal.aborted) process.exit(2);
    if (process.stderr.isTTY) note('\nstopping; Ctrl-C again ends it at once');
    controller.abort();
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  try {
    return await work(controller.signal);
  } catch (error) {
    if (controller.signal.aborted) throw new RagError('aborted', kept, { cause: error });
    throw error;
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}
