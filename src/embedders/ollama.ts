/**
 * Models that an Ollama server has pulled (`POST /api/embed`). Texts that are too long are refused
 * (`truncate: false`), never cut.
 */
import type { Embedder } from '../core/contracts.ts';
import { RagError } from '../core/errors.ts';
import { endpointOf, type Endpoint, type Provider } from '../http/endpoint.ts';
import { ServiceRefusal } from '../http/failures.ts';
import { jsonClient, type JsonClient } from '../http/json-client.ts';
import { listOf, property, unexpected } from '../http/shape.ts';
import { knownModel } from './models.ts';
import { lengthOf, serviceEmbedder, type ServiceEmbedderOptions, type ServiceModel } from './service.ts';

const OLLAMA: Provider = { name: 'Ollama', baseUrl: 'http://localhost:11434', keyVariables: [] };

const DEFAULT_MODEL = 'nomic-embed-text';

interface OllamaModel extends ServiceModel {
  /** Ollama embeds what it is given: the prompts that a model was trained with are ours to add. */
  readonly prompts?: { readonly query: string; readonly passage: string };
}

const RETRIEVAL = 'Represent this sentence for searching relevant passages: ';

/** By name, without the tag. Sizes other than the smallest are asked of the server. */
const MODELS: Readonly<Record<string, OllamaModel>> = {
  'nomic-embed-text': {
    dimensions: 768,
    maxTokens: 2048,
    lengths: 'any',
    prompts: { query: 'search_query: ', passage: 'search_document: ' },
  },
  'mxbai-embed-large': { dimensions: 1024, maxTokens: 512, prompts: { query: RETRIEVAL, passage: '' } },
  'all-minilm': { dimensions: 384, maxTokens: 256 },
  'bge-m3': { dimensions: 1024, maxTokens: 8192 },
  'bge-large': { dimensions: 1024, maxTokens: 512, prompts: { query: RETRIEVAL, passage: '' } },
};

/** As Ollama's context; larger ones take memory that no chunk needs. */
const MOST_TOKENS = 8192;

export default async function ollamaEmbedder(options: ServiceEmbedderOptions): Promise<Embedder> {
  const { settings, http, environment } = options;
  const endpoint = endpointOf(OLLAMA, settings, 'embed', environment);
  const client = pulling(jsonClient({ endpoint, settings: http }), endpoint);
  const model = settings.model === '' ? DEFAULT_MODEL : settings.model;
  const [name = model, tag = 'latest'] = model.split(':');
  const known = tag === 'latest' ? MODELS[name] : undefined;
  const found = known ?? (await shown(client, endpoint, model));
  const prompts = (known ?? knownModel(name))?.prompts;
  const dimensions = lengthOf(model, found, settings.dimensions);
  const maxTokens = Math.min(found.maxTokens, MOST_TOKENS);

  return serviceEmbedder({
    use: 'ollama',
    endpoint,
    model,
    dimensions,
    maxTokens,
    // On a CPU 32 texts of 2,500 characters may take a minute: small requests stay within the time for one.
    maxTexts: 8,
    maxRequestTokens: MOST_TOKENS,
    ...(prompts === undefined ? {} : { prompts }),
    async request(input, _as, call) {
      const body = {
        model,
        input,
        truncate: false,
        // The server's default may be smaller than what the model reads.
        options: { num_ctx: maxTokens },
        ...(dimensions === found.dimensions ? {} : { dimensions }),
      };
      return listOf(property(await client.post('/api/embed', body, call), 'embeddings')) ?? [];
    },
    close: () => client.close(),
  });
}

/** What the server says of a model: `model_info` names the architecture, and by it the length and the context. */
async function shown(client: JsonClient, endpoint: Endpoint, model: string): Promise<ServiceModel> {
  const info = property(await client.post('/api/show', { model }), 'model_info');
  const architecture = String(property(info, 'general.architecture'));
  const [dimensions, maxTokens] = ['embedding_length', 'context_length'].map((what) =>
    property(info, `${architecture}.${what}`),
  );
  if (typeof dimensions !== 'number' || typeof maxTokens !== 'number')
    throw unexpected(endpoint, `it does not say how long vectors of ${model} are`);
  return { dimensions, maxTokens, lengths: 'any' };
}

/** A model that was not pulled: the command that does it. */
function pulling(client: JsonClient, { baseUrl }: Endpoint): JsonClient {
  return {
    ...client,
    post: (path, body, call) =>
      client.post(path, body, call).catch((error: unknown) => {
        if (!(error instanceof ServiceRefusal) || error.status !== 404) throw error;
        const model = String(property(body, 'model'));
        throw new RagError('driver-unavailable', `Ollama (${baseUrl.host}) has no model ${model}`, {
          hint: `ollama pull ${model}`,
          cause: error,
        });
      }),
  };
}
