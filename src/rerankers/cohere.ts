/** Cohere's rerankers (`POST /v2/rerank`). The service reads the first 4,096 tokens of a text. */
import type { Reranker } from '../core/contracts.ts';
import { serviceReranker, type ServiceRerankerOptions } from './service.ts';

export default function cohereReranker(options: ServiceRerankerOptions): Reranker {
  return serviceReranker(
    {
      use: 'cohere',
      provider: {
        name: 'Cohere',
        baseUrl: 'https://api.cohere.com',
        keyVariables: ['COHERE_API_KEY', 'CO_API_KEY'],
      },
      defaultModel: 'rerank-v3.5',
      path: '/v2/rerank',
      body: (model, query, documents, topK) => ({ model, query, documents, top_n: topK }),
      results: 'results',
    },
    options,
  );
}
