/**
 * A question that names no value of the vocabulary is searched once, over everything: the passages that it finds say
 * what it is about. Where they are of two minds, nothing tells.
 */
import type { CallOptions } from '../../core/contracts.ts';
import { fieldValue } from '../../core/filter.ts';
import type { Filter } from '../../core/filter.ts';
import type { VocabularyEntry } from '../../core/settings.ts';
import { fuse } from '../fuse.ts';
import type { PlannedLeg } from '../legs.ts';
import type { SearchParts } from '../parts.ts';
import type { Topic } from './analysis.ts';
import { topic } from './topics.ts';

export interface Evidence {
  /** What the first hits are about most; undefined when they are about nothing of the vocabulary. */
  readonly topic: Topic | undefined;
  /** The others that they could be about as well. */
  readonly rivals: readonly Topic[];
}

/** Hits that are asked: many, since without a value nothing would keep the values apart. */
const ASKED = 100;

/** A rival's best hit has at least this share of the winner's score. */
const CLOSE = 0.9;

export async function evidenceOf(
  legs: readonly PlannedLeg[],
  vocabulary: readonly VocabularyEntry[],
  filter: Filter | undefined,
  { store, settings }: SearchParts,
  options: CallOptions,
): Promise<Evidence> {
  const runs = await Promise.all(
    legs.map(async ({ query, ...leg }) => ({
      ...leg,
      ...(await store.search(filter === undefined ? query : { ...query, filter }, options)),
    })),
  );
  const fused = fuse(runs, settings.fuse, settings.retrieve.depth).slice(0, ASKED);
  const chunks = new Map((await store.chunks(fused.map(({ chunkId }) => chunkId))).map((chunk) => [chunk.id, chunk]));
  const weighed = vocabulary
    .map((entry) => ({
      entry,
      // Its best hit, not their number: a protocol with more pages is not more likely.
      weight: Math.max(
        0,
        ...fused.map(({ chunkId, score }) => {
          const chunk = chunks.get(chunkId);
          return chunk !== undefined && fieldValue(chunk, entry.field) === entry.value ? score : 0;
        }),
      ),
    }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight);
  const [best, ...others] = weighed;
  if (best === undefined) return { topic: undefined, rivals: [] };
  return {
    topic: topic(best.entry, 'evidence'),
    rivals: others.filter(({ weight }) => weight >= CLOSE * best.weight).map(({ entry }) => topic(entry, 'evidence')),
  };
}
