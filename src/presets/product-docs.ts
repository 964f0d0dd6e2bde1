import type { Preset } from '../core/settings.ts';
import { defaultPreset } from './default.ts';

/** The WaveMaker Docs Agent (seed 000): a product's documentation in git, hybrid search, RRF, a reranker. */
export const productDocsPreset: Preset = {
  ...defaultPreset,
  name: 'product-docs',
  description: "a product's documentation in git: header-first chunks, hybrid search fused by rank (seed 000)",
  // Seed 000, lines 81–83 and 101: 100, 512, 350 and 50 tokens; lines 86–98: by headings, then by paragraphs.
  chunk: { ...defaultPreset.chunk, minTokens: 100, targetTokens: 350, maxTokens: 512, overlapTokens: 50 },
  // Line 171: passages have no prefix; there is one vector a chunk (line 204).
  embed: { ...defaultPreset.embed, headings: false },
  retrieve: {
    ...defaultPreset.retrieve,
    // Lines 62 and 415: five after reranking.
    topK: 5,
    // Lines 59 and 289: thirty of each leg.
    depth: 30,
    mode: 'hybrid',
  },
  // Lines 312–328: reciprocal ranks, k = 60.
  fuse: { ...defaultPreset.fuse, method: 'rrf', k: 60 },
  rerank: {
    ...defaultPreset.rerank,
    candidates: 30,
    // Line 424: a text is cut at 2,000 characters; here that is told.
    maxChars: 2000,
    // Line 445: skipped above RRF .04, which two lists at k = 60 cannot reach (2/61 = .033); the value is the design's.
    skip: 'score',
    skipAbove: 0.04,
  },
  context: { ...defaultPreset.context, maxPassages: 5 },
  design: {
    of: 'WaveMaker Docs Agent',
    settings: {
      // Lines 144, 165, 167 and 206: bge-base, 768 dimensions, on the CPU, an instruction before questions.
      'embed.use': 'onnx',
      'embed.model': 'BAAI/bge-base-en-v1.5',
      'models.device': 'cpu',
      // Lines 204–217: Qdrant, cosine.
      'store.use': 'qdrant',
      // Lines 418–424.
      'rerank.use': 'jina',
      'rerank.model': 'jina-reranker-v2-base-multilingual',
      // Lines 687–690.
      'http.timeoutSeconds': 30,
      'http.maxConnections': 10,
      'http.keepAliveConnections': 5,
      // Line 526: a day.
      'cache.embeddingTtlSeconds': 86_400,
      // Line 628.
      'generate.use': 'anthropic',
    },
    later: {
      // Lines 211–217 and 242–243.
      store: {
        distance: 'cosine',
        segments: 2,
        indexingThreshold: 10_000,
        hnsw: { m: 16, efConstruct: 100, fullScanThreshold: 1000, ef: 128, exact: false },
        // Line 699.
        batchSize: 100,
      },
      // Lines 467–526.
      caches: {
        exact: { key: 'exact:{sha256, 32 hex}', ttlSeconds: 3600 },
        semantic: { key: 'semantic:{sha256, 32 hex}', ttlSeconds: 3600, threshold: 0.95, scanned: 100 },
        embedding: { key: 'embed:{sha256, 32 hex}', ttlSeconds: 86_400 },
      },
      // Lines 628–630.
      generate: { model: 'claude-sonnet-4-5-20250929', maxOutputTokens: 2048, temperature: 0.2 },
      // Lines 582–603.
      prompt: {
        rules: [
          'answer from the context only',
          'cite documents as [1], [2]',
          'give exact steps, and code where it helps',
          'say so when the context is not enough',
          'write Markdown',
        ],
        order: ['a direct answer', 'steps', 'code', 'the sources'],
        passage: ['[n] title', 'source', 'section', 'content'],
      },
      // Lines 752–764.
      experiment: { embedding: 'intfloat/e5-large-v2', depth: 50, topK: 7, share: 0.1 },
    },
    deviations: [
      'Tokens are the embedder’s own; the program counts words × .75.',
      'All six levels of headings are sections; the program cuts at the second only, and inside fences.',
      'The keyword leg is BM25 with document frequencies; the program’s sparse vectors have none and drop words that occur once.',
      'Reranking is skipped above RRF .04, as written; with two legs and k = 60 no score is above .033, so it is never skipped.',
      'Without --as-designed nothing reranks: the built-in comparison of words was not better than the fused order.',
      'RRF gives the small built-in model the same voice as the words; the preset default weighs it instead, and is measured better.',
    ],
  },
};
