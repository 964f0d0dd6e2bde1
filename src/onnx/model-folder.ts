/**
 * A model on disk, in the layout of the hub: `config.json`, `tokenizer.json`, `tokenizer_config.json` and the weights
 * in `onnx/`. What the files say about pooling, prompts and limits is read here and judged by the drivers.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { RagError } from '../core/errors.ts';
import { sha256 } from '../core/identity.ts';

export const PRECISIONS = ['auto', 'int8', 'float32'] as const;
/** `auto`: int8 where there is such a file (a quarter of the size, about twice as fast), else float32. */
export type Precision = (typeof PRECISIONS)[number];

type Json = Readonly<Record<string, unknown>>;

export interface ModelFolder {
  readonly path: string;
  /** Last part of the folder's name, which is that of the model on the hub. */
  readonly name: string;
  readonly config: Json;
  readonly tokenizer: Json;
  readonly tokenizerConfig: Json;
  /** Path of the `.onnx` file, or of `model.safetensors`. */
  readonly weights: string;
  /** Of the weights, with the file of external data that large models have. */
  readonly weightBytes: number;
  /** A file that a model may lack, parsed. */
  optional(name: string): Promise<Json | readonly Json[] | undefined>;
  /** SHA-256 of weights and tokenizer: another file is another model. */
  fingerprint(): Promise<string>;
}

export const REQUIRED_FILES = ['config.json', 'tokenizer.json', 'tokenizer_config.json'] as const;
/** What sentence-transformers writes beside a model, and what an unknown model is understood by. */
export const OPTIONAL_FILES = [
  'modules.json',
  '1_Pooling/config.json',
  'sentence_bert_config.json',
  'config_sentence_transformers.json',
] as const;

/** Weights without a graph; those of BERT are converted (`convert/`). */
export const SAFETENSORS = 'model.safetensors';

/** In order of preference. */
export function weightFiles(precision: Precision): readonly string[] {
  const int8 = ['onnx/model_quantized.onnx', 'onnx/model_int8.onnx'];
  const float32 = ['onnx/model.onnx', 'model.onnx', SAFETENSORS];
  return precision === 'int8' ? int8 : precision === 'float32' ? float32 : [...int8, ...float32];
}

/** Weights above 2 GB are in a file of their own. */
export const externalDataOf = (weights: string): string => `${weights}_data`;

/** @throws RagError `setting-invalid` for a folder that is no model, naming what is missing */
export async function openModelFolder(path: string, precision: Precision): Promise<ModelFolder> {
  const weights = await firstExisting(path, weightFiles(precision));
  const [config, tokenizer, tokenizerConfig] = await Promise.all(REQUIRED_FILES.map((name) => readJson(path, name)));
  const missing = REQUIRED_FILES.filter((_, i) => [config, tokenizer, tokenizerConfig][i] === undefined);
  if (weights === undefined || config === undefined || tokenizer === undefined || tokenizerConfig === undefined) {
    const all = [...missing, ...(weights === undefined ? [weightFiles(precision).join(' or ')] : [])];
    throw new RagError('setting-invalid', `the model in ${path} is not complete: it has no ${all.join(', no ')}`, {
      hint: 'a model folder has config.json, tokenizer.json, tokenizer_config.json and onnx/model.onnx or onnx/model_quantized.onnx',
    });
  }
  const external = externalDataOf(weights.path);
  const externalBytes = await sizeOf(external);
  return {
    path,
    name: basename(path),
    config: config as Json,
    tokenizer: tokenizer as Json,
    tokenizerConfig: tokenizerConfig as Json,
    weights: weights.path,
    weightBytes: weights.bytes + (externalBytes ?? 0),
    optional: (name) => readJson(path, name),
    async fingerprint() {
      const files = [weights.path, ...(externalBytes === undefined ? [] : [external]), join(path, 'tokenizer.json')];
      return sha256((await Promise.all(files.map(sha256OfFile))).join('\n'));
    },
  };
}

const hashes = new Map<string, Promise<string>>();

/** Read once for every state of the file: checking a download and naming a model both want it. */
export async function sha256OfFile(path: string): Promise<string> {
  const { size, mtimeMs, ino } = await stat(path);
  const state = [path, size, mtimeMs, ino].join('\n');
  const known = hashes.get(state) ?? hashNow(path);
  hashes.set(state, known);
  return known;
}

async function hashNow(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

async function firstExisting(
  folder: string,
  names: readonly string[],
): Promise<{ path: string; bytes: number } | undefined> {
  for (const name of names) {
    const path = join(folder, name);
    const bytes = await sizeOf(path);
    if (bytes !== undefined) return { path, bytes };
  }
  return undefined;
}

/** Of a file; undefined where there is none. */
export async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const entry = await stat(path);
    return entry.isFile() ? entry.size : undefined;
  } catch {
    return undefined;
  }
}

async function readJson(folder: string, name: string): Promise<Json | readonly Json[] | undefined> {
  let text: string;
  try {
    text = await readFile(join(folder, name), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw new RagError('setting-invalid', `${join(folder, name)} is not JSON`, {
      hint: 'download the model again',
      cause,
    });
  }
}
