import { afterEach, describe, expect, test } from 'vitest';
import type { Reranker } from '../../src/core/contracts.ts';
import type { RagError } from '../../src/core/errors.ts';
import cohere from '../../src/rerankers/cohere.ts';
import jina from '../../src/rerankers/jina.ts';
import voyage from '../../src/rerankers/voyage.ts';
import { HTTP, replay, type Answer, type Replay } from './replay.ts';

type Use = 'jina' | 'cohere' | 'voyage';
const DRIVERS = { jina, cohere, voyage };
const PATHS = { jina: '/rerank', cohere: '/v2/rerank', voyage: '/rerank' };
const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

async function serving(answer: Parameters<typeof replay>[0]): Promise<Replay> {
  const server = await replay(answer);
  cleanUp.push(() => server.close());
  return server;
}

function reranker(use: Use, baseUrl: string | null, keyVariable: string | null = 'TEST_KEY'): Reranker {
  const environment = { TEST_KEY: 'the-key' };
  const made = DRIVERS[use]({ settings: { model: '', baseUrl, keyVariable }, http: HTTP, environment });
  cleanUp.push(() => made.close?.());
  return made;
}

type Ranked = readonly { readonly index: unknown; readonly relevance_score: unknown }[];
/** Each provider's answer, with these results. */
const ANSWERS: Record<Use, (results: Ranked) => Answer> = {
  jina: (results) => ({
    json: { model: 'jina-reranker-v2-base-multilingual', usage: { total_tokens: 815 }, results },
  }),
  cohere: (results) => ({
    json: {
      results,
      id: '07734bd2-2473-4f07-94e1-0d9f0e6843cf',
      meta: { api_version: { version: '2', is_experimental: false }, billed_units: { search_units: 1 } },
    },
  }),
  voyage: (data) => ({ json: { object: 'list', data, model: 'rerank-2.5', usage: { total_tokens: 26 } } }),
};

const failure = (promise: Promise<unknown>): Promise<RagError> =>
  promise.then(
    () => Promise.reject(new Error('was answered')),
    (error: unknown) => error as RagError,
  );

const TEXTS = ['zero', 'one', 'two', 'three'];

describe('what is sent', () => {
  const RESULTS = [{ index: 1, relevance_score: 0.9 }];

  // [S0-jina-request] [S0-jina-model] [S0-jina-auth] [S0-jina-response] [S0-jina-top-n]
  test.each<[Use, Readonly<Record<string, unknown>>]>([
    [
      'jina',
      { model: 'jina-reranker-v2-base-multilingual', query: 'q', documents: TEXTS, top_n: 1, return_documents: false },
    ],
    ['cohere', { model: 'rerank-v3.5', query: 'q', documents: TEXTS, top_n: 1 }],
    [
      'voyage',
      { model: 'rerank-2.5', query: 'q', documents: TEXTS, top_k: 1, return_documents: false, truncation: false },
    ],
  ])('%s', async (use, body) => {
    const server = await serving(() => ANSWERS[use](RESULTS));
    expect(await reranker(use, `${server.url}/v1`).rerank('q', TEXTS, { topK: 1 })).toEqual([{ index: 1, score: 0.9 }]);
    expect(server.asked).toMatchObject([
      { path: `/v1${PATHS[use]}`, headers: { authorization: 'Bearer the-key' }, method: 'POST' },
    ]);
    expect(server.asked[0]?.body).toEqual(body);
  });

  // [S0-jina-auth]
  test('the addresses and keys of the providers', async () => {
    // [S0-jina-url]: a model at another address than the provider's own has that in its name.
    expect(reranker('jina', 'https://api.jina.ai/v1').model).toBe('jina/jina-reranker-v2-base-multilingual');
    expect(reranker('cohere', 'https://api.cohere.com').model).toBe('cohere/rerank-v3.5');
    expect(reranker('voyage', 'https://api.voyageai.com/v1').model).toBe('voyage/rerank-2.5');
    const names = { jina: 'JINA_API_KEY', cohere: 'COHERE_API_KEY or CO_API_KEY', voyage: 'VOYAGE_API_KEY' };
    for (const use of Object.keys(DRIVERS) as Use[]) {
      const one = reranker(use, null, null);
      expect(one.model).not.toContain('@');
      expect((await failure(one.rerank('q', TEXTS, { topK: 4 }))).message).toContain(`${names[use]} is not set`);
    }
  });
});

describe.each(Object.keys(DRIVERS) as Use[])('%s', (use) => {
  const ranked = (...pairs: readonly (readonly [unknown, unknown])[]): Answer =>
    ANSWERS[use](pairs.map(([index, score]) => ({ index, relevance_score: score })));

  test('best first, whatever the order of the answer; equal scores in the order of the texts', async () => {
    const server = await serving(() => ranked([2, 0.5], [0, 0.1], [3, 0.9], [1, 0.5]));
    const order = await reranker(use, server.url).rerank('q', TEXTS, { topK: 10 });
    expect(order.map(({ index }) => index)).toEqual([3, 1, 2, 0]);
  });

  test('no more than wanted, and nothing is asked about nothing', async () => {
    const server = await serving(() => ranked([2, 0.5], [0, 0.1], [3, 0.9]));
    expect(await reranker(use, server.url).rerank('q', TEXTS, { topK: 2 })).toHaveLength(2);
    expect(await reranker(use, server.url).rerank('q', [], { topK: 2 })).toEqual([]);
    expect(server.asked).toHaveLength(1);
  });

  test.each<[string, readonly (readonly [unknown, unknown])[]]>([
    [
      'a text that was not sent',
      [
        [0, 1],
        [1, 1],
        [2, 1],
        [4, 1],
      ],
    ],
    [
      'a negative place',
      [
        [-1, 1],
        [1, 1],
        [2, 1],
        [3, 1],
      ],
    ],
    [
      'half a place',
      [
        [0.5, 1],
        [1, 1],
        [2, 1],
        [3, 1],
      ],
    ],
    [
      'a place in words',
      [
        ['0', 1],
        [1, 1],
        [2, 1],
        [3, 1],
      ],
    ],
    [
      'one twice',
      [
        [0, 1],
        [0, 0.5],
        [1, 1],
        [2, 1],
        [3, 1],
      ],
    ],
    [
      'one missing',
      [
        [0, 1],
        [1, 1],
        [2, 1],
      ],
    ],
    ['none', []],
    [
      'no score',
      [
        [0, null],
        [1, 1],
        [2, 1],
        [3, 1],
      ],
    ],
  ])('an answer with %s is an error: no passage is invented, doubled or lost', async (_, pairs) => {
    const server = await serving(() => ranked(...pairs));
    const error = await failure(reranker(use, server.url).rerank('q', TEXTS, { topK: 4 }));
    expect(error).toMatchObject({ code: 'driver-unavailable' });
    expect(error.hint).toContain('rerank.');
  });

  test('a stop is passed on', async () => {
    const server = await serving(() => () => undefined);
    const stop = new AbortController();
    const call = reranker(use, server.url).rerank('q', TEXTS, { topK: 4, signal: stop.signal });
    setTimeout(() => stop.abort(new Error('enough')), 50);
    expect((await failure(call)).message).toBe('enough');
  });
});
