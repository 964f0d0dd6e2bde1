/** The legs of a search: what each asks the store, and how much its list counts in the fusion. */
import type { CallOptions, Embedder, StoreQuery } from '../core/contracts.ts';
import { RagError } from '../core/errors.ts';
import type { FuseSettings, SearchMode } from '../core/settings.ts';
import type { Embedding, SearchParts } from './parts.ts';
import type { Expansion } from './query/expansion.ts';

/** `late-interaction` compares what the others found; the store is not asked. */
export type LegKind = 'keyword' | 'dense' | 'sparse' | 'late-interaction';

export interface PlannedLeg {
  /** `keyword`, `dense`, `heading`, `sparse`, the name of another embedder, or one of these with what expanded it. */
  readonly leg: string;
  readonly kind: LegKind;
  readonly weight: number;
  /** 1, or less for a leg that searches what was added to the question. */
  readonly share: number;
  readonly query: StoreQuery;
}

interface Wanted {
  readonly query: string;
  readonly mode: SearchMode;
  /** Share of the dense legs together; null: the settings' weights. */
  readonly alpha: number | null;
  readonly expansion: Expansion;
  readonly topK: number;
}

export async function plannedLegs(wanted: Wanted, parts: SearchParts, options: CallOptions): Promise<PlannedLeg[]> {
  const { settings } = parts;
  const also = parts.also.map((_, i) => settings.fuse.weights.also[i] ?? ALSO_WEIGHT / parts.also.length);
  // A leg that the index does not have takes no share of alpha.
  const heading = settings.embed.headings ? settings.fuse.weights.heading : 0;
  const weights = withAlpha({ ...settings.fuse.weights, heading, also }, wanted.alpha);
  const legs: PlannedLeg[] = [];
  const { topK } = wanted;
  const less = settings.query.expansionWeight;
  const keyword = (leg: string, text: string, share: number): void => {
    const query = { leg: 'keyword', text, ...settings.retrieve.bm25, topK } as const;
    legs.push({ leg, kind: 'keyword', weight: weights.keyword, share, query });
  };
  const dense = (leg: string, { name, weight }: Space, vector: Float32Array, share: number): void => {
    legs.push({ leg, kind: 'dense', weight, share, query: { leg: 'dense', space: name, vector, topK } });
  };
  if (wanted.mode !== 'dense') {
    keyword('keyword', wanted.query, 1);
    for (const { by, text, legs: which } of wanted.expansion.queries) {
      if (which.includes('keyword')) keyword(`keyword (${by})`, text, less);
    }
  }
  if (wanted.mode !== 'keyword') {
    for (const space of denseSpaces(parts, weights)) {
      const expanded = wanted.expansion.queries.filter(({ legs: which }) => which.includes('dense'));
      const vectors = await embedQueries(space.embedder, [wanted.query, ...expanded.map(({ text }) => text)], options);
      space.spaces.forEach((each) => dense(each.name, each, vectors[0] as Float32Array, 1));
      expanded.forEach(({ by }, i) => {
        const [first] = space.spaces as [Space];
        dense(`${first.name} (${by})`, first, vectors[i + 1] as Float32Array, less);
      });
    }
    if (parts.sparse !== undefined && weights.sparse > 0) {
      const [vector] = await parts.sparse.embed([wanted.query], 'query', options);
      if (vector === undefined) throw new RagError('internal', 'the sparse embedder returned no vector');
      const query = { leg: 'sparse', space: 'sparse', vector, topK } as const;
      legs.push({ leg: 'sparse', kind: 'sparse', weight: weights.sparse, share: 1, query });
    }
  }
  return legs;
}

interface Space {
  readonly name: string;
  readonly weight: number;
}

/** Each embedder with the spaces that its query vector searches; spaces without weight are not searched. */
function denseSpaces(
  { embedder, also }: Embedding,
  weights: FuseSettings['weights'],
): { readonly embedder: Embedder; readonly spaces: readonly Space[] }[] {
  const own = [
    { name: 'dense', weight: weights.dense },
    ...(weights.heading > 0 ? [{ name: 'heading', weight: weights.heading }] : []),
  ];
  return [
    ...(embedder === undefined ? [] : [{ embedder, spaces: own }]),
    ...also.flatMap(({ name, embedder: other }, i) => {
      const weight = weights.also[i] as number;
      return weight > 0 ? [{ embedder: other, spaces: [{ name, weight }] }] : [];
    }),
  ];
}

/**
 * Of all further embedders whose weight is not set, together. With MiniLM at .4 beside words .4, text .1 and headings
 * .1 of the built-in model: MRR@10 .820 on Vite's questions, paraphrases .487 (.766 and .160 without).
 */
const ALSO_WEIGHT = 0.4;

async function embedQueries(
  embedder: Embedder,
  texts: readonly string[],
  options: CallOptions,
): Promise<readonly Float32Array[]> {
  const vectors = await embedder.embed(texts, 'query', options);
  if (vectors.length < texts.length) throw new RagError('internal', 'the embedder returned fewer vectors than texts');
  return vectors;
}

/** The dense legs together get `alpha`, in their own proportion; the keyword leg gets the rest. */
export function withAlpha(weights: FuseSettings['weights'], alpha: number | null): FuseSettings['weights'] {
  if (alpha === null) return weights;
  const sum = [weights.dense, weights.heading, ...weights.also].reduce((total, each) => total + each, 0);
  const share = (weight: number): number => (sum > 0 ? (alpha * weight) / sum : 0);
  return {
    ...weights,
    keyword: 1 - alpha,
    dense: sum > 0 ? share(weights.dense) : alpha,
    heading: share(weights.heading),
    also: weights.also.map(share),
    sparse: 0,
    lateInteraction: 0,
  };
}
