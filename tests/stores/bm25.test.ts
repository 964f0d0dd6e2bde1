/** BM25 with the numbers of the design for support desks, computed by hand. */
import { expect, test } from 'vitest';
import memoryStore from '../../src/stores/memory.ts';
import { SPARSE_SCHEMA } from '../../src/testing/index.ts';
import type { SampleDocument } from '../../src/testing/index.ts';
import { openStore, put, temporaryFolder } from './fixtures.ts';

const page = (path: string, text: string): SampleDocument => ({ path, sections: [{ heading: '', text }] });

/** 3, 4 and 5 words: the average is 4. */
const PAGES = [
  page('a', 'bond bond seller'),
  page('b', 'seller wallet trade offer'),
  page('c', 'trade offer wallet fee chart'),
];

// [S3-bm25-leg] [S3-bm25-idf] [S3-bm25-k1] [S3-bm25-b]
test('k1 1.5 and b 0.75 give these scores, in both stores', async () => {
  const memory = memoryStore();
  await memory.open(SPARSE_SCHEMA, 'write');
  for (const store of [memory, await openStore(temporaryFolder(), 'write')]) {
    for (const sample of PAGES) await put(store, sample);
    await store.publish();
    const run = await store.search({
      leg: 'keyword',
      text: 'bond wallet',
      k1: 1.5,
      b: 0.75,
      fields: { path: 0, title: 0, heading: 0, body: 1 },
      topK: 10,
    });
    // bond:   1 of 3 chunks, idf = ln(1 + 2.5 / 1.5) = 0.980829
    // wallet: 2 of 3 chunks, idf = ln(1 + 1.5 / 2.5) = 0.470004
    expect(run.terms?.map(({ idf }) => idf)).toEqual([expect.closeTo(0.980829, 6), expect.closeTo(0.470004, 6)]);
    // a: 0.980829 × 2 × 2.5 / (2 + 1.5 × (0.25 + 0.75 × 3 / 4)) = 0.980829 × 5 / 3.21875
    // b: 0.470004 × 1 × 2.5 / (1 + 1.5 × (0.25 + 0.75 × 4 / 4)) = 0.470004
    // c: 0.470004 × 1 × 2.5 / (1 + 1.5 × (0.25 + 0.75 × 5 / 4)) = 0.470004 × 2.5 / 2.78125
    expect(run.hits.map(({ score }) => score)).toEqual([
      expect.closeTo(1.523618, 6),
      expect.closeTo(0.470004, 6),
      expect.closeTo(0.422475, 6),
    ]);
  }
});
