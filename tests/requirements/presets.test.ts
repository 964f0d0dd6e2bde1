/**
 * The numbers of the designs, as their presets have them: on a fresh machine, and with `--as-designed`. Where the two
 * differ, or a number is kept for a part that is not there yet, the statement says so (tests/requirements.ts).
 */
import { describe, expect, test } from 'vitest';
import { flatten } from '../../src/config/flat.ts';
import type { Preset } from '../../src/core/settings.ts';
import { presetNamed } from '../../src/presets/presets.ts';

type Values = Readonly<Record<string, unknown>>;

/** Settings of a preset by dotted key, as they are and as its design has them. */
function valuesOf(name: string, keys: readonly string[]): { readonly fresh: Values; readonly designed: Values } {
  const preset = presetNamed(name);
  const flat = flatten(preset);
  const fresh = Object.fromEntries(keys.map((key) => [key, flat.get(key)]));
  const own = (preset.design as NonNullable<Preset['design']>).settings;
  return { fresh, designed: Object.fromEntries(keys.map((key) => [key, key in own ? own[key] : fresh[key]])) };
}

/** The same on a fresh machine and as designed. */
function expectAlways(name: string, values: Values): void {
  expect(valuesOf(name, Object.keys(values))).toEqual({ fresh: values, designed: values });
}

function expectDesigned(name: string, designed: Values): void {
  const values = valuesOf(name, Object.keys(designed));
  expect(values.designed).toEqual(designed);
  for (const key of Object.keys(designed)) expect(values.fresh[key], key).not.toEqual(designed[key]);
}

const later = (name: string): unknown => presetNamed(name).design?.later;

describe('product-docs', () => {
  // [S0-retrieve-30] [S0-hybrid-top-k] [S0-rerank-5] [S0-hybrid-rrf] [S0-rrf-k] [S0-jina-truncate]
  // [S0-rerank-skip-threshold] [S0-chunk-min-tokens] [S0-chunk-target-tokens] [S0-chunk-max-tokens] [S0-chunk-overlap]
  test('its numbers hold everywhere', () => {
    expectAlways('product-docs', {
      'chunk.use': 'markdown-sections',
      'chunk.minTokens': 100,
      'chunk.targetTokens': 350,
      'chunk.maxTokens': 512,
      'chunk.overlapTokens': 50,
      'retrieve.mode': 'hybrid',
      'retrieve.depth': 30,
      'retrieve.topK': 5,
      'fuse.method': 'rrf',
      'fuse.k': 60,
      'rerank.maxChars': 2000,
      'rerank.skip': 'score',
      'rerank.skipAbove': 0.04,
      'models.device': 'cpu',
      'models.loading': 'lazy',
      'http.timeoutSeconds': 30,
      'http.maxConnections': 10,
      'http.keepAliveConnections': 5,
    });
  });

  // [S0-services] [S0-embedding-model] [S0-jina-model] [S0-embedding-device]
  test('its models and services wait until they are asked for', () => {
    expectDesigned('product-docs', {
      'embed.use': 'onnx',
      'embed.model': 'BAAI/bge-base-en-v1.5',
      'store.use': 'qdrant',
      'rerank.use': 'jina',
      'rerank.model': 'jina-reranker-v2-base-multilingual',
      'generate.use': 'anthropic',
    });
  });

  // [S0-qdrant-vector-size] [S0-qdrant-segments] [S0-qdrant-indexing-threshold] [S0-hnsw-m] [S0-hnsw-ef-construct]
  // [S0-hnsw-full-scan] [S0-qdrant-exact] [S0-hnsw-ef-search] [S0-batch-size] [S0-ab-treatment] [S0-ab-treatment-top]
  test('what its own store would be told is kept', () => {
    expect(later('product-docs')).toMatchObject({
      store: {
        distance: 'cosine',
        segments: 2,
        indexingThreshold: 10_000,
        hnsw: { m: 16, efConstruct: 100, fullScanThreshold: 1000, ef: 128, exact: false },
        batchSize: 100,
      },
      experiment: { embedding: 'intfloat/e5-large-v2', depth: 50, topK: 7, share: 0.1 },
    });
  });
});

describe('papers', () => {
  // [S1-chunk-fixed] [S1-chunk-size] [S1-chunk-overlap] [S1-chunker-defaults] [S1-alpha-default] [S1-query-no-stemming]
  // [S1-query-stop-words] [S1-query-no-expansion] [S1-query-math] [S1-chunk-size-set]
  test('its numbers and rules hold everywhere', () => {
    expectAlways('papers', {
      'chunk.use': 'fixed-tokens',
      'chunk.maxTokens': 768,
      'chunk.overlapTokens': 100,
      'chunk.overlong': 'window',
      'retrieve.mode': 'hybrid',
      'fuse.alpha': 0.5,
      'analyze.stem': false,
      'analyze.stopWords': false,
      'analyze.math': true,
      'query.expand': 'none',
    });
  });

  // [S1-embedding-model]
  test('its models and services wait until they are asked for', () => {
    expectDesigned('papers', {
      'embed.use': 'onnx',
      'embed.model': 'sentence-transformers/all-mpnet-base-v2',
      'store.use': 'weaviate',
      'generate.use': 'ollama',
    });
  });

  // [S1-batch-embedding] [S1-batch-storage]
  test('its batches are kept', () => {
    expect(later('papers')).toMatchObject({ embed: { batchSize: 32 }, store: { batchSize: 100 } });
  });
});

describe('notes', () => {
  // [S2-vector-size] [S2-vector-overlap] [S2-parent-size] [S2-rerank-top] [S2-rerank-results] [S2-rerank-candidates]
  // [S2-parent-context] [S2-missing-borderline]
  test('its numbers hold everywhere', () => {
    expectAlways('notes', {
      'chunk.use': 'two-tier',
      'chunk.maxChars': 2000,
      'chunk.overlapChars': 200,
      'chunk.parentChars': 8000,
      'rerank.candidates': 10,
      'retrieve.topK': 5,
      'context.maxPassages': 5,
      'context.parents': true,
      'adjust.secondChance': true,
    });
  });

  // [S2-two-stages] [S2-search-top] [S2-embedding-model] [S2-rerank-model] [S2-future-eager]
  test('its models and services wait until they are asked for', () => {
    expectDesigned('notes', {
      'embed.use': 'onnx',
      'embed.model': 'nomic-ai/nomic-embed-text-v1.5',
      'store.use': 'pgvector',
      'retrieve.mode': 'dense',
      'retrieve.depth': 10,
      'rerank.use': 'onnx',
      'rerank.model': 'cross-encoder/ms-marco-MiniLM-L-6-v2',
      'models.loading': 'eager',
      'generate.use': 'anthropic',
    });
  });
});

describe('support-desk', () => {
  // [S3-setting-k1] [S3-setting-b] [S3-bm25-k1] [S3-bm25-b] [S3-chroma-k] [S3-context-length] [S3-colbert-top]
  // [S3-colbert-enabled] [S3-score-threshold] [S3-wiki-weight] [S3-faq-weight]
  test('its numbers hold everywhere', () => {
    expectAlways('support-desk', {
      'retrieve.bm25.k1': 1.5,
      'retrieve.bm25.b': 0.75,
      'retrieve.topK': 8,
      'fuse.method': 'min-max',
      'context.maxChars': 15_000,
      'context.maxPassages': 5,
      'rerank.use': 'late-interaction',
      'adjust.minCosine': 0.3,
      'adjust.minCosineModel': 'text-embedding-3-small',
      'adjust.weights': [
        { field: 'type', value: 'wiki', weight: 1.1 },
        { field: 'type', value: 'faq', weight: 1 },
      ],
    });
  });

  // [S3-weight-dense] [S3-weight-keyword] [S3-semantic-weight] [S3-keyword-weight] [S3-combined-score]
  test('its weights are those of a better model', () => {
    expectDesigned('support-desk', { 'fuse.weights.dense': 0.7, 'fuse.weights.keyword': 0.3 });
    expect(presetNamed('support-desk').fuse.weights).toMatchObject({ dense: 0.3, keyword: 0.7 });
  });

  // [S3-embedding-model] [S3-embedding-dimensions] [S3-backend]
  test('its models and services wait until they are asked for', () => {
    expectDesigned('support-desk', {
      'embed.use': 'openai',
      'embed.model': 'text-embedding-3-small',
      'embed.dimensions': 1536,
      'rerank.weight': 1,
      'store.use': 'chroma',
      'generate.use': 'openai',
    });
    expect(later('support-desk')).toMatchObject({ store: { alternatives: ['qdrant', 'hybrid'] } });
  });

  // [S3-protocol-easy] [S3-protocol-multisig] [S3-protocol-musig] [S3-protocol-all]
  test('its protocols are words of a vocabulary; what is for all is a step of its own', () => {
    const { vocabulary, routes } = presetNamed('support-desk').query;
    expect(vocabulary.map(({ field, value, label }) => [field, value, label])).toEqual([
      ['protocol', 'bisq_easy', 'Bisq Easy (Bisq 2)'],
      ['protocol', 'multisig_v1', 'Multisig v1 (Bisq 1)'],
      ['protocol', 'musig', 'MuSig'],
    ]);
    const searched = routes.flatMap(({ steps }) => steps.flatMap(({ filter }) => filter['protocol'] ?? []));
    expect(new Set(searched)).toEqual(new Set(['bisq_easy', 'multisig_v1', 'musig', 'all', '$topic']));
  });
});

describe('website', () => {
  // [S4-chunk-tokens] [S4-chunk-overlapping] [S4-top-k] [S4-final-k] [S4-chunk-keep-fences]
  test('its numbers hold everywhere', () => {
    expectAlways('website', {
      'chunk.use': 'fenced-tokens',
      'chunk.maxTokens': 1200,
      'chunk.overlapTokens': 100,
      'chunk.overlong': 'window',
      'retrieve.depth': 40,
      'rerank.candidates': 40,
      'retrieve.topK': 8,
      'context.maxPassages': 8,
    });
  });

  // [S4-embedding-model] [S4-rerank-model] [S4-rerank-optional] [S4-query-flow]
  test('its models and services wait until they are asked for', () => {
    expectDesigned('website', {
      'embed.use': 'onnx',
      'embed.model': 'BAAI/bge-small-en-v1.5',
      'retrieve.mode': 'dense',
      'rerank.use': 'onnx',
      'rerank.model': 'cross-encoder/ms-marco-MiniLM-L-6-v2',
      'store.use': 'flat-file',
    });
  });
});
