/** What rerankers behind an address have in common: each text that was sent comes back at most once, and no other. */
import type { CallOptions, Reranker } from '../core/contracts.ts';
import type { HttpSettings, RerankSettings } from '../core/settings.ts';
import { endpointOf, type Provider } from '../http/endpoint.ts';
import { jsonClient } from '../http/json-client.ts';
import { listOf, property, unexpected } from '../http/shape.ts';

export interface ServiceRerankerOptions {
  readonly settings: Pick<RerankSettings, 'model' | 'baseUrl' | 'keyVariable'>;
  readonly http: HttpSettings;
  /** Where keys are: `process.env`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface RerankService {
  /** The driver's name, e.g. `jina`. */
  readonly use: string;
  readonly provider: Provider;
  readonly defaultModel: string;
  /** Below the base address. */
  readonly path: string;
  body(model: string, query: string, texts: readonly string[], topK: number): unknown;
  /** Where the answer has the list of `{index, relevance_score}`. */
  readonly results: string;
}

export function serviceReranker(service: RerankService, options: ServiceRerankerOptions): Reranker {
  const { settings, http, environment } = options;
  const endpoint = endpointOf(service.provider, settings, 'rerank', environment);
  const client = jsonClient({ endpoint, settings: http });
  const model = settings.model === '' ? service.defaultModel : settings.model;

  const rerank: Reranker['rerank'] = async (query, texts, { topK, signal }) => {
    const wanted = Math.min(topK, texts.length);
    if (wanted === 0) return [];
    const call: CallOptions = signal === undefined ? {} : { signal };
    const answer = await client.post(service.path, service.body(model, query, texts, wanted), call);
    const scores = new Map<number, number>();
    for (const item of listOf(property(answer, service.results)) ?? []) {
      const [index, score] = [property(item, 'index'), property(item, 'relevance_score')];
      if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= texts.length)
        throw unexpected(endpoint, `it ranks a text ${String(index)} that was not sent`);
      if (scores.has(index)) throw unexpected(endpoint, `it ranks text ${index} twice`);
      if (typeof score !== 'number' || !Number.isFinite(score))
        throw unexpected(endpoint, `text ${index} has no score`);
      scores.set(index, score);
    }
    if (scores.size < wanted) throw unexpected(endpoint, `it ranks ${scores.size} texts of ${wanted}`);
    return [...scores]
      .map(([index, score]) => ({ index, score }))
      .sort((a, b) => b.score - a.score || a.index - b.index)
      .slice(0, wanted);
  };

  return {
    model: `${service.use}/${model}${endpoint.own ? '' : `@${endpoint.baseUrl.host}`}`,
    rerank,
    close: async () => client.close(),
  };
}
