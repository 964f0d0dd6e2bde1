/** The store that the requests of an engine read together: opened by the first, closed behind the last. */
import type { Store } from './core/contracts.ts';

export interface SharedReader {
  /** A request's hold on the current store, which stays open until `release`, whatever takes its place meanwhile. */
  acquire(): Promise<{ readonly store: Store; readonly release: () => void }>;
  /** The next request opens what is current then. The old store is closed when its last request ends. */
  renew(): void;
  /** Resolves when the last request has ended and the store is closed. */
  close(): Promise<void>;
}

interface Held {
  readonly opening: Promise<Store>;
  users: number;
  /** Resolves when nobody uses it any more. */
  readonly unused: Promise<void>;
  readonly free: () => void;
  closing: Promise<void> | undefined;
}

export function sharedReader(open: () => Promise<Store>): SharedReader {
  let current: Held | undefined;
  const closings = new Set<Promise<void>>();

  const release = (held: Held): void => {
    held.users--;
    if (held.users === 0 && held.closing !== undefined) held.free();
  };
  const retire = (held: Held): void => {
    if (held.users === 0) held.free();
    // What could not be opened need not be closed, and what cannot be closed harms nobody: it was read only.
    const closing = held.unused
      .then(() => held.opening)
      .then((store) => store.close())
      .catch(() => undefined);
    held.closing = closing;
    closings.add(closing);
    void closing.then(() => closings.delete(closing));
  };
  const renew = (): void => {
    if (current !== undefined) retire(current);
    current = undefined;
  };
  return {
    async acquire() {
      const held = (current ??= holdOn(open()));
      held.users++;
      try {
        return { store: await held.opening, release: () => release(held) };
      } catch (error) {
        // Not remembered: the next request tries again.
        if (current === held) current = undefined;
        throw error;
      }
    },
    renew,
    async close() {
      renew();
      await Promise.all(closings);
    },
  };
}

function holdOn(opening: Promise<Store>): Held {
  let free = (): void => undefined;
  const unused = new Promise<void>((resolve) => (free = resolve));
  return { opening, users: 0, unused, free, closing: undefined };
}
