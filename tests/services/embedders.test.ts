/** Each provider's wire format, as its documentation has it, spoken by a local server. */
import { afterEach, describe, expect, test } from 'vitest';
import type { Embedder } from '../../src/core/contracts.ts';
import type { RagError } from '../../src/core/errors.ts';
import type { EmbedderSettings } from '../../src/core/settings.ts';
import cohere from '../../src/embedders/cohere.ts';
import ollama from '../../src/embedders/ollama.ts';
import openai from '../../src/embedders/openai.ts';
import type { ServiceEmbedderOptions } from '../../src/embedders/service.ts';
import voyage from '../../src/embedders/voyage.ts';
import { HTTP, openaiAnswer, openaiError, replay, vectorOf, type Answer, type Asked, type Replay } from './replay.ts';

type Use = 'openai' | 'cohere' | 'voyage' | 'ollama';
const DRIVERS = { openai, cohere, voyage, ollama };
const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

async function serving(answer: Parameters<typeof replay>[0]): Promise<Replay> {
  const server = await replay(answer);
  cleanUp.push(() => server.close());
  return server;
}

async function embedder(use: Use, url: string | null, settings: Partial<EmbedderSettings> = {}): Promise<Embedder> {
  const options: ServiceEmbedderOptions = {
    settings: { use, model: '', baseUrl: url, keyVariable: 'TEST_KEY', dimensions: null, ...settings },
    http: HTTP,
    environment: { TEST_KEY: 'the-key' },
  };
  const made = await DRIVERS[use](options);
  cleanUp.push(() => made.close?.());
  return made;
}

const failure = (promise: Promise<unknown>): Promise<RagError> =>
  promise.then(
    () => Promise.reject(new Error('was answered')),
    (error: unknown) => error as RagError,
  );

const unit = (vector: readonly number[]): number[] => {
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
};
const isVectorOf = (vector: Float32Array | undefined, text: string): void => {
  const expected = unit(vectorOf(text, (vector as Float32Array).length));
  const off = (vector as Float32Array).map((value, i) => Math.abs(value - (expected[i] as number)));
  expect(Math.max(...off)).toBeLessThan(1e-6);
};
const inputs = ({ asked }: Replay, field: string): number[] =>
  asked.map(({ body }) => (body[field] as unknown[]).length);

const cohereAnswer =
  (dimensions: number) =>
  ({ body }: Asked): Answer => {
    const texts = body['texts'] as string[];
    return {
      json: {
        id: 'da6e531f-54c5-4a73-bf92-f60566d8d753',
        embeddings: { float: texts.map((text) => vectorOf(text, dimensions)) },
        texts,
        response_type: 'embeddings_by_type',
        meta: { api_version: { version: '2', is_experimental: true }, billed_units: { input_tokens: 2 } },
      },
    };
  };
const voyageAnswer =
  (dimensions: number) =>
  ({ body }: Asked): Answer => {
    const input = body['input'] as string[];
    const data = input.map((text, index) => ({ object: 'embedding', embedding: vectorOf(text, dimensions), index }));
    return { json: { object: 'list', data, model: body['model'], usage: { total_tokens: 10 } } };
  };
const ollamaAnswer =
  (dimensions: number) =>
  ({ body }: Asked): Answer => ({
    json: {
      model: body['model'],
      embeddings: (body['input'] as string[]).map((text) => vectorOf(text, dimensions)),
      total_duration: 14143917,
      load_duration: 1019500,
      prompt_eval_count: 8,
    },
  });

const ANSWERS: Record<Use, (dimensions: number) => (asked: Asked) => Answer> = {
  openai: (dimensions) => (asked) => openaiAnswer(asked, dimensions),
  cohere: cohereAnswer,
  voyage: voyageAnswer,
  ollama: ollamaAnswer,
};
const MODEL: Record<Use, { model: string; dimensions: number; field: string; batch: number }> = {
  openai: { model: 'text-embedding-3-small', dimensions: 1536, field: 'input', batch: 32 },
  cohere: { model: 'embed-english-v3.0', dimensions: 1024, field: 'texts', batch: 96 },
  voyage: { model: 'voyage-3.5', dimensions: 1024, field: 'input', batch: 128 },
  ollama: { model: 'all-minilm', dimensions: 384, field: 'input', batch: 8 },
};

// [S3-embedding-provider] [S4-openai-alternative]
describe('what is sent', () => {
  test('OpenAI', async () => {
    const server = await serving((asked) => openaiAnswer(asked, 1536));
    await (await embedder('openai', `${server.url}/v1`)).embed(['a', 'b'], 'passage');
    expect(server.asked).toMatchObject([{ path: '/v1/embeddings', headers: { authorization: 'Bearer the-key' } }]);
    expect(server.asked[0]?.body).toEqual({
      model: 'text-embedding-3-small',
      input: ['a', 'b'],
      encoding_format: 'float',
    });
  });

  test('OpenAI, shorter vectors', async () => {
    const server = await serving((asked) => openaiAnswer(asked, 256));
    const one = await embedder('openai', server.url, { model: 'text-embedding-3-large', dimensions: 256 });
    await one.embed(['a'], 'query');
    expect(server.asked[0]?.body).toMatchObject({ model: 'text-embedding-3-large', dimensions: 256 });
    expect(one.dimensions).toBe(256);
  });

  test.each([
    ['query', 'search_query'],
    ['passage', 'search_document'],
  ] as const)('Cohere, %s', async (as, inputType) => {
    const server = await serving(cohereAnswer(512));
    await (await embedder('cohere', server.url, { dimensions: 512 })).embed(['a'], as);
    expect(server.asked[0]?.path).toBe('/v2/embed');
    expect(server.asked[0]?.body).toEqual({
      model: 'embed-v4.0',
      texts: ['a'],
      input_type: inputType,
      embedding_types: ['float'],
      truncate: 'NONE',
      output_dimension: 512,
    });
  });

  test.each([
    ['query', 'query'],
    ['passage', 'document'],
  ] as const)('Voyage AI, %s', async (as, inputType) => {
    const server = await serving(voyageAnswer(2048));
    await (await embedder('voyage', `${server.url}/v1`, { dimensions: 2048 })).embed(['a'], as);
    expect(server.asked[0]?.path).toBe('/v1/embeddings');
    expect(server.asked[0]?.body).toEqual({
      model: 'voyage-3.5',
      input: ['a'],
      input_type: inputType,
      truncation: false,
      output_dimension: 2048,
    });
  });

  test.each([
    ['query', 'search_query: a'],
    ['passage', 'search_document: a'],
  ] as const)('Ollama, %s: with the prompt that the model was trained with', async (as, input) => {
    const server = await serving(ollamaAnswer(768));
    await (await embedder('ollama', server.url)).embed(['a'], as);
    expect(server.asked[0]?.path).toBe('/api/embed');
    expect(server.asked[0]?.body).toEqual({
      model: 'nomic-embed-text',
      input: [input],
      truncate: false,
      options: { num_ctx: 2048 },
    });
  });

  test('an open model behind an OpenAI-compatible server gets its prompts too', async () => {
    const server = await serving((asked) => openaiAnswer(asked, 384));
    const one = await embedder('openai', server.url, { model: 'BAAI/bge-small-en-v1.5', keyVariable: null });
    await one.embed(['how?'], 'query');
    await one.embed(['so'], 'passage');
    expect(server.asked.map(({ body }) => body['input'])).toEqual([
      ['Represent this sentence for searching relevant passages: how?'],
      ['so'],
    ]);
    expect(server.asked[0]?.headers.authorization).toBeUndefined();
    expect(one.dimensions).toBe(384);
    // What the longer prompt takes is not left for the text.
    expect(one.maxTokens).toBe(512 - one.countTokens('Represent this sentence for searching relevant passages: '));
  });
});

describe.each(Object.keys(DRIVERS) as Use[])('%s', (use) => {
  const { model, dimensions, field, batch } = MODEL[use];

  // [S4-batching] [S1-normalize]
  test('vectors in the order of the texts, of length one, in requests of the allowed size', async () => {
    const server = await serving(ANSWERS[use](dimensions));
    const one = await embedder(use, server.url, { model });
    const texts = Array.from({ length: 2 * batch + 3 }, (_, i) => `text ${i}`);
    const vectors = await one.embed(texts, 'passage');
    expect(inputs(server, field).toSorted((a, b) => b - a)).toEqual([batch, batch, 3]);
    texts.forEach((text, i) => isVectorOf(vectors[i], text));
  });

  test('blank texts are not sent: their vector is zero', async () => {
    const server = await serving(ANSWERS[use](dimensions));
    const one = await embedder(use, server.url, { model });
    const [blank, text, none] = await one.embed([' \n', 'text', ''], 'passage');
    expect(inputs(server, field)).toEqual([1]);
    expect([blank, none].map((vector) => vector?.every((value) => value === 0))).toEqual([true, true]);
    isVectorOf(text, 'text');
    expect(await one.embed([''], 'query')).toHaveLength(1);
    expect(server.asked).toHaveLength(1);
  });

  test('half of a surrogate pair is replaced: no service reads it', async () => {
    const server = await serving(ANSWERS[use](dimensions));
    await (await embedder(use, server.url, { model })).embed(['a\ud83d', '😀'], 'passage');
    expect(server.asked[0]?.body[field]).toEqual(['a\ufffd', '😀']);
  });

  test('a length that the model does not have is refused before anything is sent', async () => {
    const server = await serving(ANSWERS[use](dimensions));
    const error = await failure(embedder(use, server.url, { model, dimensions: 7777 }));
    expect(error).toMatchObject({ code: 'setting-invalid' });
    expect(error.hint).toContain('embed.dimensions');
    expect(server.asked).toHaveLength(0);
  });

  test('nothing is sent, and no key is asked for, before there is something to embed', async () => {
    const one = await DRIVERS[use]({
      settings: { use, model, baseUrl: null, keyVariable: 'NOT_SET', dimensions: null },
      http: HTTP,
      environment: {},
    });
    expect(one).toMatchObject({ dimensions, model: `${use}/${model}/${dimensions}` });
    const error = await failure(one.embed(['a'], 'query'));
    expect(error.message).toContain('NOT_SET is not set');
  });

  test('the name says provider, model, length, and which server where it is another', async () => {
    const one = await embedder(use, 'https://gateway.example:8443/v1', { model });
    expect(one.model).toBe(`${use}/${model}/${dimensions}@gateway.example:8443`);
  });

  test('a stop stops all requests', async () => {
    const server = await serving(() => () => undefined);
    const one = await embedder(use, server.url, { model });
    const stop = new AbortController();
    const texts = Array.from({ length: 3 * batch }, (_, i) => `text ${i}`);
    const call = one.embed(texts, 'passage', { signal: stop.signal });
    setTimeout(() => stop.abort(new Error('enough')), 100);
    expect((await failure(call)).message).toBe('enough');
  });

  test.each<[string, (dimensions: number) => (asked: Asked) => Answer, string]>([
    ['too few', (d) => (asked) => ANSWERS[use](d)({ ...asked, body: { ...asked.body, [field]: ['x'] } }), 'vector'],
    ['too short', (d) => ANSWERS[use](d - 1), `${dimensions - 1} numbers, not ${dimensions}`],
    ['none', () => () => ({ json: { ok: true } }), 'vector'],
    ['null', () => () => ({ json: null }), 'vector'],
  ])('vectors that cannot be right are an error: %s', async (_, answer, words) => {
    const server = await serving(answer(dimensions));
    const error = await failure((await embedder(use, server.url, { model })).embed(['a', 'b'], 'passage'));
    expect(error).toMatchObject({ code: 'driver-unavailable' });
    expect(error.message).toContain(words);
  });
});

// [S3-embedding-provider] [S3-embedding-model] [S3-embedding-dimensions] [S0-embedding-dimensions] [S4-openai-alternative]
test.each<[Use, string, string, number, number]>([
  ['openai', 'https://api.openai.com/v1', '', 1536, 8191],
  ['openai', 'https://api.openai.com/v1', 'text-embedding-3-large', 3072, 8191],
  ['openai', 'https://api.openai.com/v1', 'text-embedding-ada-002', 1536, 8191],
  ['cohere', 'https://api.cohere.com', '', 1536, 128_000],
  ['cohere', 'https://api.cohere.com', 'embed-english-v3.0', 1024, 512],
  ['cohere', 'https://api.cohere.com', 'embed-multilingual-light-v3.0', 384, 512],
  ['voyage', 'https://api.voyageai.com/v1', '', 1024, 32_000],
  ['voyage', 'https://api.voyageai.com/v1', 'voyage-law-2', 1024, 16_000],
  ['ollama', 'http://localhost:11434', 'bge-m3', 1024, 8192],
])('%s at %s, model "%s": %i dimensions, %i tokens', async (use, url, model, dimensions, maxTokens) => {
  const one = await embedder(use, url, { model });
  expect(one).toMatchObject({ dimensions, maxTokens });
  expect(one.model).not.toContain('@');
});

describe('texts that are too long', () => {
  const TOO_LONG: Record<Use, Answer> = {
    openai: openaiError(400, "Invalid 'input[0]': maximum input length is 8192 tokens."),
    cohere: {
      status: 400,
      json: { message: 'too many tokens: total number of tokens in the prompt cannot exceed 512' },
    },
    voyage: {
      status: 400,
      json: {
        detail:
          "Request to model 'voyage-3.5' failed. The example at index 0 in your batch has too many tokens and does not fit into the model's context window of 32000 tokens.",
      },
    },
    ollama: { status: 400, json: { error: 'the input length exceeds the context length' } },
  };

  test.each(Object.keys(DRIVERS) as Use[])('%s: the document fails, or the question; nothing is cut', async (use) => {
    const server = await serving(() => TOO_LONG[use]);
    const one = await embedder(use, server.url, { model: MODEL[use].model });
    const failed = await failure(one.embed(['long'], 'passage'));
    expect(failed).toMatchObject({ code: 'document-failed', hint: 'choose smaller chunks: chunk.maxTokens' });
    expect((await failure(one.embed(['long'], 'query'))).code).toBe('question-invalid');
  });

  test('a request of too many tokens is halved until it fits', async () => {
    const server = await serving((asked) =>
      (asked.body['input'] as string[]).length > 5
        ? openaiError(400, 'Requested 453357 tokens, max 300000 tokens per request', 'max_tokens_per_request')
        : openaiAnswer(asked, 1536),
    );
    const texts = Array.from({ length: 20 }, (_, i) => `text ${i}`);
    const vectors = await (await embedder('openai', server.url)).embed(texts, 'passage');
    texts.forEach((text, i) => isVectorOf(vectors[i], text));
    expect(inputs(server, 'input')).toEqual([20, 10, 5, 5, 10, 5, 5]);
  });

  test('requests keep to the tokens that a model takes at once', async () => {
    const server = await serving(voyageAnswer(1024));
    const one = await embedder('voyage', server.url, { model: 'voyage-code-3' });
    const text = 'const value = compute(another, thing);\n'.repeat(600);
    const tokens = one.countTokens(text);
    await one.embed(
      Array.from({ length: 30 }, (_, i) => `${i} ${text}`),
      'passage',
    );
    const sizes = inputs(server, 'input');
    expect(sizes.reduce((sum, size) => sum + size)).toBe(30);
    expect(Math.max(...sizes) * tokens).toBeLessThanOrEqual(120_000);
    expect(sizes.length).toBe(Math.ceil(30 / Math.floor(120_000 / (tokens + 2))));
  });
});

describe('the count of tokens', () => {
  // Tokens of cl100k_base, counted with gpt-tokenizer 4.0.0.
  test.each([
    ['The quick brown fox jumps over the lazy dog.', 10],
    ['    if (value === undefined) {\n        return null;\n    }\n', 14],
    ['DB_HOST=localhost\nPOSTGRES_PASSWORD=hunter2\n', 11],
    ['日本語のテキストはトークンが多い。', 17],
    ['สวัสดีชาวโลก นี่คือข้อความภาษาไทย', 33],
    ['👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 36],
    ['aGVsbG8gd29ybGQsIHRoaXMgaXMgYmFzZTY0IGVuY29kZWQ=', 33],
  ])('is not below the real one: %s', async (text, tokens) => {
    const { countTokens } = await embedder('openai', 'http://localhost:1');
    expect(countTokens(text)).toBeGreaterThanOrEqual(tokens);
    expect(countTokens(text)).toBeLessThanOrEqual(3 * tokens);
  });
});

describe('models that nobody described', () => {
  test('OpenAI-compatible: one call with one word tells the length', async () => {
    const server = await serving((asked) => openaiAnswer(asked, 77));
    const one = await embedder('openai', server.url, { model: 'my/own-model' });
    expect(server.asked).toMatchObject([{ body: { model: 'my/own-model', input: ['dimensions'] } }]);
    expect(one).toMatchObject({ dimensions: 77, maxTokens: 512 });
    await one.embed(['a'], 'passage');
    expect(server.asked[1]?.body).not.toHaveProperty('dimensions');
  });

  test('OpenAI-compatible: a length that is said is asked for, and held to', async () => {
    const server = await serving((asked) => openaiAnswer(asked, 64));
    const one = await embedder('openai', server.url, { model: 'own', dimensions: 64 });
    expect(server.asked).toHaveLength(0);
    await one.embed(['a'], 'passage');
    expect(server.asked[0]?.body).toMatchObject({ dimensions: 64 });
  });

  test.each(['cohere', 'voyage'] as const)('%s: the length has to be said', async (use) => {
    const error = await failure(embedder(use, 'http://localhost:1', { model: 'next-v9' }));
    expect(error).toMatchObject({ code: 'setting-invalid' });
    expect(error.hint).toContain('embed.dimensions');
    const one = await embedder(use, 'http://localhost:1', { model: 'next-v9', dimensions: 99 });
    expect(one.dimensions).toBe(99);
  });

  test('Ollama: the server is asked', async () => {
    const server = await serving((asked) =>
      asked.path === '/api/show'
        ? {
            json: {
              details: { family: 'qwen3' },
              model_info: {
                'general.architecture': 'qwen3',
                'qwen3.context_length': 32768,
                'qwen3.embedding_length': 1024,
              },
              capabilities: ['embedding'],
            },
          }
        : ollamaAnswer(1024)(asked),
    );
    const one = await embedder('ollama', server.url, { model: 'qwen3-embedding:0.6b' });
    expect(server.asked).toMatchObject([{ path: '/api/show', body: { model: 'qwen3-embedding:0.6b' } }]);
    expect(one).toMatchObject({ dimensions: 1024, maxTokens: 8192 });
    await one.embed(['a'], 'passage');
    expect(server.asked[1]?.body).toMatchObject({ options: { num_ctx: 8192 } });
  });

  test('Ollama: a model that was not pulled', async () => {
    const server = await serving(() => ({ status: 404, json: { error: 'model "nomic-embed-text" not found' } }));
    const error = await failure((await embedder('ollama', server.url)).embed(['a'], 'query'));
    expect(error.hint).toBe('ollama pull nomic-embed-text');
  });

  test('Ollama: not running', async () => {
    const server = await serving(() => ({ json: {} }));
    const { url } = server;
    await server.close();
    const error = await failure((await embedder('ollama', url)).embed(['a'], 'query'));
    expect(error.message).toContain('nothing listens there');
  });
});
