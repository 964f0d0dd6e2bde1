/**
 * BM25 over the chunks of the check, by the store's own formulas. The store cannot be asked: for each question its
 * answer has to be searched without the words that were made the question.
 */
import type { Bm25Settings } from '../core/settings.ts';
import type { Chunk, LegHit } from '../core/types.ts';
import { chunkTerms, fieldWeights, inverseDocumentFrequency, lengthNorm, termScore } from '../stores/bm25.ts';
import type { Analyzer } from '../text/analyze.ts';

export interface SmallBm25 {
  /** Best first, without chunks that hold no word of the question. `answer` takes the place of the chunk of its id. */
  search(question: string, answer: Chunk, isLeftOut: (index: number) => boolean): LegHit[];
}

interface Indexed {
  /** Weighted frequencies, of the questions' words only. */
  readonly frequencies: ReadonlyMap<string, number>;
  readonly length: number;
}

/** @param questions Only their words are kept. */
export function smallBm25(
  chunks: readonly Chunk[],
  questions: readonly string[],
  { k1, b, fields }: Bm25Settings,
  analyzer: Analyzer,
): SmallBm25 {
  const languages = [...new Set(chunks.map(({ language }) => language))].sort();
  const wordsOf = (question: string): (readonly string[])[] =>
    analyzer.queryWords(question, languages).map(({ variants }) => variants);
  const wanted = new Set(questions.flatMap((question) => wordsOf(question).flat()));
  const weights = fieldWeights(fields);
  const index = (chunk: Chunk): Indexed => {
    const frequencies = new Map<string, number>();
    const terms = chunkTerms(chunk, analyzer);
    terms.forEach((own, field) => {
      for (const term of own) {
        if (wanted.has(term)) frequencies.set(term, (frequencies.get(term) ?? 0) + (weights[field] as number));
      }
    });
    return { frequencies, length: terms.reduce((sum, own, field) => sum + own.length * (weights[field] as number), 0) };
  };
  const indexed = chunks.map(index);
  const holders = new Map<string, number[]>();
  indexed.forEach(({ frequencies }, i) => {
    for (const term of frequencies.keys()) {
      const known = holders.get(term);
      if (known === undefined) holders.set(term, [i]);
      else known.push(i);
    }
  });
  const averageLength = indexed.reduce((sum, { length }) => sum + length, 0) / Math.max(1, indexed.length);
  const place = new Map(chunks.map(({ id }, i) => [id, i]));

  return {
    search(question, answer, isLeftOut) {
      const own = place.get(answer.id);
      const without = index(answer);
      const scores = new Map<number, number>();
      for (const variants of wordsOf(question)) {
        const found = new Set(variants.flatMap((term) => holders.get(term) ?? []));
        const idf = inverseDocumentFrequency(chunks.length, found.size);
        for (const i of found) {
          if (isLeftOut(i)) continue;
          const { frequencies, length } = i === own ? without : (indexed[i] as Indexed);
          const frequency = variants.reduce((sum, term) => sum + (frequencies.get(term) ?? 0), 0);
          if (frequency === 0) continue;
          const norm = lengthNorm(k1, b, length, averageLength);
          scores.set(i, (scores.get(i) ?? 0) + termScore(idf, frequency, k1, norm));
        }
      }
      return [...scores]
        .sort(([i, a], [j, c]) => c - a || i - j)
        .map(([i, score]) => ({ chunkId: (chunks[i] as Chunk).id, score }));
    },
  };
}
