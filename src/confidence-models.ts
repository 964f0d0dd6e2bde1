/** The fitted confidence models, data of the package: `models/confidence.json`, written by `tools/fit-confidence.mjs`. */
import { readFile } from 'node:fs/promises';
import type { Embedder } from './core/contracts.ts';
import type { Settings } from './core/settings.ts';
import type { ConfidenceModel } from './pipeline/parts.ts';

const FILE = new URL('../models/confidence.json', import.meta.url);

/** A fit holds for the preset and the embedder that it was made with, and for no other. */
export async function confidenceFor(
  settings: Settings,
  embedder: Embedder | undefined,
): Promise<ConfidenceModel | undefined> {
  const models = JSON.parse(await readFile(FILE, 'utf8')) as readonly ConfidenceModel[];
  return models.find((model) => model.preset === settings.preset && embedder?.model === model.model);
}
