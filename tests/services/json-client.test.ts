import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { RagError } from '../../src/core/errors.ts';
import type { HttpSettings } from '../../src/core/settings.ts';
import { endpointOf } from '../../src/http/endpoint.ts';
import { retryAfter } from '../../src/http/failures.ts';
import { jsonClient, type JsonClient, type JsonClientOptions } from '../../src/http/json-client.ts';
import { defaultPreset } from '../../src/presets/default.ts';
import { HTTP, openaiError, replay, type Answer, type Replay } from './replay.ts';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

async function serving(answer: Parameters<typeof replay>[0]): Promise<Replay> {
  const server = await replay(answer);
  cleanUp.push(() => server.close());
  return server;
}

const KEY = 'sk-proj-verySecretKey123';

function client(url: string, http: Partial<HttpSettings> = {}, options: Partial<JsonClientOptions> = {}): JsonClient {
  const provider = { name: 'OpenAI', baseUrl: url, keyVariables: ['OPENAI_API_KEY'] };
  const endpoint = endpointOf(provider, { baseUrl: null, keyVariable: null }, 'embed', { OPENAI_API_KEY: KEY });
  const made = jsonClient({ endpoint, settings: { ...HTTP, ...http }, pauseMilliseconds: 5, ...options });
  cleanUp.push(() => made.close());
  return made;
}

const failure = (promise: Promise<unknown>): Promise<RagError> =>
  promise.then(
    () => Promise.reject(new Error('was answered')),
    (error: unknown) => error as RagError,
  );

const OK: Answer = { json: { ok: true } };
const later = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

test('the design’s limits are the preset’s: 30 s, 10 connections, 5 kept alive', () => {
  // [S0-client-timeout] [S0-client-connections] [S0-client-keepalive]
  expect(defaultPreset.http).toEqual({ timeoutSeconds: 30, maxConnections: 10, keepAliveConnections: 5, retries: 2 });
});

test('posts JSON with the key, and reads JSON', async () => {
  const server = await serving(() => ({ json: { grüße: '😀' } }));
  expect(await client(`${server.url}/v1/`).post('/embeddings', { input: ['é'] })).toEqual({ grüße: '😀' });
  expect(server.asked).toMatchObject([
    {
      method: 'POST',
      path: '/v1/embeddings',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'accept-encoding': 'identity' },
      body: { input: ['é'] },
    },
  ]);
});

describe('connections', () => {
  test('ten at once, five kept for the next calls', async () => {
    const server = await serving(async () => {
      await later(30);
      return OK;
    });
    const one = client(server.url);
    await Promise.all(Array.from({ length: 30 }, () => one.post('/', {})));
    expect(server.connections).toEqual({ opened: 10, busiest: 10 });
    await later(50);
    await Promise.all(Array.from({ length: 10 }, () => one.post('/', {})));
    expect(server.connections).toEqual({ opened: 15, busiest: 10 });
  });

  test('two clients of one service share them', async () => {
    // [S0-one-client]
    const server = await serving(async () => {
      await later(30);
      return OK;
    });
    const [one, other] = [client(server.url, { maxConnections: 3 }), client(server.url, { maxConnections: 3 })];
    await Promise.all(Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? one : other).post('/', {})));
    expect(server.connections.busiest).toBe(3);
    one.close();
    expect(await other.post('/', {})).toEqual({ ok: true });
  });

  test('waiting for a connection costs a call none of its time', async () => {
    const server = await serving(async () => {
      await later(150);
      return OK;
    });
    const one = client(server.url, { maxConnections: 1, timeoutSeconds: 0.4, retries: 0 });
    expect(await Promise.all(Array.from({ length: 5 }, () => one.post('/', {})))).toHaveLength(5);
  });

  test('a call that waits can be stopped, and leaves its turn to others', async () => {
    const server = await serving(async () => {
      await later(60);
      return OK;
    });
    const one = client(server.url, { maxConnections: 1 });
    const stop = new AbortController();
    const [first, waiting, last] = [one.post('/', {}), one.post('/', {}, { signal: stop.signal }), one.post('/', {})];
    stop.abort(new Error('enough'));
    expect((await failure(waiting)).message).toBe('enough');
    expect(await Promise.all([first, last])).toHaveLength(2);
    expect(server.asked).toHaveLength(2);
  });

  test('one that the service closed meanwhile is opened anew', async () => {
    const server = await serving((_, count) => (count === 2 ? (_response, socket) => socket.destroy() : OK));
    const one = client(server.url);
    await one.post('/', {});
    expect(await one.post('/', {})).toEqual({ ok: true });
    expect(server.asked).toHaveLength(3);
  });
});

describe('time', () => {
  test.each<[string, Answer]>([
    ['no first byte', () => undefined],
    [
      'a body that trickles',
      (response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write(' '), 20);
        response.once('close', () => clearInterval(timer));
      },
    ],
  ])('%s: the deadline is of the whole call', async (_, answer) => {
    const server = await serving(() => answer);
    const started = performance.now();
    const error = await failure(client(server.url, { timeoutSeconds: 0.2, retries: 1 }).post('/', {}));
    expect(error).toMatchObject({ code: 'driver-unavailable', retryable: true });
    expect(error.message).toContain('gave no answer within 0.2 s');
    expect(error.hint).toContain('http.timeoutSeconds');
    expect(server.asked).toHaveLength(2);
    expect(performance.now() - started).toBeLessThan(3000);
  });

  test('an abort ends the call at once, with its reason, and the request with it', async () => {
    const closed: boolean[] = [];
    const server = await serving(() => (response) => void response.once('close', () => closed.push(true)));
    const stop = new AbortController();
    const call = client(server.url).post('/', {}, { signal: stop.signal });
    await later(50);
    stop.abort(new Error('stopped by the user'));
    expect((await failure(call)).message).toBe('stopped by the user');
    await later(50);
    expect(closed).toEqual([true]);
    expect(server.asked).toHaveLength(1);
  });

  test('an abort ends a pause between attempts', async () => {
    const server = await serving(() => openaiError(429, 'slow down', null, { 'retry-after': '30' }));
    const stop = new AbortController();
    const call = client(server.url).post('/', {}, { signal: stop.signal });
    await later(100);
    stop.abort(new Error('stopped'));
    expect((await failure(call)).message).toBe('stopped');
  });
});

describe('attempts', () => {
  test('500, then an answer', async () => {
    const server = await serving((_, count) => (count === 1 ? openaiError(500, 'oops') : OK));
    expect(await client(server.url).post('/', {})).toEqual({ ok: true });
  });

  test.each([408, 429, 500, 502, 503, 504, 529])('%i is tried again, as often as the settings say', async (status) => {
    const server = await serving(() => openaiError(status, 'busy'));
    const error = await failure(client(server.url).post('/', {}));
    expect(error).toMatchObject({ code: 'driver-unavailable', retryable: true });
    expect(error.message).toBe(`OpenAI refused the request (${status}): busy`);
    expect(server.asked).toHaveLength(1 + HTTP.retries);
  });

  test.each([400, 401, 403, 404, 413, 422, 501])('%i is not', async (status) => {
    const server = await serving(() => openaiError(status, 'no'));
    expect((await failure(client(server.url).post('/', {}))).retryable).toBe(false);
    expect(server.asked).toHaveLength(1);
  });

  test('an account without quota is not asked again', async () => {
    const server = await serving(() => openaiError(429, 'You exceeded your current quota', 'insufficient_quota'));
    const error = await failure(client(server.url).post('/', {}));
    expect(error.hint).toContain('no quota left');
    expect(server.asked).toHaveLength(1);
  });

  test('the service says when to come back', async () => {
    const at: number[] = [];
    const server = await serving((_, count) => {
      at.push(performance.now());
      return count === 1 ? openaiError(429, 'wait', null, { 'retry-after': '1' }) : OK;
    });
    await client(server.url).post('/', {});
    expect((at[1] as number) - (at[0] as number)).toBeGreaterThan(950);
  });

  test('a pause of more than a minute is told, not slept', async () => {
    const server = await serving(() => openaiError(429, 'come back tomorrow', null, { 'retry-after': '86400' }));
    expect((await failure(client(server.url).post('/', {}))).message).toContain('come back tomorrow');
    expect(server.asked).toHaveLength(1);
  });

  test.each([
    [{ 'retry-after': '2' }, 2000],
    [{ 'retry-after-ms': '1500', 'retry-after': '2' }, 1500],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:10 GMT' }, 9000],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 0],
    [{ 'retry-after': '-5' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('Retry-After %o', (headers, milliseconds) => {
    expect(retryAfter({ headers }, 1000)).toBe(milliseconds);
  });

  test('pauses double, and vary', async () => {
    const at: number[] = [];
    const server = await serving(() => {
      at.push(performance.now());
      return openaiError(503, 'busy');
    });
    await failure(client(server.url, { retries: 3 }, { pauseMilliseconds: 80, random: () => 0.5 }).post('/', {}));
    const pauses = at.slice(1).map((time, i) => time - (at[i] as number));
    expect(pauses[0]).toBeGreaterThan(75);
    expect(pauses[1]).toBeGreaterThan(155);
    expect(pauses[2]).toBeGreaterThan(315);
  });
});

describe('answers that are none', () => {
  test('a page instead of JSON', async () => {
    const server = await serving(() => ({ text: '<html>welcome to the hotel</html>' }));
    const error = await failure(client(server.url).post('/', {}));
    expect(error.message).toContain('something else than JSON');
    expect(error.hint).toBe('check embed.baseUrl');
  });

  test('a body that breaks off is asked for again', async () => {
    const server = await serving((_, count) =>
      count === 1
        ? (response, socket) => {
            response.writeHead(200, { 'content-length': '1000' });
            response.write('{"data": [');
            setTimeout(() => socket.destroy(), 20);
          }
        : OK,
    );
    expect(await client(server.url).post('/', {})).toEqual({ ok: true });
  });

  test('more than is wanted is not read', async () => {
    const server = await serving(() => (response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'.repeat(100_000)), 1);
      response.once('close', () => clearInterval(timer));
    });
    const error = await failure(client(server.url, {}, { maxBytes: 1_000_000 }).post('/', {}));
    expect(error.message).toContain('longer than 1000000 bytes');
    expect(error.retryable).toBe(false);
    expect(server.asked).toHaveLength(1);
  });

  test('nothing listens', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const error = await failure(client(`http://127.0.0.1:${port}`).post('/', {}));
    expect(error.message).toBe(`OpenAI (127.0.0.1:${port}) cannot be reached: nothing listens there`);
    expect(error.hint).toBe('start it, or check embed.baseUrl');
  });

  test('a redirect is not followed: the key stays here', async () => {
    const elsewhere = await serving(() => OK);
    const server = await serving(() => ({ status: 307, headers: { location: elsewhere.url }, text: '' }));
    const error = await failure(client(server.url).post('/', {}));
    expect(error.hint).toContain(`redirects to ${elsewhere.url}`);
    expect(elsewhere.asked).toHaveLength(0);
  });
});

describe('what is told', () => {
  test('a refused key: the variable, never the key', async () => {
    const server = await serving(() =>
      openaiError(401, `Incorrect API key provided: ${KEY}, sk-proj-*****123. Find yours at https://example.org`),
    );
    const error = await failure(client(server.url).post('/', {}));
    expect(error.message).toBe(
      'OpenAI refused the request (401): Incorrect API key provided: …, … Find yours at https://example.org',
    );
    expect(error.hint).toBe('check the key in OPENAI_API_KEY');
    expect(JSON.stringify([error, error.message, String(error.cause)])).not.toContain(KEY);
  });

  test.each<[string, unknown, string]>([
    ['Cohere', { message: 'invalid api token' }, 'invalid api token'],
    ['Voyage AI', { detail: 'Provided API key is invalid.' }, 'Provided API key is invalid.'],
    ['Ollama', { error: 'model "x" not found, try pulling it first' }, 'model "x" not found, try pulling it first'],
    ['FastAPI', { detail: [{ loc: ['body', 'model'], msg: 'field required' }] }, 'field required'],
  ])('the words of %s', async (_, json, words) => {
    const server = await serving(() => ({ status: 400, json }));
    expect((await failure(client(server.url).post('/', {}))).message).toContain(words);
  });

  test('on one short line, without what moves a cursor', async () => {
    const server = await serving(() => openaiError(400, `a\nb\u001b[31m${'x'.repeat(5000)}`));
    const { message } = await failure(client(server.url).post('/', {}));
    expect(message).not.toMatch(/[\n\u001b]/u);
    expect(message.length).toBeLessThan(400);
  });
});

describe('keys', () => {
  const PROVIDER = { name: 'OpenAI', baseUrl: 'https://api.openai.com/v1', keyVariables: ['OPENAI_API_KEY', 'ALSO'] };
  const environment = { OPENAI_API_KEY: ' a-key\n', OTHER: 'b', ALSO: 'c' };
  const at = (baseUrl: string | null, keyVariable: string | null = null, env: NodeJS.ProcessEnv = environment) =>
    endpointOf(PROVIDER, { baseUrl, keyVariable }, 'embed', env);

  test('the provider’s own address gets that of the usual variable', () => {
    expect(at(null).key()).toBe('a-key');
    expect(at(null, null, { ALSO: 'c' }).key()).toBe('c');
    expect(at('https://api.openai.com/v2').key()).toBe('a-key');
  });

  test('another address gets one that the settings name, and no other', () => {
    expect(at('http://localhost:8000/v1').key()).toBeUndefined();
    expect(at('https://api.openai.com.evil.example/v1').key()).toBeUndefined();
    expect(at('http://api.openai.com/v1').key()).toBeUndefined();
    expect(at('https://gateway.example/v1', 'OTHER').key()).toBe('b');
  });

  test('one that is wanted and not set is an error that names it', async () => {
    const error = (() => {
      try {
        return at(null, null, { OPENAI_API_KEY: ' ' }).key();
      } catch (thrown) {
        return thrown as RagError;
      }
    })() as RagError;
    expect(error).toMatchObject({ code: 'driver-unavailable' });
    expect(error.message).toBe('OpenAI needs a key, and OPENAI_API_KEY or ALSO is not set');
    expect(error.hint).toContain('export OPENAI_API_KEY=');
    expect(() => at('https://gateway.example', 'MISSING').key()).toThrow('MISSING is not set');
  });

  test('an address with a password in it is refused', () => {
    expect(() => at('https://me:secret@gateway.example')).toThrow('must not hold a user name or a password');
  });

  test('a server that wants a key, where none is named', async () => {
    const server = await serving(() => openaiError(401, 'no'));
    const endpoint = endpointOf(PROVIDER, { baseUrl: server.url, keyVariable: null }, 'rerank', environment);
    const one = jsonClient({ endpoint, settings: HTTP });
    cleanUp.push(() => one.close());
    expect((await failure(one.post('/', {}))).hint).toContain('rerank.keyVariable');
    expect(server.asked[0]?.headers.authorization).toBeUndefined();
  });

  test('three names of this machine are one', () => {
    const ollama = { name: 'Ollama', baseUrl: 'http://localhost:11434', keyVariables: [] };
    const own = (baseUrl: string) => endpointOf(ollama, { baseUrl, keyVariable: null }, 'embed', {}).own;
    expect(['http://127.0.0.1:11434', 'http://[::1]:11434', 'http://localhost:11434/x'].map(own)).toEqual([
      true,
      true,
      true,
    ]);
    expect(own('http://localhost:11435')).toBe(false);
  });
});
