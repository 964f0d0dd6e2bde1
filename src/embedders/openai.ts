/**
 * OpenAI's embeddings (`POST /embeddings`), and every server that speaks the same: vLLM, LM Studio, llama.cpp,
 * text-embeddings-inference, LiteLLM … A server of one's own needs no key.
 */
import type { Embedder } from '../core/contracts.ts';
import { endpointOf, type Endpoint, type Provider } from '../http/endpoint.ts';
import { jsonClient } from '../http/json-client.ts';
import { listOf, property, unexpected } from '../http/shape.ts';
import { knownModel } from './models.ts';
import { inOrderOfIndex } from './in-order.ts';
import { lengthOf, serviceEmbedder, type ServiceEmbedderOptions, type ServiceModel } from './service.ts';

const OPENAI: Provider = {
  name: 'OpenAI',
  baseUrl: 'https://api.openai.com/v1',
  keyVariables: ['OPENAI_API_KEY'],
};

/** Seed 003: `OPENAI_EMBEDDING_MODEL`, `EMBEDDING_DIMENSIONS` 1536. */
const DEFAULT_MODEL = 'text-embedding-3-small';

const MODELS: Readonly<Record<string, ServiceModel>> = {
  'text-embedding-3-small': { dimensions: 1536, maxTokens: 8191, lengths: 'any' },
  'text-embedding-3-large': { dimensions: 3072, maxTokens: 8191, lengths: 'any' },
  'text-embedding-ada-002': { dimensions: 1536, maxTokens: 8191 },
};

/** For a model that nobody described: what nearly all can read. */
const CAUTIOUS_TOKENS = 512;

export default async function openaiEmbedder(options: ServiceEmbedderOptions): Promise<Embedder> {
  const { settings, http, environment } = options;
  const endpoint = named(endpointOf(OPENAI, settings, 'embed', environment));
  const client = jsonClient({ endpoint, settings: http });
  const model = settings.model === '' ? DEFAULT_MODEL : settings.model;
  // Servers of open models embed what they are given: the prompts that those models were trained with are ours to add.
  const open = endpoint.own ? undefined : knownModel(model);
  const known = MODELS[model] ?? (open === undefined ? undefined : described(open));

  const ask = async (input: readonly string[], length: number | undefined, signal?: AbortSignal): Promise<unknown> =>
    client.post(
      '/embeddings',
      { model, input, encoding_format: 'float', ...(length === undefined ? {} : { dimensions: length }) },
      signal === undefined ? {} : { signal },
    );
  const dimensions =
    known === undefined
      ? (settings.dimensions ?? (await measured(endpoint, () => ask(['dimensions'], undefined))))
      : lengthOf(model, known, settings.dimensions);
  const length = settings.dimensions === null || dimensions === known?.dimensions ? undefined : dimensions;

  return serviceEmbedder({
    use: 'openai',
    endpoint,
    model,
    dimensions,
    maxTokens: known?.maxTokens ?? (endpoint.own ? 8191 : CAUTIOUS_TOKENS),
    // The service takes 2048 texts of 300,000 tokens; more than 256 gain nothing, and lose more when they fail.
    maxTexts: endpoint.own ? 256 : 32,
    maxRequestTokens: 300_000,
    ...(open === undefined ? {} : { prompts: open.prompts }),
    request: async (texts, _as, { signal }) => inOrderOfIndex(await ask(texts, length, signal), texts.length, endpoint),
    close: () => client.close(),
  });
}

/** Another server is not OpenAI, and errors should not say so. */
const named = (endpoint: Endpoint): Endpoint =>
  endpoint.own ? endpoint : { ...endpoint, service: 'the OpenAI-compatible server' };

const described = ({ dimensions, maxTokens, shortened }: NonNullable<ReturnType<typeof knownModel>>): ServiceModel => ({
  dimensions,
  maxTokens,
  ...(shortened === undefined ? {} : { lengths: 'any' }),
});

/** One call with one word tells how long the vectors of an unknown model are. */
async function measured(endpoint: Endpoint, ask: () => Promise<unknown>): Promise<number> {
  const [first] = listOf(property(await ask(), 'data')) ?? [];
  const vector = listOf(property(first, 'embedding'));
  if (vector === undefined || vector.length === 0) throw unexpected(endpoint, 'it holds no vector');
  return vector.length;
}
