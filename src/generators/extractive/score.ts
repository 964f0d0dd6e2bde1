/** How well a unit answers: the question's rare words it holds, its vector, and the rank of its passage. */
import type { Embedder, QueryTerm } from '../../core/contracts.ts';
import type { Span } from '../../core/types.ts';
import type { Analyzer } from '../../text/analyze.ts';
import type { Unit } from './units.ts';

export interface ScoredUnit extends Unit {
  readonly score: number;
  readonly words: number;
}

export interface Question {
  readonly text: string;
  readonly terms: readonly QueryTerm[];
}

/** Weights found on the WaveMaker questions and checked on Vite's; see `docs/how-it-works.md`. */
const WEIGHTS = { lexical: 1, inHeading: 0.4, semantic: 0.6, hit: 0.9, code: -0.1 };

export interface Scoring {
  readonly analyzer: Analyzer;
  readonly embedder: Embedder | undefined;
  readonly searchable: (slice: string) => string;
}

const textOf = (unit: Unit, span: Span): string => unit.document.text.slice(span.start, span.end);

export async function scoreUnits(
  units: readonly Unit[],
  question: Question,
  { analyzer, embedder, searchable }: Scoring,
): Promise<ScoredUnit[]> {
  const texts = units.map((unit) => searchable(textOf(unit, unit.span)));
  const similarity = await similarities(texts, units, question.text, embedder);
  const mass = question.terms.reduce((sum, { idf }) => sum + idf, 0);
  return units.map((unit, index) => {
    const own = new Set(analyzer.terms(texts[index] ?? '', unit.document.language));
    const context = [unit.document.title, ...unit.headingPath, ...unit.with.map((span) => textOf(unit, span))];
    const around = new Set(analyzer.terms(context.join(' '), unit.document.language));
    let lexical = 0;
    for (const { variants, idf } of question.terms) {
      const holds = (set: ReadonlySet<string>): boolean => variants.some((variant) => set.has(variant));
      lexical += idf * (holds(own) ? 1 : holds(around) ? WEIGHTS.inHeading : 0);
    }
    const score =
      WEIGHTS.lexical * (mass > 0 ? lexical / mass : 0) +
      WEIGHTS.semantic * (similarity[index] ?? 0) +
      WEIGHTS.hit * unit.hitScore +
      (unit.kind === 'code' ? WEIGHTS.code : 0);
    return { ...unit, score, words: countWords(texts[index] ?? '') };
  });
}

async function similarities(
  texts: readonly string[],
  units: readonly Unit[],
  question: string,
  embedder: Embedder | undefined,
): Promise<number[]> {
  if (embedder === undefined || units.length === 0) return units.map(() => 0);
  const [[query], vectors] = await Promise.all([
    embedder.embed([question], 'query'),
    embedder.embed(
      texts.map((text, index) => `${(units[index] as Unit).headingPath.at(-1) ?? ''}\n${text}`),
      'passage',
    ),
  ]);
  return vectors.map((vector) => vector.reduce((sum, value, i) => sum + value * (query?.[i] ?? 0), 0));
}

export const countWords = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length;
