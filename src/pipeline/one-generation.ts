/**
 * A request reads an index several times, and another process may publish a run in between: chunks that were found
 * would then be missing, or belong to another text. Such reads are done again, all of them.
 */
import type { Store } from '../core/contracts.ts';

/** A run takes longer than a request; who publishes faster gets the last attempt. */
const MOST_ATTEMPTS = 5;

/** The result of reads that all saw the same documents. `work` may report events as it goes, and may run again. */
export async function* ofOneGeneration<E, T>(store: Store, work: () => AsyncGenerator<E, T>): AsyncGenerator<E, T> {
  for (let attempt = 1; ; attempt++) {
    const before = await store.generation();
    const result = yield* work();
    if (attempt === MOST_ATTEMPTS || (await store.generation()) === before) return result;
  }
}

/** The same for work without events. */
export async function inOneGeneration<T>(store: Store, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const before = await store.generation();
    const result = await work();
    if (attempt === MOST_ATTEMPTS || (await store.generation()) === before) return result;
  }
}
