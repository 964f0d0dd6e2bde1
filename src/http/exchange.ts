/** One request and its whole answer, within one deadline and one size. Redirects are answers like others. */
import { request as httpRequest, type Agent, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';

export interface Request {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly agent: Agent;
  /** For connecting, sending, waiting and receiving together. */
  readonly timeoutMilliseconds: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Why there is no answer. `cause` is the system's error, where there is one. */
export class ExchangeError extends Error {
  readonly kind: 'timeout' | 'too-large' | 'network';

  constructor(kind: ExchangeError['kind'], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ExchangeError';
    this.kind = kind;
  }
}

/** @throws ExchangeError; the signal's reason when it was aborted */
export function exchange(ask: Request): Promise<Reply> {
  const { url, signal, timeoutMilliseconds, maxBytes } = ask;
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const outgoing = send(url, { method: ask.method, agent: ask.agent, headers: ask.headers });
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      settle();
    };
    const fail = (error: Error): void => {
      end(() => reject(error));
      outgoing.destroy();
    };
    const abort = (): void => fail(signal?.reason as Error);
    const timer = setTimeout(
      () => fail(new ExchangeError('timeout', `no answer within ${timeoutMilliseconds / 1000} s`)),
      timeoutMilliseconds,
    );
    signal?.addEventListener('abort', abort, { once: true });
    outgoing.once('error', (error) => fail(new ExchangeError('network', error.message, error)));
    outgoing.once('response', (incoming) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      incoming.on('data', (part: Buffer) => {
        bytes += part.byteLength;
        if (bytes > maxBytes) fail(new ExchangeError('too-large', `the answer is longer than ${maxBytes} bytes`));
        else parts.push(part);
      });
      incoming.once('error', (error) => fail(new ExchangeError('network', error.message, error)));
      incoming.once('close', () => {
        if (!incoming.complete) fail(new ExchangeError('network', 'the connection ended in the middle of the answer'));
      });
      incoming.once('end', () => {
        const text = Buffer.concat(parts).toString('utf8');
        end(() => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text }));
      });
    });
    outgoing.end(ask.body);
  });
}
