/**
 * Embedding models in ONNX on this machine: bge, MiniLM, mpnet, e5, nomic, or another by its own files
 * (`docs/embedders.md`). The weights are loaded with the first text.
 */
import type { CallOptions, Embedder } from '../../core/contracts.ts';
import { sha256 } from '../../core/identity.ts';
import { RagError } from '../../core/errors.ts';
import { isFolder, openModel } from '../../onnx/locate.ts';
import type { ModelLocation } from '../../onnx/locate.ts';
import { DEVICES, openSession } from '../../onnx/session.ts';
import type { OnnxSession } from '../../onnx/session.ts';
import { openTokenizer } from '../../onnx/tokenizer.ts';
import type { OnnxTokenizer } from '../../onnx/tokenizer.ts';
import { nearest } from '../../text/nearest.ts';
import { KNOWN_MODELS, knownModel } from '../models.ts';
import type { EmbeddingRecipe } from '../models.ts';
import { feedsOf, rowsOf, tokenOutput } from './feeds.ts';
import { recipeOf } from './recipe.ts';
import { normalised, shorten, weightedMean } from './vectors.ts';
import { windows } from './windows.ts';

export interface OnnxEmbedderOptions extends ModelLocation {
  /** Or a short name: `bge-small`, `minilm`, … (`KNOWN_MODELS`); '' = bge-small. */
  readonly model: string;
  /** Shorter vectors, of models that were trained for it; null = as long as the model makes them. */
  readonly dimensions?: number | null;
  /** Processor threads; 0 = as many as there are processors. */
  readonly threads?: number;
  /** Further folders in which `onnxruntime-node` and `@huggingface/tokenizers` may be installed. */
  readonly packagesFrom?: readonly string[];
}

/** The best of the small ones when fused with BM25. */
const DEFAULT_MODEL = 'bge-small';
/** Texts a call: enough to keep all processes busy, few enough for progress to be seen. */
const MAX_BATCH = 256;
/** Texts a run. On a processor one: as fast as eight for int8, and a vector that depends on its own text only. */
const RUN_SIZE = { cpu: 1, cuda: 32, webgpu: 16 } as const;
/** Runs that one process is given at once; fewer where there are not enough for all processes. */
const MOST_RUNS = 4;

/**
 * @throws RagError `driver-missing` when the packages are not installed, `setting-invalid` for an unknown model, device
 * or dimension, `driver-unavailable` when the model cannot be had, or, with the first text, cannot be loaded
 */
export default async function onnxEmbedder(options: OnnxEmbedderOptions): Promise<Embedder> {
  const { device, threads = 0, packagesFrom = [] } = options;
  if (!DEVICES.includes(device)) {
    throw new RagError('setting-invalid', `there is no device "${device}"`, { hint: `use ${DEVICES.join(', ')}` });
  }
  const folder = await openModel({ ...options, model: hubName(options.model === '' ? DEFAULT_MODEL : options.model) });
  const recipe = await recipeOf(folder);
  const dimensions = checkedDimensions(options.dimensions ?? recipe.dimensions, recipe, folder.name);
  const tokenizer = openTokenizer(folder, packagesFrom);
  const { weights, weightBytes } = folder;
  const session = openSession({ weights, weightBytes, device, threads, packagesFrom });
  const parts = { recipe, dimensions, tokenizer, session, runSize: RUN_SIZE[device] };
  return {
    model: `${folder.name}@${sha256(`${await folder.fingerprint()}\n${JSON.stringify({ ...recipe, dimensions })}`).slice(0, 12)}`,
    dimensions,
    maxBatch: MAX_BATCH,
    maxTokens: recipe.maxTokens - tokenizer.count(recipe.prompts.passage),
    countTokens: (text) => tokenizer.count(text),
    embed: (texts, as, callOptions = {}) => embed(texts, recipe.prompts[as], parts, callOptions),
    async warm() {
      tokenOutput(await session.signature());
    },
    close: () => session.close(),
  };
}

/** A short name as the model of the hub that it stands for; a path or a name of the hub as it is. */
function hubName(model: string): string {
  const known = knownModel(model);
  if (known?.names.includes(model.toLowerCase()) === true) return known.hub;
  if (/[\\/]/u.test(model) || isFolder(model)) return model;
  if (known !== undefined) return known.hub;
  const names = KNOWN_MODELS.flatMap((one) => one.names);
  const closest = nearest(model, names);
  throw new RagError('setting-invalid', `there is no embedding model "${model}"`, {
    hint: `${closest === undefined ? '' : `did you mean ${closest}? `}models are ${names.join(', ')}, a folder, or ORGANISATION/NAME on the hub`,
  });
}

function checkedDimensions(wanted: number, { dimensions, shortened }: EmbeddingRecipe, name: string): number {
  if (wanted === dimensions) return wanted;
  const least = shortened?.least ?? dimensions;
  if (Number.isInteger(wanted) && wanted >= least && wanted < dimensions) return wanted;
  const allowed = shortened === undefined ? String(dimensions) : `${least} to ${dimensions}`;
  throw new RagError('setting-invalid', `vectors of ${name} have ${allowed} dimensions, not ${wanted}`, {
    hint: 'leave the dimensions out, or choose a model whose vectors can be shortened (nomic)',
  });
}

interface Parts {
  readonly recipe: EmbeddingRecipe;
  readonly dimensions: number;
  readonly tokenizer: OnnxTokenizer;
  readonly session: OnnxSession;
  readonly runSize: number;
}

/** A stretch of one text, as the model reads it. */
interface Window {
  readonly text: number;
  readonly ids: readonly number[];
}

async function embed(
  texts: readonly string[],
  prompt: string,
  parts: Parts,
  { signal }: CallOptions,
): Promise<readonly Float32Array[]> {
  if (texts.length === 0) return [];
  const all = texts.flatMap((text, at) => windowsOf(text, prompt, parts).map((ids): Window => ({ text: at, ids })));
  // The longest first: at the end all processes finish at about the same time, and neighbours need little padding.
  const order = [...all.keys()].sort((a, b) => (all[b] as Window).ids.length - (all[a] as Window).ids.length);
  const vectors = new Array<Float32Array>(all.length);
  const output = tokenOutput(await parts.session.signature(signal === undefined ? {} : { signal }));
  const ending = new AbortController();
  const forward = (): void => ending.abort(signal?.reason);
  signal?.addEventListener('abort', forward, { once: true });
  if (signal?.aborted === true) forward();
  const batches = slices(order, parts.runSize);
  const runsEach = Math.floor(batches.length / (2 * parts.session.processes));
  const calls = slices(batches, Math.max(1, Math.min(MOST_RUNS, runsEach))).map(async (call) => {
    const found = await runModel(
      call.map((batch) => batch.map((at) => (all[at] as Window).ids)),
      output,
      parts,
      ending.signal,
    );
    call.flat().forEach((at, i) => {
      vectors[at] = found[i] as Float32Array;
    });
  });
  try {
    await Promise.all(calls);
  } catch (error) {
    // One failed: the others are not waited for.
    ending.abort();
    await Promise.allSettled(calls);
    throw error;
  } finally {
    signal?.removeEventListener('abort', forward);
  }
  const ofText: number[][] = texts.map(() => []);
  all.forEach(({ text }, at) => ofText[text]?.push(at));
  return ofText.map((at) =>
    weightedMean(
      at.map((window) => vectors[window] as Float32Array),
      at.map((window) => (all[window] as Window).ids.length),
    ),
  );
}

/** The text with its prompt and the special tokens; in windows, each with both, where that is too long. */
function windowsOf(text: string, prompt: string, { recipe, tokenizer }: Parts): readonly (readonly number[])[] {
  const { before, after } = tokenizer;
  const around = (ids: readonly number[]): readonly number[] => [...before, ...ids, ...after];
  const most = recipe.maxTokens - before.length - after.length;
  const ids = tokenizer.ids(prompt + text);
  if (ids.length <= most) return [around(ids)];
  const promptIds = tokenizer.ids(prompt);
  const body = prompt === '' ? ids : tokenizer.ids(text);
  return windows(body, most - promptIds.length).map((window) => around([...promptIds, ...window]));
}

function slices<T>(list: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));
}

/** Token ids of the texts of each run; one vector a text. */
async function runModel(
  batches: readonly (readonly (readonly number[])[])[],
  output: string,
  { session, recipe, dimensions }: Parts,
  signal: AbortSignal,
): Promise<readonly Float32Array[]> {
  const { pooling, shortened } = recipe;
  const pooled = await session.run(batches.map(feedsOf), output, { signal, pooling });
  const vectors = batches.flatMap((batch, i) => rowsOf(pooled[i], batch.length));
  return vectors.map((vector) =>
    normalised(shortened !== undefined && dimensions < vector.length ? shorten(vector, dimensions, shortened) : vector),
  );
}
