import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KNOWN_MODELS, knownModel } from '../../src/embedders/models.ts';
import { shorten } from '../../src/embedders/onnx/vectors.ts';
import { windows } from '../../src/onnx/windows.ts';
import { isHubId } from '../../src/onnx/hub.ts';

describe('the table of models', () => {
  test('has every model of the designs, as their cards describe them', () => {
    const uses = [
      'BAAI/bge-small-en-v1.5',
      'BAAI/bge-base-en-v1.5',
      'intfloat/e5-large-v2',
      'all-mpnet-base-v2',
      'multi-qa-MiniLM-L6-v2',
      'all-MiniLM-L12-v2',
      'sentence-transformers/allenai-specter',
      'nomic-embed-text-v1.5',
    ].map((name) => {
      const model = knownModel(name);
      return [model?.pooling, model?.maxTokens, model?.dimensions, model?.prompts.query, model?.prompts.passage];
    });
    const BGE = 'Represent this sentence for searching relevant passages: ';
    expect(uses).toEqual([
      ['cls', 512, 384, BGE, ''],
      ['cls', 512, 768, BGE, ''],
      ['mean', 512, 1024, 'query: ', 'passage: '],
      ['mean', 384, 768, '', ''],
      ['mean', 512, 384, '', ''],
      ['mean', 256, 384, '', ''],
      ['cls', 512, 768, '', ''],
      ['mean', 8192, 768, 'search_query: ', 'search_document: '],
    ]);
  });

  test('has names that mean one model each, and addresses that can be', () => {
    const names = KNOWN_MODELS.flatMap(({ names, folders }) => [
      ...new Set([...names, ...folders.map((folder) => folder.toLowerCase())]),
    ]);
    expect(new Set(names).size).toBe(names.length);
    for (const model of KNOWN_MODELS) {
      expect(isHubId(model.hub)).toBe(true);
      for (const name of [...model.names, model.hub]) expect(knownModel(name)).toBe(model);
    }
    expect(knownModel('minilm-l7')).toBeUndefined();
  });
});

test('windows cover all tokens, none is longer than the model reads, and neighbours share some', () => {
  fc.assert(
    fc.property(fc.nat(3000), fc.integer({ min: 1, max: 600 }), (length, most) => {
      const ids = Array.from({ length }, (_, i) => i);
      const found = windows(ids, most);
      expect(found.every((window) => window.length <= most)).toBe(true);
      expect([...new Set(found.flat())]).toEqual(ids);
      for (let i = 1; i < found.length && most >= 4; i++)
        expect(found[i]?.[0]).toBeLessThanOrEqual(found[i - 1]?.at(-1) as number);
    }),
  );
});

test('a shortened vector is the beginning of the whole one, levelled over all of it', () => {
  const vector = Float32Array.of(1, 2, 3, 6);
  expect([...shorten(vector, 2, { least: 1, layerNorm: false })]).toEqual([1, 2]);
  // Mean 3, variance 3.5.
  const levelled = [...shorten(vector, 2, { least: 1, layerNorm: true })];
  expect(levelled[0]).toBeCloseTo(-2 / Math.sqrt(3.5), 4);
  expect(levelled[1]).toBeCloseTo(-1 / Math.sqrt(3.5), 4);
});
