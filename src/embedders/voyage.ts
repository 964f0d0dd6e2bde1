/** Voyage AI's embeddings (`POST /embeddings`). Texts that are too long are refused (`truncation: false`), never cut. */
import type { Embedder } from '../core/contracts.ts';
import { endpointOf, type Provider } from '../http/endpoint.ts';
import { jsonClient } from '../http/json-client.ts';
import { inOrderOfIndex } from './in-order.ts';
import { modelOf, serviceEmbedder, type ServiceEmbedderOptions, type ServiceModel } from './service.ts';

const VOYAGE: Provider = {
  name: 'Voyage AI',
  baseUrl: 'https://api.voyageai.com/v1',
  keyVariables: ['VOYAGE_API_KEY'],
};

const DEFAULT_MODEL = 'voyage-3.5';

interface VoyageModel extends ServiceModel {
  /** Of all texts of a request. */
  readonly requestTokens: number;
}

const FLEXIBLE = { dimensions: 1024, maxTokens: 32_000, lengths: [256, 512, 2048] } as const;

const MODELS: Readonly<Record<string, VoyageModel>> = {
  'voyage-4-large': { ...FLEXIBLE, requestTokens: 120_000 },
  'voyage-4': { ...FLEXIBLE, requestTokens: 320_000 },
  'voyage-4-lite': { ...FLEXIBLE, requestTokens: 1_000_000 },
  'voyage-3-large': { ...FLEXIBLE, requestTokens: 120_000 },
  'voyage-3.5': { ...FLEXIBLE, requestTokens: 320_000 },
  'voyage-3.5-lite': { ...FLEXIBLE, requestTokens: 1_000_000 },
  'voyage-code-3': { ...FLEXIBLE, requestTokens: 120_000 },
  'voyage-finance-2': { dimensions: 1024, maxTokens: 32_000, requestTokens: 120_000 },
  'voyage-law-2': { dimensions: 1024, maxTokens: 16_000, requestTokens: 120_000 },
};

const INPUT_TYPE = { query: 'query', passage: 'document' } as const;

export default async function voyageEmbedder(options: ServiceEmbedderOptions): Promise<Embedder> {
  const { settings, http, environment } = options;
  const endpoint = endpointOf(VOYAGE, settings, 'embed', environment);
  const client = jsonClient({ endpoint, settings: http });
  const { model, known, dimensions } = modelOf(settings, MODELS, DEFAULT_MODEL);
  return serviceEmbedder({
    use: 'voyage',
    endpoint,
    model,
    dimensions,
    maxTokens: known?.maxTokens ?? 4000,
    // 1,000 by its documentation, 128 by the one before.
    maxTexts: 128,
    maxRequestTokens: known?.requestTokens ?? 120_000,
    async request(input, as, call) {
      const body = {
        model,
        input,
        input_type: INPUT_TYPE[as],
        truncation: false,
        ...(dimensions === known?.dimensions ? {} : { output_dimension: dimensions }),
      };
      return inOrderOfIndex(await client.post('/embeddings', body, call), input.length, endpoint);
    },
    close: () => client.close(),
  });
}
