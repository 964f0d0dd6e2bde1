/** The embedding models that the designs name, as the table of models knows them. */
import { describe, expect, test } from 'vitest';
import { knownModel } from '../../src/embedders/models.ts';
import { presetSettings } from '../../src/presets/preset-settings.ts';
import jinaReranker from '../../src/rerankers/jina.ts';

describe('dimensions', () => {
  // [S0-vector-size] [S1-embedding-dimensions] [S4-embedding-dimensions] [S1-model-qa-minilm] [S1-model-minilm-l12]
  // [S1-model-specter]
  test.each([
    ['BAAI/bge-base-en-v1.5', 768],
    ['BAAI/bge-small-en-v1.5', 384],
    ['all-mpnet-base-v2', 768],
    ['multi-qa-MiniLM-L6-v2', 384],
    ['all-MiniLM-L12-v2', 384],
    ['sentence-transformers/allenai-specter', 768],
    ['nomic-embed-text-v1.5', 768],
    ['intfloat/e5-large-v2', 1024],
  ])('%s has %i', (name, dimensions) => {
    expect(knownModel(name)?.dimensions).toBe(dimensions);
  });
});

describe('what stands before a text', () => {
  // [S0-query-instruction] [S0-query-prefix] [S0-passages-unprefixed] [S4-prompts-both]
  test.each(['bge-small-en-v1.5', 'bge-base-en-v1.5'])('%s: an instruction before questions only', (name) => {
    const { query, passage } = knownModel(name)?.prompts ?? {};
    expect(`${query}How?`).toBe('Represent this sentence for searching relevant passages: How?');
    expect(passage).toBe('');
  });

  // [S2-embedding-model]
  test('nomic: a word before questions and another before passages', () => {
    expect(knownModel('nomic-embed-text-v1.5')?.prompts).toEqual({
      query: 'search_query: ',
      passage: 'search_document: ',
    });
  });

  // [S0-ab-treatment]
  test('e5: the same', () => {
    expect(knownModel('e5-large-v2')?.prompts).toEqual({ query: 'query: ', passage: 'passage: ' });
  });
});

// [S1-pooling-mean] [S1-weaviate-pooling]
test('MPNet and MiniLM average the vectors of their tokens', () => {
  for (const name of ['all-mpnet-base-v2', 'all-MiniLM-L6-v2', 'all-MiniLM-L12-v2', 'multi-qa-MiniLM-L6-v2'])
    expect(knownModel(name)?.pooling, name).toBe('mean');
});

// [S1-chunk-size-reason]
test('MPNet reads less than a chunk of 768 tokens', () => {
  expect(knownModel('all-mpnet-base-v2')?.maxTokens).toBe(384);
});

// [S0-jina-url] [S0-jina-model]
test('Jina is asked at its own address unless another is set; another is part of the name', () => {
  const nameAt = (baseUrl: string | null): string =>
    jinaReranker({
      settings: { model: '', baseUrl, keyVariable: null },
      http: presetSettings('default').http,
      environment: {},
    }).model;
  const own = 'jina/jina-reranker-v2-base-multilingual';
  expect(nameAt(null)).toBe(own);
  expect(nameAt('https://api.jina.ai/v1')).toBe(own);
  expect(nameAt('https://api.jina.example/v1')).toContain('@');
});
