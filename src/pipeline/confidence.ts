/**
 * How sure the engine is that its passages answer the question: a logistic regression over features of retrieval,
 * fitted by `tools/fit-confidence.mjs` on labelled questions and kept as data in `models/confidence.json`, one fit a
 * preset and embedder.
 */
import type { QueryTerm } from '../core/contracts.ts';
import type { Hit, Warning } from '../core/types.ts';
import type { Analyzer } from '../text/analyze.ts';
import type { ConfidenceModel, SearchParts } from './parts.ts';
import type { Run } from './retrieve.ts';

export interface Assessment {
  /** 0 to 1; null where no model was fitted for the preset and embedder. */
  readonly confidence: number | null;
  readonly features: Readonly<Record<string, number>>;
  readonly insufficient: boolean;
  readonly warnings: readonly Warning[];
}

export function assess(
  runs: readonly Run[],
  hits: readonly Hit[],
  parts: SearchParts,
): Assessment {
  const found = features(runs, hits, parts.analyzer);
  if (parts.confidence === undefined) {
    const message = `no confidence was fitted for the preset "${parts.settings.preset}" with ${parts.embedder?.model ?? 'no embedder'}`;
    return {
      confidence: null,
      features: found,
      insufficient: hits.length === 0,
      warnings: [{ code: 'confidence-not-fitted', message }],
    };
  }
  const confidence = Math.round(1000 * predict(parts.confidence, found)) / 1000;
  return {
    confidence,
    features: found,
    insufficient: hits.length === 0 || confidence < parts.settings.confidence.threshold,
    warnings: [],
  };
}

export function predict(model: ConfidenceModel, found: Readonly<Record<string, number>>): number {
  const sum = Object.entries(model.weights).reduce(
    (total, [name, weight]) => total + weight * (found[name] ?? 0),
    model.intercept,
  );
  return 1 / (1 + Math.exp(-sum));
}

/**
 * - `words`: idf share of the question's words, those the index does not know included, that the first hit holds
 * - `agreement`: share of the first ten hits that both the keyword and the dense leg rank within their first ten
 * - `dense`: best cosine
 * - `gap`: how far the first hit is ahead of the tenth, as a share of its score
 *
 * Twenty features were tried, among them soft matches of words by their vectors, the best sentence, BM25's own scores:
 * on a corpus that was not fitted on, these four were as good as all.
 */
export function features(runs: readonly Run[], hits: readonly Hit[], analyzer: Analyzer): Record<string, number> {
  const terms = runs.find(({ leg }) => leg === 'keyword')?.terms ?? [];
  const top = hits.slice(0, 10);
  const within = (hit: Hit, stage: string): boolean =>
    hit.scores.some((score) => score.stage === stage && score.rank <= 10);
  const agreeing = top.filter((hit) => within(hit, 'keyword') && within(hit, 'dense'));
  const first = top[0]?.score ?? 0;
  return {
    words: top[0] === undefined ? 0 : shareOfWords(top[0], terms, analyzer),
    agreement: top.length > 0 ? agreeing.length / top.length : 0,
    dense: runs.find(({ leg }) => leg === 'dense')?.hits[0]?.score ?? 0,
    gap: first > 0 ? 1 - (top.at(-1)?.score ?? 0) / first : 0,
  };
}

function shareOfWords({ chunk }: Hit, terms: readonly QueryTerm[], analyzer: Analyzer): number {
  const mass = terms.reduce((sum, { idf }) => sum + idf, 0);
  if (mass === 0) return 0;
  const own = new Set(analyzer.terms(`${chunk.context}\n${chunk.searchText ?? chunk.text}`, chunk.language));
  return (
    terms.reduce((sum, { variants, idf }) => sum + (variants.some((variant) => own.has(variant)) ? idf : 0), 0) / mass
  );
}
