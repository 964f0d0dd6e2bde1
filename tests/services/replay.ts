/** A local server that answers as a provider does, and keeps what it was asked. Nothing in it is a mock of our code. */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

export type Answer =
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly json: unknown }
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly text: string }
  /** For answers that HTTP libraries do not give. */
  | ((response: ServerResponse, socket: Socket) => void);

export interface Replay {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly asked: Asked[];
  /** Connections ever opened, and the most that were busy at once. */
  readonly connections: { opened: number; busiest: number };
  close(): Promise<void>;
}

export async function replay(answer: (asked: Asked, count: number) => Answer | Promise<Answer>): Promise<Replay> {
  const asked: Asked[] = [];
  const connections = { opened: 0, busiest: 0 };
  let busy = 0;
  const server: Server = createServer((request, response) => {
    connections.busiest = Math.max(connections.busiest, ++busy);
    response.once('close', () => busy--);
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.once('end', () => {
      void (async () => {
        const { method = '', url: path = '', headers } = request;
        const one = { method, path, headers, body: JSON.parse(Buffer.concat(parts).toString('utf8')) };
        asked.push(one);
        const given = await answer(one, asked.length);
        if (typeof given === 'function') {
          given(response, request.socket);
          return;
        }
        const text = 'json' in given ? JSON.stringify(given.json) : given.text;
        response.writeHead(given.status ?? 200, { 'content-type': 'application/json', ...given.headers });
        response.end(text);
      })();
    });
  });
  server.on('connection', () => connections.opened++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    connections,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** A vector that depends on the text alone, of any length: enough to tell which text it is of. */
export function vectorOf(text: string, dimensions: number): number[] {
  let state = 2166136261;
  for (const character of text) state = Math.imul(state ^ (character.codePointAt(0) as number), 16777619) >>> 0;
  return Array.from({ length: dimensions }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}

/** OpenAI's answer to `POST /v1/embeddings`, in the order in which the service may give it: any. */
export const openaiAnswer = ({ body }: Asked, dimensions: number): Answer => {
  const input = body['input'] as readonly string[];
  const data = input.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text, dimensions) }));
  const usage = { prompt_tokens: input.length, total_tokens: input.length };
  return { json: { object: 'list', data: data.reverse(), model: body['model'], usage } };
};

/** As OpenAI says what is wrong. */
export const openaiError = (status: number, message: string, code: string | null = null, headers = {}): Answer => ({
  status,
  headers,
  json: { error: { message, type: 'invalid_request_error', param: null, code } },
});

export const HTTP = { timeoutSeconds: 5, maxConnections: 10, keepAliveConnections: 5, retries: 2 } as const;
