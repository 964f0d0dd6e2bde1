/**
 * JSON over HTTP to one model service: a deadline for each attempt, a bounded number of attempts with growing pauses,
 * a bounded answer, no redirects (a key must not travel on), and errors that say what to do. One client a service
 * (seed 000, "Connection Pooling": 30 s, 10 connections, 5 of them kept alive).
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { CallOptions } from '../core/contracts.ts';
import { RagError } from '../core/errors.ts';
import type { HttpSettings } from '../core/settings.ts';
import { connectionsTo } from './connections.ts';
import type { Endpoint } from './endpoint.ts';
import { exchange, ExchangeError, type Reply } from './exchange.ts';
import { refusal, retryAfter, unreachable, type Caller } from './failures.ts';

export interface JsonClient {
  /**
   * @param path below the base address, e.g. `/embeddings`
   * @throws RagError `driver-unavailable`; {@link ServiceRefusal} when the service answered with an error
   */
  post(path: string, body: unknown, options?: CallOptions): Promise<unknown>;
  close(): void;
}

export interface JsonClientOptions {
  readonly endpoint: Endpoint;
  readonly settings: HttpSettings;
  /** The largest answer that is read. The largest that is wanted, 256 vectors of 3072 numbers, has 17 MB. */
  readonly maxBytes?: number;
  /** First pause; each further one is twice as long. */
  readonly pauseMilliseconds?: number;
  /** 0 to 1; pauses vary, so that many clients do not come back together. */
  readonly random?: () => number;
}

/** A service that asks for a longer pause gets no second attempt: the user is told instead. */
const LONGEST_PAUSE = 60_000;

export function jsonClient(options: JsonClientOptions): JsonClient {
  const { endpoint, settings, maxBytes = 64 * 2 ** 20, pauseMilliseconds = 500, random = Math.random } = options;
  let connections: ReturnType<typeof connectionsTo> | undefined;

  const attempt = async (caller: Caller, body: string, signal: AbortSignal | undefined): Promise<Reply> => {
    const open = (connections ??= connectionsTo(endpoint.baseUrl.origin, settings));
    const ask = {
      url: caller.url,
      method: 'POST',
      headers: headersOf(caller.key, body),
      body,
      agent: open.agent,
      timeoutMilliseconds: settings.timeoutSeconds * 1000,
      maxBytes,
      signal,
    } as const;
    return open.use(() => exchange(ask), signal);
  };

  return {
    async post(path, body, { signal } = {}) {
      const caller = callerOf(endpoint, path, settings);
      const text = JSON.stringify(body);
      for (let attempts = 1; ; attempts++) {
        const outcome = await attempt(caller, text, signal).catch((error: unknown) => {
          if (error instanceof ExchangeError) return unreachable(caller, error);
          throw error;
        });
        const failure =
          outcome instanceof RagError ? outcome : isSuccess(outcome) ? undefined : refusal(caller, outcome);
        if (failure === undefined) return parsed(caller, (outcome as Reply).text);
        const asked = outcome instanceof RagError ? undefined : retryAfter(outcome, Date.now());
        const pause = asked ?? pauseMilliseconds * 2 ** (attempts - 1) * (0.5 + random());
        if (!failure.retryable || attempts > settings.retries || pause > LONGEST_PAUSE) throw failure;
        await wait(pause, undefined, signal === undefined ? {} : { signal }).catch((error: unknown) => {
          throw signal?.aborted === true ? signal.reason : error;
        });
      }
    },
    close() {
      connections?.release();
      connections = undefined;
    },
  };
}

const isSuccess = ({ status }: Reply): boolean => status >= 200 && status < 300;

function callerOf(endpoint: Endpoint, path: string, { timeoutSeconds }: HttpSettings): Caller {
  const { service, section, baseUrl, keyVariable } = endpoint;
  const url = new URL(`${baseUrl.href.replace(/\/+$/u, '')}${path}`);
  return { service, section, url, key: endpoint.key(), keyVariable, timeoutSeconds };
}

const headersOf = (key: string | undefined, body: string): Record<string, string> => ({
  accept: 'application/json',
  'accept-encoding': 'identity',
  'content-type': 'application/json',
  'content-length': String(Buffer.byteLength(body)),
  'user-agent': 'footnote',
  ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
});

function parsed(caller: Caller, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new RagError(
      'driver-unavailable',
      `${caller.service} (${caller.url.host}) answered with something else than JSON`,
      {
        hint: `check ${caller.section}.baseUrl`,
        cause,
      },
    );
  }
}
