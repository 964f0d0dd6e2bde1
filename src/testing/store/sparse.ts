/** The leg of learned sparse vectors: exact inner products with what was stored. */
import assert from 'node:assert/strict';
import { isRagError } from '../../core/errors.ts';
import { SAMPLE_SCHEMA, SPARSE_SCHEMA, sampleDocument, sampleOrigin, sampleUri } from '../sample-documents.ts';
import type { SampleDocument } from '../sample-documents.ts';
import { APPLE, close, dense, fails, keyword, pathsOf, put, sparse, writer, writerOf } from './scenario.ts';
import type { Scenario } from './scenario.ts';

/** Entry numbers as of a vocabulary of 250,000. */
const [TREE, CELLAR, SOIL, RARE] = [3, 1712, 30_521, 249_999];

const sample = (path: string, ...weights: readonly Readonly<Record<number, number>>[]): SampleDocument => ({
  path,
  sections: weights.map((own, i) => ({
    heading: '',
    text: `${path} ${i}`,
    metadata: { part: i },
    sparse: { sparse: own },
  })),
});

const ORCHARD = sample('orchard', { [TREE]: 2, [SOIL]: 0.5 }, { [CELLAR]: 1.5, [TREE]: 0.25 }, {});
const GARDEN = sample('garden', { [SOIL]: 1, [RARE]: 3 });

export const SPARSE: Record<string, Scenario> = {
  'sparse: best first, with exact inner products; what shares nothing with the question is no hit': async (fixture) => {
    const store = await writerOf(SPARSE_SCHEMA, fixture, ORCHARD, GARDEN, APPLE);
    assert.ok(store.supports.has('sparse'));
    const run = await sparse(store, { [TREE]: 1, [SOIL]: 3, 7: 9 });
    assert.deepEqual(await pathsOf(store, run), ['orchard#0', 'garden#0', 'orchard#1']);
    for (const [i, score] of [3.5, 3, 0.25].entries()) close(run.hits[i]?.score, score);
    assert.deepEqual((await sparse(store, { [TREE]: 1, [SOIL]: 3 }, 2)).hits, run.hits.slice(0, 2));
    assert.deepEqual((await sparse(store, { [TREE]: 1 }, 0)).hits, []);
    assert.deepEqual((await sparse(store, { [TREE + 1]: 1 })).hits, []);
    assert.deepEqual((await sparse(store, {})).hits, []);
  },
  'sparse: a weight below 0 takes away, and a score of 0 or less is no hit': async (fixture) => {
    const store = await writerOf(SPARSE_SCHEMA, fixture, ORCHARD, sample('minus', { [TREE]: -1, [SOIL]: 0 }));
    const run = await sparse(store, { [TREE]: 1, [CELLAR]: -0.1 });
    assert.deepEqual(await pathsOf(store, run), ['orchard#0', 'orchard#1']);
    close(run.hits[1]?.score, 0.1);
    assert.deepEqual((await sparse(store, { [TREE]: 1, [SOIL]: -4 }, 9, { part: 0 })).hits, []);
  },
  'sparse: weights are kept as float32, their products added exactly': async (fixture) => {
    const weights = Object.fromEntries(Array.from({ length: 120 }, (_, i) => [i * 251, 1 / (i + 3)]));
    const store = await writerOf(SPARSE_SCHEMA, fixture, sample('many', weights));
    const question = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [i * 502, 1 / (i + 1.1)]));
    let expected = 0;
    for (const [entry, weight] of Object.entries(question)) {
      expected += Math.fround(weight) * Math.fround(weights[Number(entry)] ?? 0);
    }
    const [hit] = (await sparse(store, question)).hits;
    assert.ok(Math.abs((hit?.score ?? 0) - expected) < 1e-12);
  },
  'sparse: equal scores come in the order of storage': async (fixture) => {
    const twins = ['c', 'a', 'b'].map((path) => sample(path, { [TREE]: 1 }));
    const store = await writerOf(SPARSE_SCHEMA, fixture, ...twins);
    assert.deepEqual(await pathsOf(store, await sparse(store, { [TREE]: 1 }, 2)), ['c#0', 'a#0']);
    await put(store, twins[0] as SampleDocument);
    await store.publish();
    assert.deepEqual(await pathsOf(store, await sparse(store, { [TREE]: 1 })), ['a#0', 'b#0', 'c#0']);
  },
  'sparse: a filter takes out hits and changes no score': async (fixture) => {
    const store = await writerOf(SPARSE_SCHEMA, fixture, ORCHARD, GARDEN);
    const all = await sparse(store, { [TREE]: 1, [SOIL]: 1 });
    const some = await sparse(store, { [TREE]: 1, [SOIL]: 1 }, 1, { not: { part: 0 } });
    assert.deepEqual(await pathsOf(store, all), ['orchard#0', 'garden#0', 'orchard#1']);
    assert.deepEqual(some.hits, all.hits.slice(2));
  },
  'sparse: replaced and removed chunks are found no more, after a publish': async (fixture) => {
    const store = await writerOf(SPARSE_SCHEMA, fixture, ORCHARD, GARDEN);
    await put(store, sample('orchard', { [CELLAR]: 4 }));
    await store.remove('docs', sampleUri('docs', 'garden'));
    assert.equal((await sparse(store, { [TREE]: 1, [RARE]: 1 })).hits.length, 3);
    await store.publish();
    assert.deepEqual((await sparse(store, { [TREE]: 1, [RARE]: 1 })).hits, []);
    close((await sparse(store, { [CELLAR]: 1 })).hits[0]?.score, 4);
  },
  'sparse: continues after it was closed, whatever was not published': async (fixture) => {
    const first = await writerOf(SPARSE_SCHEMA, fixture, ORCHARD);
    await put(first, GARDEN);
    await first.close();
    const second = fixture.connect();
    await second.open(SPARSE_SCHEMA, 'write');
    assert.deepEqual((await sparse(second, { [RARE]: 1 })).hits, []);
    await second.publish();
    assert.deepEqual(await pathsOf(second, await sparse(second, { [SOIL]: 1 })), ['garden#0', 'orchard#0']);
    await second.close();
  },
  'sparse: the other legs do not know of it': async (fixture) => {
    const store = await writerOf(SPARSE_SCHEMA, fixture, ORCHARD, APPLE);
    assert.equal((await dense(store, [1, 0, 0, 0])).hits.length, 2);
    assert.equal((await keyword(store, 'cellar')).hits.length, 1);
  },
  'sparse: refuses an unknown space, with a hint': async (fixture) => {
    const store = await writer(fixture, APPLE);
    await fails('setting-invalid', () => sparse(store, { [TREE]: 1 }));
    await fails('setting-invalid', () => put(store, ORCHARD));
    await store.close();
  },
  'sparse: refuses numbers that do not ascend, and weights that are no numbers': async (fixture) => {
    const store = await writerOf(SPARSE_SCHEMA, fixture, ORCHARD);
    const ask = (indices: number[], values: number[]): Promise<unknown> =>
      store.search({
        leg: 'sparse',
        space: 'sparse',
        vector: { indices: Uint32Array.from(indices), values: Float32Array.from(values) },
        topK: 3,
      });
    await fails('internal', () => ask([2, 1], [1, 1]));
    await fails('internal', () => ask([1, 1], [1, 1]));
    await fails('internal', () => ask([1], [Number.NaN]));
    await fails('internal', () => ask([1, 2], [1]));
    const stored = sampleDocument(GARDEN);
    const [first] = stored.chunks;
    assert.ok(first !== undefined);
    const vector = { indices: Uint32Array.of(5, 4), values: Float32Array.of(1, 1) };
    const wrong = { ...stored, chunks: [{ ...first, vectors: { dense: {}, sparse: { sparse: vector } } }] };
    await fails('internal', () => store.replace(sampleOrigin(wrong), [wrong]));
  },
  'sparse: refuses an index with another model, or without one, and names it': async (fixture) => {
    const store = await writerOf(SPARSE_SCHEMA, fixture, ORCHARD);
    await store.close();
    for (const other of [SAMPLE_SCHEMA, { ...SAMPLE_SCHEMA, sparse: { sparse: { model: 'other@2' } } }]) {
      await assert.rejects(
        () => fixture.connect().open(other, 'read'),
        (error) => isRagError(error) && error.code === 'index-mismatch' && /sparse\.sparse\.model/u.test(error.message),
      );
    }
  },
  'sparse: refuses one name for dense and sparse vectors': async (fixture) => {
    const sparseToo = { ...SAMPLE_SCHEMA, sparse: { dense: { model: 'sample@1' } } };
    await fails('setting-invalid', () => fixture.connect().open(sparseToo, 'write'));
  },
};
