/** Many promises that one signal ends, with one listener on it: Node warns of more than ten. */
import { RagError } from '../core/errors.ts';

type Stop = () => void;
const listening = new WeakMap<AbortSignal, Set<Stop>>();

/**
 * A promise that an abort rejects at once, with `aborted`.
 *
 * @param begin starts the work and returns what is done when it is not wanted any more
 */
export function abortable<T>(
  signal: AbortSignal | undefined,
  begin: (resolve: (value: T) => void, reject: (error: RagError) => void) => Stop,
): Promise<T> {
  if (signal?.aborted === true) return Promise.reject(stopped(signal));
  return new Promise<T>((resolve, reject) => {
    if (signal === undefined) {
      begin(resolve, reject);
      return;
    }
    const finish = <V>(settle: (value: V) => void) => {
      return (value: V): void => {
        listening.get(signal)?.delete(stop);
        settle(value);
      };
    };
    const stop = (): void => {
      leave();
      reject(stopped(signal));
    };
    stopsOf(signal).add(stop);
    const leave = begin(finish(resolve), finish(reject));
  });
}

function stopsOf(signal: AbortSignal): Set<Stop> {
  const known = listening.get(signal);
  if (known !== undefined) return known;
  const stops = new Set<Stop>();
  listening.set(signal, stops);
  signal.addEventListener(
    'abort',
    () => {
      for (const stop of stops) stop();
    },
    { once: true },
  );
  return stops;
}

const stopped = (signal: AbortSignal): RagError => new RagError('aborted', 'stopped', { cause: signal.reason });
