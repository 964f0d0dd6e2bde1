/**
 * What embedders behind an address have in common: requests within the service's limits, vectors in the order of the
 * texts and of unit length, a name that is that of the vectors, and no text that is cut.
 */
import type { CallOptions, Embedder } from '../core/contracts.ts';
import { RagError } from '../core/errors.ts';
import type { EmbedderSettings, HttpSettings } from '../core/settings.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { ServiceRefusal } from '../http/failures.ts';
import { unexpected } from '../http/shape.ts';
import { tokenEstimate } from './token-estimate.ts';

export interface ServiceEmbedderOptions {
  readonly settings: EmbedderSettings;
  readonly http: HttpSettings;
  /** Where keys are: `process.env`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** What is known of a model of a service, from its documentation. */
export interface ServiceModel {
  readonly dimensions: number;
  readonly maxTokens: number;
  /** Lengths that its vectors can have instead; none when absent, `any` for every shorter one. */
  readonly lengths?: readonly number[] | 'any';
}

export interface EmbeddingService {
  /** The driver's name, e.g. `openai`. */
  readonly use: string;
  readonly endpoint: Endpoint;
  readonly model: string;
  readonly dimensions: number;
  readonly maxTokens: number;
  /** In one request. */
  readonly maxTexts: number;
  readonly maxRequestTokens: number;
  /** Written before a text, where the service does not do that itself. */
  readonly prompts?: { readonly query: string; readonly passage: string };
  /** One request; vectors in the order of the texts. */
  request(texts: readonly string[], as: 'query' | 'passage', options: CallOptions): Promise<readonly unknown[]>;
  close(): void;
}

export async function serviceEmbedder(service: EmbeddingService): Promise<Embedder> {
  const { prompts, dimensions, maxTokens } = service;
  const count = await tokenEstimate();
  const promptTokens = prompts === undefined ? 0 : Math.max(count(prompts.query), count(prompts.passage));
  const embed: Embedder['embed'] = async (texts, as, options = {}) => {
    const vectors: Float32Array[] = texts.map(() => new Float32Array(dimensions));
    // A text without a letter has no meaning, and most services refuse it: its vector is zero, as the built-in model's.
    const wanted = [...texts.keys()].filter((i) => (texts[i] as string).trim() !== '');
    const batches = inBatches(wanted, (i) => count(texts[i] as string) + promptTokens, service);
    await together(options.signal, batches, async (batch, signal) => {
      const sent = batch.map((i) => (prompts?.[as] ?? '') + wellFormed(texts[i] as string));
      const found = await embedBatch(service, sent, as, { signal });
      batch.forEach((i, at) => (vectors[i] = found[at] as Float32Array));
    });
    return vectors;
  };
  return {
    model: fingerprint(service),
    dimensions,
    maxBatch: service.maxTexts,
    // Chunks are counted in parts: the prompt, which stands once before the whole, is taken from the limit.
    maxTokens: maxTokens - promptTokens,
    countTokens: count,
    embed,
    async warm() {
      await embed(['warm'], 'query');
    },
    close: async () => service.close(),
  };
}

/**
 * The model that the settings name, and the length of its vectors.
 * @throws RagError `setting-invalid` when that length is not known, or one that the model cannot have
 */
export function modelOf<Known extends ServiceModel>(
  settings: EmbedderSettings,
  models: Readonly<Record<string, Known>>,
  fallback: string,
): { readonly model: string; readonly known: Known | undefined; readonly dimensions: number } {
  const model = settings.model === '' ? fallback : settings.model;
  const known = models[model];
  const dimensions = known === undefined ? settings.dimensions : lengthOf(model, known, settings.dimensions);
  if (dimensions !== null) return { model, known, dimensions };
  throw new RagError('setting-invalid', `how long vectors of ${model} are is not known here`, {
    hint: `say it: embed.dimensions, or use one of ${Object.keys(models).join(', ')}`,
  });
}

/**
 * The length that a model's vectors get.
 * @throws RagError `setting-invalid` when the model cannot have the length that the settings ask for
 */
export function lengthOf(model: string, known: ServiceModel, wanted: number | null): number {
  const { dimensions, lengths = [] } = known;
  if (wanted === null || wanted === dimensions) return dimensions;
  const allowed = lengths === 'any' ? wanted < dimensions : lengths.includes(wanted);
  if (allowed) return wanted;
  const can = lengths === 'any' ? `1 to ${dimensions}` : [...lengths, dimensions].join(', ');
  throw new RagError('setting-invalid', `vectors of ${model} cannot have ${wanted} dimensions`, {
    hint: `embed.dimensions: null, or one of its own: ${can}`,
  });
}

/** Vectors of one model at another address may be those of other weights. */
const fingerprint = ({ use, model, dimensions, endpoint }: EmbeddingService): string =>
  `${use}/${model}/${dimensions}${endpoint.own ? '' : `@${endpoint.baseUrl.host}`}`;

interface Limits {
  readonly maxTexts: number;
  readonly maxRequestTokens: number;
}

function inBatches(
  items: readonly number[],
  tokensOf: (item: number) => number,
  { maxTexts, maxRequestTokens }: Limits,
): readonly (readonly number[])[] {
  const batches: number[][] = [];
  let tokens = Infinity;
  for (const item of items) {
    const more = tokensOf(item);
    const last = batches.at(-1);
    if (last === undefined || last.length >= maxTexts || tokens + more > maxRequestTokens) {
      batches.push([item]);
      tokens = more;
    } else {
      last.push(item);
      tokens += more;
    }
  }
  return batches;
}

/** All at once, as far as there are connections; the first failure stops the others. */
async function together<T>(
  signal: AbortSignal | undefined,
  items: readonly T[],
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const either = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  try {
    await Promise.all(items.map((item) => work(item, either)));
  } catch (error) {
    stop.abort();
    throw error;
  }
}

async function embedBatch(
  service: EmbeddingService,
  texts: readonly string[],
  as: 'query' | 'passage',
  options: CallOptions,
): Promise<readonly Float32Array[]> {
  try {
    const vectors = await service.request(texts, as, options);
    if (vectors.length !== texts.length)
      throw unexpected(service.endpoint, `${vectors.length} vectors for ${texts.length} texts`);
    return vectors.map((vector) => unitVector(vector, service));
  } catch (error) {
    if (!isTooLong(error)) throw error;
    if (texts.length === 1) throw tooLong(service, error, as);
    // The estimate of tokens was too low for these texts together.
    const half = texts.length >> 1;
    return [
      ...(await embedBatch(service, texts.slice(0, half), as, options)),
      ...(await embedBatch(service, texts.slice(half), as, options)),
    ];
  }
}

const isTooLong = (error: unknown): error is ServiceRefusal =>
  error instanceof ServiceRefusal &&
  [400, 413, 422].includes(error.status) &&
  /\btokens\b|context (?:length|size|window)|too (?:long|large)|input length/iu.test(error.said);

/** Costs the document, or the question, but not the whole run. */
function tooLong({ endpoint, model }: EmbeddingService, cause: ServiceRefusal, as: 'query' | 'passage'): RagError {
  const [code, what, hint] =
    as === 'query'
      ? (['question-invalid', 'the question', 'ask a shorter one'] as const)
      : (['document-failed', 'a chunk', 'choose smaller chunks: chunk.maxTokens'] as const);
  return new RagError(code, `${what} is too long for ${model} of ${endpoint.service}: ${cause.said}`, { hint, cause });
}

function unitVector(value: unknown, { endpoint, dimensions, model }: EmbeddingService): Float32Array {
  if (!Array.isArray(value)) throw unexpected(endpoint, 'a vector is missing');
  if (value.length !== dimensions) {
    throw unexpected(endpoint, `vectors of ${model} have ${value.length} numbers, not ${dimensions}`);
  }
  const vector = Float32Array.from(value as readonly number[]);
  let squares = 0;
  for (const number of vector) squares += number * number;
  if (!Number.isFinite(squares)) throw unexpected(endpoint, 'a vector holds something else than numbers');
  const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
  return vector.map((number) => number * scale);
}

/** Half of a surrogate pair is no text to other languages. */
const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd');
