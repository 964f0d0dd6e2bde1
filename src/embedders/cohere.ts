/** Cohere's embeddings (`POST /v2/embed`). Texts that are too long are refused (`truncate: NONE`), never cut. */
import type { Embedder } from '../core/contracts.ts';
import { endpointOf, type Provider } from '../http/endpoint.ts';
import { jsonClient } from '../http/json-client.ts';
import { listOf, property } from '../http/shape.ts';
import { modelOf, serviceEmbedder, type ServiceEmbedderOptions, type ServiceModel } from './service.ts';

const COHERE: Provider = {
  name: 'Cohere',
  baseUrl: 'https://api.cohere.com',
  keyVariables: ['COHERE_API_KEY', 'CO_API_KEY'],
};

const DEFAULT_MODEL = 'embed-v4.0';

const MODELS: Readonly<Record<string, ServiceModel>> = {
  'embed-v4.0': { dimensions: 1536, maxTokens: 128_000, lengths: [256, 512, 1024] },
  'embed-english-v3.0': { dimensions: 1024, maxTokens: 512 },
  'embed-english-light-v3.0': { dimensions: 384, maxTokens: 512 },
  'embed-multilingual-v3.0': { dimensions: 1024, maxTokens: 512 },
  'embed-multilingual-light-v3.0': { dimensions: 384, maxTokens: 512 },
};

const INPUT_TYPE = { query: 'search_query', passage: 'search_document' } as const;

export default async function cohereEmbedder(options: ServiceEmbedderOptions): Promise<Embedder> {
  const { settings, http, environment } = options;
  const endpoint = endpointOf(COHERE, settings, 'embed', environment);
  const client = jsonClient({ endpoint, settings: http });
  const { model, known, dimensions } = modelOf(settings, MODELS, DEFAULT_MODEL);
  return serviceEmbedder({
    use: 'cohere',
    endpoint,
    model,
    dimensions,
    maxTokens: known?.maxTokens ?? 512,
    maxTexts: 96,
    maxRequestTokens: 128_000,
    async request(texts, as, call) {
      const body = {
        model,
        texts,
        input_type: INPUT_TYPE[as],
        embedding_types: ['float'],
        truncate: 'NONE',
        ...(dimensions === known?.dimensions ? {} : { output_dimension: dimensions }),
      };
      return listOf(property(property(await client.post('/v2/embed', body, call), 'embeddings'), 'float')) ?? [];
    },
    close: () => client.close(),
  });
}
