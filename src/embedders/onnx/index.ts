/**
 * Embedding models in ONNX on this machine: bge, MiniLM, mpnet, e5, nomic, or another by its own files
 * (`docs/embedders.md`). The weights are loaded with the first text.
 */
import type { CallOptions, Embedder } from '../../core/contracts.ts';
import { sha256 } from '../../core/identity.ts';
import { RagError } from '../../core/errors.ts';
import { hubName } from '../../onnx/known-models.ts';
import { openOnnx } from '../../onnx/open.ts';
import type { OnnxOptions } from '../../onnx/open.ts';
import { outputOf, RUN_SIZE, runSequences } from '../../onnx/sequences.ts';
import type { OnnxSession, Signature } from '../../onnx/session.ts';
import type { OnnxTokenizer } from '../../onnx/tokenizer.ts';
import { windows } from '../../onnx/windows.ts';
import { KNOWN_MODELS } from '../models.ts';
import type { EmbeddingRecipe } from '../models.ts';
import { recipeOf } from './recipe.ts';
import { normalised, shorten, weightedMean } from './vectors.ts';

export interface OnnxEmbedderOptions extends OnnxOptions {
  /** Or a short name: `bge-small`, `minilm`, … (`KNOWN_MODELS`); '' = bge-small. */
  readonly model: string;
  /** Shorter vectors, of models that were trained for it; null = as long as the model makes them. */
  readonly dimensions?: number | null;
}

/** The best of the small ones when fused with BM25. */
const DEFAULT_MODEL = 'bge-small';
/** Texts a call: enough to keep all processes busy, few enough for progress to be seen. */
const MAX_BATCH = 256;

/**
 * @throws RagError `driver-missing` when the packages are not installed, `setting-invalid` for an unknown model, device
 * or dimension, `driver-unavailable` when the model cannot be had, or, with the first text, cannot be loaded
 */
export default async function onnxEmbedder(options: OnnxEmbedderOptions): Promise<Embedder> {
  const model = hubName(KNOWN_MODELS, options.model === '' ? DEFAULT_MODEL : options.model, 'embedding model');
  const { folder, tokenizer, session } = await openOnnx({ ...options, model });
  const recipe = await recipeOf(folder);
  const dimensions = checkedDimensions(options.dimensions ?? recipe.dimensions, recipe, folder.name);
  const parts = { recipe, dimensions, tokenizer, session, runSize: RUN_SIZE[options.device] };
  return {
    model: `${folder.name}@${sha256(`${await folder.fingerprint()}\n${JSON.stringify({ ...recipe, dimensions })}`).slice(0, 12)}`,
    dimensions,
    maxBatch: MAX_BATCH,
    maxTokens: recipe.maxTokens - tokenizer.count(recipe.prompts.passage),
    countTokens: (text) => tokenizer.count(text),
    embed: (texts, as, callOptions = {}) => embed(texts, recipe.prompts[as], parts, callOptions),
    async warm() {
      tokenVectors(await session.signature());
    },
    close: () => session.close(),
  };
}

/** Names of the output with one vector a token. */
const tokenVectors = (signature: Signature): string =>
  outputOf(signature, ['last_hidden_state', 'token_embeddings'], 'feature extraction');

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
  const { recipe, dimensions, session, runSize } = parts;
  const all = texts.flatMap((text, at) => windowsOf(text, prompt, parts).map((ids): Window => ({ text: at, ids })));
  const call = signal === undefined ? {} : { signal };
  const output = tokenVectors(await session.signature(call));
  const pooled = await runSequences(all, { ...call, session, output, pooling: recipe.pooling, runSize });
  const { shortened } = recipe;
  const vectors = pooled.map((vector) =>
    normalised(shortened !== undefined && dimensions < vector.length ? shorten(vector, dimensions, shortened) : vector),
  );
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
