import type { Embedder } from './core/contracts.ts';
import type { Settings } from './core/settings.ts';
import type { ConfidenceModel } from './pipeline/parts.ts';

/** The fitted models; `tools/fit-confidence.ts` prints these lines. */
const MODELS: readonly ConfidenceModel[] = [];

/** A fit holds for the preset and the embedder that it was made with, and for no other. */
export function confidenceFor(settings: Settings, embedder: Embedder | undefined): ConfidenceModel | undefined {
  return MODELS.find((model) => model.preset === settings.preset && embedder?.model === model.model);
}
