import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where the tests have `onnxruntime-node` and `@huggingface/tokenizers`. */
export const PACKAGES: string = fileURLToPath(new URL('..', import.meta.url));

/** Weights that are not part of the repository. */
export const sharedModel = (name: string): string =>
  fileURLToPath(new URL(`../../../shared/models/${name}`, import.meta.url));

export const hasModel = (name: string): boolean => existsSync(sharedModel(name));
