/** The fitted confidence models, data of the package: `models/confidence.json`, written by `tools/fit-confidence.mjs`. */
import { readFile } from 'node:fs/promises';
import type { Embedder } from './core/contracts.ts';
import type { Settings } from './core/settings.ts';
import type { ConfidenceModel } from './pipeline/parts.ts';

const FILE = new URL('../models/confidence.json', import.meta.url);

/** Models adapted to an index differ from one another, but no more than the indexes do: one fit holds for all of them. */
export const fittedName = (model: string): string => model.replace(/\+[0-9a-f]+$/, '+adapted');

/** A fit holds for the preset and the embedder that it was made with, and for no other. */
export async function confidenceFor(
  settings: Settings,
  embedder: Embedder | undefined,
): Promise<ConfidenceModel | undefined> {
  const models = JSON.parse(await readFile(FILE, 'utf8')) as readonly ConfidenceModel[];
  const wanted = embedder === undefined ? undefined : fittedName(embedder.model);
  return models.find((model) => model.preset === settings.preset && model.model === wanted);
}
