/**
 * The connections to one service, shared by everything that calls it: so many at once, so many kept open. They are
 * `node:http` agents, because the global `fetch` limits neither.
 */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { HttpSettings } from '../core/settings.ts';

export type ConnectionLimits = Pick<HttpSettings, 'maxConnections' | 'keepAliveConnections'>;

export interface Connections {
  readonly agent: HttpAgent;
  /** Runs `call` when one of the connections is free, so that waiting for one costs a call none of its time. */
  use<T>(call: () => Promise<T>, signal: AbortSignal | undefined): Promise<T>;
  /** Once for each `connectionsTo`; the last closes them. */
  release(): void;
}

interface Shared extends Omit<Connections, 'release'> {
  users: number;
}

const services = new Map<string, Shared>();

/** @param origin e.g. `https://api.openai.com` */
export function connectionsTo(origin: string, limits: ConnectionLimits): Connections {
  const key = `${origin} ${limits.maxConnections} ${limits.keepAliveConnections}`;
  const shared = services.get(key) ?? open(origin, limits);
  services.set(key, shared);
  shared.users++;
  let released = false;
  return {
    agent: shared.agent,
    use: (call, signal) => shared.use(call, signal),
    release() {
      if (released) return;
      released = true;
      shared.users--;
      if (shared.users > 0) return;
      services.delete(key);
      shared.agent.destroy();
    },
  };
}

function open(origin: string, { maxConnections, keepAliveConnections }: ConnectionLimits): Shared {
  const options = { keepAlive: true, maxSockets: maxConnections, maxFreeSockets: keepAliveConnections };
  const waiting: (() => void)[] = [];
  let free = maxConnections;
  return {
    agent: origin.startsWith('https:') ? new HttpsAgent(options) : new HttpAgent(options),
    users: 0,
    async use(call, signal) {
      signal?.throwIfAborted();
      if (free > 0) free--;
      else await turn(waiting, signal);
      try {
        return await call();
      } finally {
        // Handed on, or put back.
        const next = waiting.shift();
        if (next === undefined) free++;
        else next();
      }
    },
  };
}

function turn(waiting: (() => void)[], signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const go = (): void => {
      signal?.removeEventListener('abort', stop);
      resolve();
    };
    const stop = (): void => {
      waiting.splice(waiting.indexOf(go), 1);
      reject(signal?.reason as Error);
    };
    waiting.push(go);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
