/** Texts longer than a model reads: embedded in overlapping windows, so that nothing is cut in silence. */
import type { Embedder } from '../core/contracts.ts';
import { tokenSpans } from '../text/token-spans.ts';

/** Room for a model's begin and end marks. */
const SPECIAL_TOKENS = 2;
/** What two neighbouring windows share, as a part of the shorter of them: what stands at an edge is read in context once. */
const OVERLAP = 1 / 8;

/**
 * The same embedder for texts of any length. The vector of a long one is the mean of its windows' vectors, by their
 * tokens, of unit length; that of a text that fits is the embedder's own. `maxTokens` stays what one window takes.
 */
export function withWindows(embedder: Embedder): Embedder {
  const { maxTokens } = embedder;
  if (maxTokens === Infinity) return embedder;
  const most = Math.max(1, maxTokens - SPECIAL_TOKENS);
  const countTokens = (text: string): number => embedder.countTokens(text);
  const windowsOf = (text: string): readonly string[] =>
    countTokens(text) <= most
      ? [text]
      : tokenSpans(text, { maxTokens: most, overlapTokens: Math.floor(most * OVERLAP), countTokens }).map(
          ({ start, end }) => text.slice(start, end),
        );
  return {
    ...embedder,
    async embed(texts, as, options) {
      const windows = texts.map(windowsOf);
      const vectors = await embedder.embed(windows.flat(), as, options);
      let at = 0;
      return windows.map((own) => {
        const [from, to] = [at, (at += own.length)];
        const [first] = vectors.slice(from, to);
        return own.length === 1 && first !== undefined ? first : mean(vectors.slice(from, to), own.map(countTokens));
      });
    },
  };
}

/** Of unit length; all zeros when the vectors cancel each other out, or are zeros themselves. */
function mean(vectors: readonly Float32Array[], weights: readonly number[]): Float32Array {
  const sum = new Float32Array(vectors[0]?.length ?? 0);
  vectors.forEach((vector, i) => {
    for (let j = 0; j < sum.length; j++) sum[j] = (sum[j] as number) + (weights[i] as number) * (vector[j] as number);
  });
  const length = Math.sqrt(sum.reduce((squares, value) => squares + value * value, 0));
  return length > 0 ? sum.map((value) => value / length) : sum;
}
