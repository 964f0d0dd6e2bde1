/** `eval generate` without a model: questions from headings, definitions, instructions, options and FAQ entries. */
import type { Document } from '../../core/types.ts';
import { createRandom } from '../random.ts';
import { readCorpus, sectionTitle } from './corpus.ts';
import { toDrafts, type DraftFile } from './draft.ts';
import { selectQuestions } from './select.ts';

export interface GenerateOptions {
  /** Questions wanted; there are fewer where the documents give no more. */
  readonly count: number;
  /** The same seed and documents give the same questions. */
  readonly seed: number;
}

export interface Generated {
  readonly file: DraftFile;
  readonly documents: number;
  /** From how many of them questions were made. */
  readonly used: number;
  /** What was left out and why, by kebab-case reason. */
  readonly left: Readonly<Record<string, number>>;
}

export async function generateByRules(
  documents: AsyncIterable<Document>,
  { count, seed }: GenerateOptions,
): Promise<Generated> {
  const corpus = await readCorpus(documents);
  const { chosen, left } = selectQuestions(corpus, count, createRandom(seed));
  const { drafts, unlabelled } = toDrafts(
    chosen.map(({ document, query, kind, rule, statement, answer }) => ({
      ...document,
      query,
      kind,
      rule,
      by: 'rules' as const,
      section: sectionTitle(statement),
      quote: statement.quote,
      at: statement.span.start,
      keywords: answer === undefined ? undefined : [answer],
    })),
    corpus,
  );
  return {
    file: { generated: true, by: 'rules', seed, queries: drafts },
    documents: corpus.size,
    used: new Set(chosen.map(({ document }) => document.uri)).size,
    left: { ...left, unlabelled, 'other-language': corpus.otherLanguages },
  };
}
