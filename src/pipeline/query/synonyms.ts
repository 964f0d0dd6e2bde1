/**
 * Words that the corpus itself uses for what a question says otherwise: of the passages nearest by vector, the words
 * that are nearest to a word of the question. No list of synonyms, and no model but the built-in one.
 */
import type { CallOptions } from '../../core/contracts.ts';
import { words } from '../../text/words.ts';
import { passageText } from '../passage-text.ts';
import type { SearchParts } from '../parts.ts';

/** Passages that are looked through. */
const PASSAGES = 20;

/** Least cosine of two words’ vectors: "RAM" and "memory" have .37, "picture" and "file" .03. */
const ALIKE = 0.3;

export async function synonymsOf(
  question: string,
  most: number,
  parts: SearchParts,
  options: CallOptions,
): Promise<readonly string[]> {
  const { store, embedder, analyzer } = parts;
  const [vector] = (await embedder?.embed([question], 'query', options)) ?? [];
  if (vector === undefined) return [];
  const near = await store.search({ leg: 'dense', space: 'dense', vector, topK: PASSAGES }, options);
  const chunks = await store.chunks(near.hits.map(({ chunkId }) => chunkId));
  // By index term, so that "install" and "installing" are one, and nothing that the question says comes again.
  const own = new Set(chunks.flatMap(({ language }) => analyzer.terms(question, language)));
  const candidates = new Map<string, string>();
  for (const chunk of chunks) {
    for (const { text } of words(passageText(chunk))) {
      const [term] = analyzer.terms(text, chunk.language);
      if (term !== undefined && text.length > 2 && !own.has(term) && !candidates.has(term)) candidates.set(term, text);
    }
  }
  const texts = [...candidates.values()];
  const comparison = await parts.lateInteraction();
  const found = new Map<string, number>();
  for (const { text: word } of words(question)) {
    if (analyzer.terms(word, chunks[0]?.language ?? 'en').length === 0) continue;
    for (const { index, score } of await comparison.rerank(word, texts, { ...options, topK: most })) {
      const candidate = texts[index];
      if (candidate !== undefined && score >= ALIKE) found.set(candidate, Math.max(score, found.get(candidate) ?? 0));
    }
  }
  return [...found]
    .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .slice(0, most)
    .map(([word]) => word);
}
