import type { Preset } from '../core/settings.ts';
import { defaultPreset } from './default.ts';

/** Ragora (seed 001): papers in LaTeX and the mails around them; questions are left as they are. */
export const papersPreset: Preset = {
  ...defaultPreset,
  name: 'papers',
  description:
    'papers and notes with mathematics: even chunks, words as they are written, balanced hybrid search (seed 001)',
  // Seed 001, lines 150–152 and 163: 768 tokens, 100 of overlap (100 to 150), at line boundaries.
  chunk: {
    ...defaultPreset.chunk,
    use: 'fixed-tokens',
    minTokens: 1,
    targetTokens: 768,
    maxTokens: 768,
    overlapTokens: 100,
    overlong: 'window',
  },
  embed: { ...defaultPreset.embed, headings: false },
  // Lines 271–287: no stemming, no stop words removed, notation and commands kept.
  analyze: { ...defaultPreset.analyze, stem: false, stopWords: false, math: true },
  // Lines 279 and 287: the question unchanged, nothing added.
  query: { ...defaultPreset.query, intent: false, expand: 'none' },
  retrieve: {
    ...defaultPreset.retrieve,
    // The program's own default; the design names none.
    topK: 5,
    mode: 'hybrid',
    bm25: { ...defaultPreset.retrieve.bm25, fields: { path: 0, title: 1, heading: 1, body: 1 } },
  },
  // Lines 264–267: alpha .5, weighted min–max of the two.
  fuse: { ...defaultPreset.fuse, method: 'min-max', alpha: 0.5 },
  context: { ...defaultPreset.context, maxPassages: 5 },
  design: {
    of: 'Ragora',
    settings: {
      // Lines 178–197: mean pooling, normalised, 768 dimensions.
      'embed.use': 'onnx',
      'embed.model': 'sentence-transformers/all-mpnet-base-v2',
      // Lines 203–224.
      'store.use': 'weaviate',
      // Lines 301–307.
      'generate.use': 'ollama',
    },
    later: {
      store: { distance: 'cosine', index: 'hnsw', batchSize: 100 },
      // Line 356.
      embed: { batchSize: 32 },
      generate: { model: 'mistral', contextTokens: 4096 },
      // Lines 310–317 and 321–324.
      prompt: {
        wording: 'Based on the following context, answer the question.',
        order: ['context', 'question', 'answer'],
        rules: ['keep citations', 'keep mathematical notation', 'say how sure the answer is'],
      },
      // Lines 339–340: the sizes to compare, `eval --vary chunk.maxTokens=…`.
      experiment: { 'chunk.maxTokens': [256, 512, 768, 1024], measures: ['mrr', 'precision@k'] },
    },
    deviations: [
      '768 are tokens of the embedder, at line ends; the program counts characters and cuts anywhere.',
      'all-mpnet-base-v2 reads 384 tokens, not 768: longer chunks are embedded in windows, whose mean is their vector.',
      'The question is not lower-cased; the program does that, though the design says “unchanged”.',
      'alpha .5 gives the small built-in model as much as the words: below BM25 alone on documentation; with --as-designed it is the design’s balance.',
      'Words are neither stemmed nor left out, as designed; that costs inflected forms, and is why plain questions find less than with the preset default.',
    ],
  },
};
