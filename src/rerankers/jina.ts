/** Jina's rerankers (`POST /rerank`), and the servers that speak the same: vLLM, Infinity, llama.cpp, LocalAI. */
import type { Reranker } from '../core/contracts.ts';
import { serviceReranker, type ServiceRerankerOptions } from './service.ts';

export default function jinaReranker(options: ServiceRerankerOptions): Reranker {
  return serviceReranker(
    {
      use: 'jina',
      provider: { name: 'Jina', baseUrl: 'https://api.jina.ai/v1', keyVariables: ['JINA_API_KEY'] },
      // Seed 000, "Jina Reranker API".
      defaultModel: 'jina-reranker-v2-base-multilingual',
      path: '/rerank',
      body: (model, query, documents, topK) => ({ model, query, documents, top_n: topK, return_documents: false }),
      results: 'results',
    },
    options,
  );
}
