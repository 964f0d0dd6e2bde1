/**
 * Models without an ONNX file: BERT's weights (`model.safetensors`) are converted once and kept beside the downloaded
 * models. Most SPLADE models, and everything that is trained with sentence-transformers, come like this.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RagError } from '../../core/errors.ts';
import { sha256 } from '../../core/identity.ts';
import { SAFETENSORS, sha256OfFile, sizeOf } from '../model-folder.ts';
import type { ModelFolder } from '../model-folder.ts';
import { bertGraph, bertShape } from './bert.ts';
import type { Bytes } from './protobuf.ts';
import { readSafetensors } from './safetensors.ts';

/** Of the graph that is made: another one is another file. */
const CONVERTER = 1;
/** An ONNX file is a protocol buffer, which cannot be larger. */
const MOST_BYTES = 2 ** 31 - 1;

export const isConvertible = (config: ModelFolder['config']): boolean => !('refused' in bertShape(config));

/**
 * The folder, with weights that the runtime can load.
 *
 * @param modelsFolder converted weights are kept in `converted/` below it
 * @throws RagError `setting-invalid` for a model that is no BERT, is too large or is not whole; `storage-failed`
 */
export async function withOnnxWeights(folder: ModelFolder, modelsFolder: string): Promise<ModelFolder> {
  if (!folder.weights.endsWith(SAFETENSORS)) return folder;
  const shape = bertShape(folder.config);
  if ('refused' in shape || folder.weightBytes > MOST_BYTES) {
    const why = 'refused' in shape ? shape.refused : 'it is larger than 2 GB';
    throw new RagError(
      'setting-invalid',
      `the model ${folder.name} has no ONNX file, and its ${SAFETENSORS} cannot be converted: ${why}`,
      {
        hint: 'export it (optimum-cli export onnx), or choose a model that was exported; many are as Xenova/NAME',
      },
    );
  }
  const source = await sha256OfFile(folder.weights);
  const key = sha256(JSON.stringify({ CONVERTER, source, shape })).slice(0, 16);
  const weights = join(modelsFolder, 'converted', `${folder.name}-${key}.onnx`);
  const existing = await sizeOf(weights);
  if (existing !== undefined) return { ...folder, weights, weightBytes: existing };
  const model = bertGraph(shape, readSafetensors(await readFile(folder.weights), folder.weights));
  await write(weights, join(modelsFolder, 'converted'), model);
  return { ...folder, weights, weightBytes: model.length };
}

/** It takes its place only when it is whole. */
async function write(path: string, folder: string, { parts }: Bytes): Promise<void> {
  const draft = `${path}.${randomUUID()}.part`;
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(draft, parts);
    await rename(draft, path);
  } catch (cause) {
    throw new RagError('storage-failed', `cannot write ${path}: ${(cause as Error).message}`, {
      hint: 'models.folder names another folder for models',
      cause,
    });
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}
