/** A local model with everything that it takes to run it. The weights are loaded with the first run. */
import { RagError } from '../core/errors.ts';
import { openModel } from './locate.ts';
import type { ModelLocation } from './locate.ts';
import type { ModelFolder } from './model-folder.ts';
import { requiredPackage } from './packages.ts';
import { DEVICES, openSession } from './session.ts';
import type { OnnxSession } from './session.ts';
import { openTokenizer } from './tokenizer.ts';
import type { OnnxTokenizer } from './tokenizer.ts';

export interface OnnxOptions extends ModelLocation {
  /** Processor threads; 0 = as many as there are processors. */
  readonly threads?: number;
  /** Further folders in which `onnxruntime-node` and `@huggingface/tokenizers` may be installed. */
  readonly packagesFrom?: readonly string[];
}

export interface OnnxModel {
  readonly folder: ModelFolder;
  readonly tokenizer: OnnxTokenizer;
  readonly session: OnnxSession;
}

/**
 * @throws RagError `driver-missing` when the packages are not installed, before anything is downloaded;
 * `setting-invalid` for an unknown model or device, `driver-unavailable` when the model cannot be had, `storage-failed`
 */
export async function openOnnx(options: OnnxOptions): Promise<OnnxModel> {
  const { device, threads = 0, packagesFrom = [] } = options;
  if (!DEVICES.includes(device)) {
    throw new RagError('setting-invalid', `there is no device "${device}"`, { hint: `use ${DEVICES.join(', ')}` });
  }
  for (const name of ['onnxruntime-node', '@huggingface/tokenizers'] as const) requiredPackage(name, packagesFrom);
  const folder = await openModel(options);
  const { weights, weightBytes } = folder;
  return {
    folder,
    tokenizer: openTokenizer(folder, packagesFrom),
    session: openSession({ weights, weightBytes, device, threads, packagesFrom }),
  };
}
