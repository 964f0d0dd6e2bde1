import type { Preset } from '../core/settings.ts';

/** Hybrid search over documentation, without a download, a key or a server. */
export const defaultPreset: Preset = {
  name: 'default',
  description: 'hybrid search with the built-in embedder, answers made of exact quotes; nothing to install, no key',
  parse: {
    maxFileBytes: 20_000_000,
    maxMarkdownChars: 4_000_000,
    drafts: 'exclude',
    derive: [],
  },
  chunk: {
    use: 'markdown-sections',
    // The sizes of the WaveMaker design (seed 000): 350 is "optimal for retrieval quality", 512 what BERT models take.
    minTokens: 100,
    targetTokens: 350,
    maxTokens: 512,
    overlapTokens: 50,
    // Of the two-tier design (seed 002); other chunkers do not read them.
    maxChars: 2000,
    overlapChars: 200,
    parentChars: 8000,
    breakPercentile: 90,
    overlong: 'window',
  },
  // Two vectors a chunk, "title > headings" with and without the body: models/README.md, recipe 2.
  embed: {
    use: 'built-in',
    model: '',
    baseUrl: null,
    keyVariable: null,
    dimensions: null,
    headings: true,
    also: [],
    sparse: { use: 'none', model: '' },
    // Bisq +.015 MRR@10, claudedocs +.012 nDCG@10, six other sets as they were: docs/adaptation.md.
    adapt: 'auto',
  },
  // Stemming +2.1, question words as stop words +1.8, whole identifiers and their parts +0.8 points of NDCG@10.
  analyze: { language: 'auto', stem: true, stopWords: true, identifiers: true, math: false },
  store: { use: 'embedded' },
  query: {
    intent: true,
    expand: 'none',
    expansions: 5,
    expansionWeight: 0.3,
    vocabulary: [],
    filters: false,
    routes: [],
    clarify: false,
  },
  retrieve: {
    topK: 10,
    // The fusion was measured over the first hundred of each leg; the seed's design had 30.
    depth: 100,
    mode: 'hybrid',
    // Recipe 1: +.026 MRR@10 over plain BM25 on 162 pooled questions.
    bm25: { k1: 1.2, b: 0.75, fields: { path: 1, title: 2, heading: 2, body: 1 } },
    lateInteraction: false,
  },
  fuse: {
    // Fixed weights were better than weights by coverage on 370 questions that no setting was chosen on.
    method: 'weighted',
    weights: { keyword: 0.6, dense: 0.25, heading: 0.15, sparse: 0, lateInteraction: 0, also: [] },
    // The constant of the RRF paper; used by `method: rrf` only.
    k: 60,
    alpha: null,
  },
  adjust: {
    weights: [],
    changelogs: 1,
    importance: 0,
    minCosine: null,
    minCosineModel: null,
    secondChance: false,
    diversity: 1,
    pool: 'fixed',
  },
  rerank: {
    use: 'none',
    model: '',
    baseUrl: null,
    keyVariable: null,
    candidates: 30,
    maxChars: null,
    weight: 1,
    skip: 'never',
    skipAbove: 0.04,
    lightBelowWords: 0,
  },
  // Five passages are what the seed's reranker hands to its model.
  context: { maxPassages: 5, maxChars: 15_000, maxTokens: null, neighbours: 1, parents: false },
  generate: { use: 'extractive', maxWords: 120 },
  larger: {
    instead: { 'fuse.weights.keyword': 0.4, 'fuse.weights.dense': 0.4, 'fuse.weights.heading': 0.2 },
    beside: { 'fuse.weights.keyword': 0.4, 'fuse.weights.dense': 0.1, 'fuse.weights.heading': 0.1 },
  },
  confidence: { threshold: 0.3 },
  models: {
    device: 'cpu',
    workers: 0,
    folder: null,
    hub: 'https://huggingface.co',
    offline: false,
    loading: 'lazy',
  },
  // One client a service: 30 s, 10 connections, 5 kept alive (seed 000, "Connection Pooling").
  http: { timeoutSeconds: 30, maxConnections: 10, keepAliveConnections: 5, retries: 2 },
  cache: { embeddings: 'disk', embeddingTtlSeconds: null },
};
