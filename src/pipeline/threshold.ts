/**
 * Hits of the vectors that are too far away are left out. A cosine means something for one model only: a threshold names
 * the model that it was measured on, and with another it is not applied, which is said.
 */
import type { Embedder } from '../core/contracts.ts';
import type { AdjustSettings } from '../core/settings.ts';
import type { Chunk, Warning } from '../core/types.ts';
import type { SearchParts } from './parts.ts';
import type { Run } from './retrieve.ts';

export interface Withheld {
  readonly leg: string;
  readonly chunkId: string;
  readonly score: number;
  /** It stayed all the same: its neighbour in the document is above the threshold. */
  readonly secondChance: boolean;
}

/** How far below the threshold a hit may be for a second chance, as a cosine. */
const JUST_BELOW = 0.05;

export async function aboveThreshold(
  runs: readonly Run[],
  { settings, store, embedder }: Pick<SearchParts, 'settings' | 'store' | 'embedder'>,
): Promise<{ readonly runs: readonly Run[]; readonly withheld: readonly Withheld[] }> {
  const least = settings.adjust.minCosine;
  if (least === null || !isTransferable(settings.adjust, embedder)) return { runs, withheld: [] };
  const withheld: Withheld[] = [];
  const kept: Run[] = [];
  for (const run of runs) {
    // Only the embedder's own spaces: a threshold is of one model.
    if (run.kind !== 'dense' || !OWN_SPACES.test(run.leg)) {
      kept.push(run);
      continue;
    }
    const above = run.hits.filter(({ score }) => score >= least);
    const below = run.hits.filter(({ score }) => score < least);
    const near = below.filter(({ score }) => score >= least - JUST_BELOW);
    const chunks = settings.adjust.secondChance
      ? await store.chunks([...above, ...near].map(({ chunkId }) => chunkId))
      : [];
    const places = new Set(chunks.slice(0, above.length).map(placeOf));
    const saved = new Set(
      chunks
        .slice(above.length)
        .filter((chunk) => hasNeighbour(chunk, places))
        .map(({ id }) => id),
    );
    withheld.push(
      ...below.map(({ chunkId, score }) => ({ leg: run.leg, chunkId, score, secondChance: saved.has(chunkId) })),
    );
    kept.push({ ...run, hits: run.hits.filter(({ chunkId, score }) => score >= least || saved.has(chunkId)) });
  }
  return { runs: kept, withheld };
}

const OWN_SPACES = /^(?:dense|heading)(?: \(|$)/u;

/** `static-docs-384` stands for every revision of that model: `static-docs-384@5f3c…`. */
const isTransferable = ({ minCosineModel }: AdjustSettings, embedder: Embedder | undefined): boolean =>
  embedder !== undefined &&
  (minCosineModel === null || embedder.model === minCosineModel || embedder.model.startsWith(`${minCosineModel}@`));

/** Said once a question, where a threshold is set that was measured on another model. */
export function thresholdWarnings({ settings, embedder }: Pick<SearchParts, 'settings' | 'embedder'>): Warning[] {
  const { minCosine, minCosineModel } = settings.adjust;
  if (minCosine === null || embedder === undefined || isTransferable(settings.adjust, embedder)) return [];
  return [
    {
      code: 'threshold-not-transferable',
      message: `the threshold ${String(minCosine)} was measured on ${String(minCosineModel)}; with ${embedder.model} it is not applied`,
      hint: 'measure one: footnote eval QUESTIONS --vary adjust.minCosine=…, then set adjust.minCosineModel',
    },
  ];
}

const placeOf = ({ documentId, position }: Chunk): string => `${documentId} ${String(position)}`;

const hasNeighbour = (chunk: Chunk, places: ReadonlySet<string>): boolean =>
  [chunk.position - 1, chunk.position + 1].some((position) => places.has(placeOf({ ...chunk, position })));
