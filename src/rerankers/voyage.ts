/** Voyage AI's rerankers (`POST /rerank`). Texts that are too long are refused (`truncation: false`), never cut. */
import type { Reranker } from '../core/contracts.ts';
import { serviceReranker, type ServiceRerankerOptions } from './service.ts';

export default function voyageReranker(options: ServiceRerankerOptions): Reranker {
  return serviceReranker(
    {
      use: 'voyage',
      provider: { name: 'Voyage AI', baseUrl: 'https://api.voyageai.com/v1', keyVariables: ['VOYAGE_API_KEY'] },
      defaultModel: 'rerank-2.5',
      path: '/rerank',
      body: (model, query, documents, topK) => ({
        model,
        query,
        documents,
        top_k: topK,
        return_documents: false,
        truncation: false,
      }),
      results: 'data',
    },
    options,
  );
}
