/**
 * How sure the engine is, by two logistic regressions over features of retrieval: `right`, that an answer from these
 * passages is right (the confidence that is shown), and `answerable`, that the documents hold an answer at all (below
 * the threshold nothing is answered). Fitted by `tools/fit-confidence.mjs` on labelled questions and kept as data in
 * `models/confidence.json`, one fit a preset and embedder.
 */
import type { QueryTerm } from '../core/contracts.ts';
import type { Hit, Warning } from '../core/types.ts';
import type { Analyzer } from '../text/analyze.ts';
import type { LogisticModel, SearchParts } from './parts.ts';
import type { Run } from './retrieve.ts';

export interface Assessment {
  /** 0 to 1; null where no model was fitted for the preset and embedder. */
  readonly confidence: number | null;
  /** 0 to 1: that the documents hold an answer; null where no model was fitted. */
  readonly answerable: number | null;
  readonly features: Readonly<Record<string, number>>;
  readonly insufficient: boolean;
  readonly warnings: readonly Warning[];
}

export function assess(question: string, runs: readonly Run[], hits: readonly Hit[], parts: SearchParts): Assessment {
  const found = features(question, runs, hits, parts.analyzer);
  const model = parts.confidence;
  if (model === undefined) {
    const message = `no confidence was fitted for the preset "${parts.settings.preset}" with ${parts.embedder?.model ?? 'no embedder'}`;
    return {
      confidence: null,
      answerable: null,
      features: found,
      insufficient: hits.length === 0,
      warnings: [{ code: 'confidence-not-fitted', message }],
    };
  }
  const [confidence, answerable] = [predict(model.right, found), predict(model.answerable, found)];
  const insufficient = hits.length === 0 || answerable < parts.settings.confidence.threshold;
  return { confidence, answerable, features: found, insufficient, warnings: [] };
}

/** To a thousandth: the digits behind it are not meant. */
function predict(model: LogisticModel, found: Readonly<Record<string, number>>): number {
  const terms = Object.entries(model.weights).map(([name, weight]) => weight * (found[name] ?? 0));
  const sum = terms.reduce((total, term) => total + term, model.intercept);
  return Math.round(1000 / (1 + Math.exp(-sum))) / 1000;
}

/**
 * - `words`: idf share of the question's words, those the index does not know included, that the first hit holds
 * - `missing`: how many of the question's words are in none of the first three hits
 * - `name`: the rarest name or identifier of the question that is in none of the first three hits: its idf as a share
 *   of the highest possible; 0 when none is missing
 * - `agreement`: share of the first ten hits that both the keyword and the dense leg rank within their first ten
 * - `dense`: best cosine
 * - `gap`: how far the first hit is ahead of the tenth, as a share of its score
 *
 * Thirty were tried, among them soft matches of words by their vectors, the best sentence and BM25's own scores: on a
 * corpus that was not fitted on, these were as good as all.
 */
export function features(
  question: string,
  runs: readonly Run[],
  hits: readonly Hit[],
  analyzer: Analyzer,
): Record<string, number> {
  const terms = runs.find(({ leg }) => leg === 'keyword')?.terms ?? [];
  const top = hits.slice(0, 10);
  const within = (hit: Hit, stage: string): boolean =>
    hit.scores.some((score) => score.stage === stage && score.rank <= 10);
  const agreeing = top.filter((hit) => within(hit, 'keyword') && within(hit, 'dense'));
  const first = top[0]?.score ?? 0;
  const mass = terms.reduce((sum, { idf }) => sum + idf, 0);
  const inFirst = wordsOf(top.slice(0, 1), analyzer);
  const inThree = wordsOf(top.slice(0, 3), analyzer);
  const missing = terms.filter((term) => !holds(inThree, term));
  const names = namesOf(question, analyzer);
  const missingNames = missing.filter(({ variants }) => variants.some((variant) => names.has(variant)));
  return {
    words: mass > 0 ? terms.reduce((sum, term) => sum + (holds(inFirst, term) ? term.idf : 0), 0) / mass : 0,
    missing: missing.length,
    name: Math.max(0, ...missingNames.map((term) => term.idf / highestIdf(term))),
    agreement: top.length > 0 ? agreeing.length / top.length : 0,
    dense: runs.find(({ leg }) => leg === 'dense')?.hits[0]?.score ?? 0,
    gap: first > 0 ? 1 - (top.at(-1)?.score ?? 0) / first : 0,
  };
}

const holds = (words: ReadonlySet<string>, { variants }: QueryTerm): boolean =>
  variants.some((variant) => words.has(variant));

function wordsOf(hits: readonly Hit[], analyzer: Analyzer): ReadonlySet<string> {
  return new Set(
    hits.flatMap(({ chunk }) => analyzer.terms(`${chunk.context}\n${chunk.searchText ?? chunk.text}`, chunk.language)),
  );
}

/** Words written like names or identifiers: a capital or a digit inside, or a capital that does not begin a sentence. */
function namesOf(question: string, analyzer: Analyzer): ReadonlySet<string> {
  const names = [...question.matchAll(/[\p{L}\p{N}_][\p{L}\p{N}_.-]*/gu)].filter(([word], index, all) => {
    if (/[\p{Lu}\p{N}_]/u.test(word.slice(1)) || /^\p{N}/u.test(word)) return true;
    const before = question.slice(0, all[index]?.index).trimEnd();
    return /^\p{Lu}/u.test(word) && word.length > 1 && before !== '' && !/[.?!:]$/.test(before);
  });
  return new Set(names.flatMap(([word]) => analyzer.terms(word, 'en')));
}

/** The idf of a word in no chunk at all; the number of chunks follows from any term's idf and chunks. */
function highestIdf({ idf, chunks }: QueryTerm): number {
  const total = Math.expm1(idf) * (chunks + 0.5) + chunks - 0.5;
  return Math.log1p((total + 0.5) / 0.5);
}
