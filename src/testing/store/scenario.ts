/** What the contract tests of stores are made of. */
import assert from 'node:assert/strict';
import type { IndexSchema, LegRun, Store, StoreQuery, StoredDocument } from '../../core/contracts.ts';
import { isRagError } from '../../core/errors.ts';
import type { Filter } from '../../core/filter.ts';
import { SAMPLE_SCHEMA, sampleDocument, sampleOrigin, sparseVector, unitVector } from '../sample-documents.ts';
import type { SampleDocument } from '../sample-documents.ts';

/** A place for one index, empty at first. */
export interface StoreFixture {
  /** A store on this place, not yet opened. A store that lives in memory gives the same object each time. */
  connect(): Store;
  dispose(): Promise<void>;
}

export type Scenario = (fixture: StoreFixture) => Promise<void>;

/** Query settings of all keyword searches. */
export const KEYWORD: Omit<Extract<StoreQuery, { leg: 'keyword' }>, 'text' | 'topK' | 'filter'> = {
  leg: 'keyword',
  k1: 1.2,
  b: 0.75,
  fields: { path: 1, title: 2, heading: 2, body: 1 },
};

export const APPLE: SampleDocument = {
  path: 'fruit/apple.md',
  title: 'Apple',
  metadata: { category: 'fruit', version: 2, tags: ['sweet', 'round'] },
  sections: [
    {
      heading: 'Growing',
      text: 'Apples grow on trees in an orchard.',
      vectors: { dense: [1, 0.1, 0, 0], heading: [1, 0, 0, 0] },
    },
    {
      heading: 'Storage',
      text: 'Keep apples in a cool cellar.',
      vectors: { dense: [0.6, 0.6, 0, 0], heading: [1, 1, 0, 0] },
      metadata: { draft: true },
    },
  ],
};

export const BEET: SampleDocument = {
  path: 'roots/beet.md',
  title: 'Beet',
  metadata: { category: 'root', version: 10 },
  sections: [
    {
      heading: 'Growing',
      text: 'Beets grow in the ground, not on trees.',
      vectors: { dense: [0, 1, 0.2, 0], heading: [1, 0, 0, 0] },
    },
  ],
};

export const PLAIN: SampleDocument = {
  path: 'notes.txt',
  title: 'Notes',
  type: 'text',
  language: '',
  sourceId: 'notes',
  sections: [{ heading: '', text: 'cellar temperature log 7', vectors: { dense: [0, 0, 1, 0] } }],
};

export async function put(store: Store, sample: SampleDocument): Promise<StoredDocument> {
  const stored = sampleDocument(sample);
  await store.replace(sampleOrigin(stored), [stored]);
  return stored;
}

export const writer = (fixture: StoreFixture, ...samples: SampleDocument[]): Promise<Store> =>
  writerOf(SAMPLE_SCHEMA, fixture, ...samples);

export async function writerOf(
  schema: IndexSchema,
  fixture: StoreFixture,
  ...samples: SampleDocument[]
): Promise<Store> {
  const store = fixture.connect();
  await store.open(schema, 'write');
  for (const sample of samples) await put(store, sample);
  await store.publish();
  return store;
}

export const dense = (
  store: Store,
  values: readonly number[],
  topK = 10,
  filter?: Filter,
  space = 'dense',
): Promise<LegRun> =>
  store.search({ leg: 'dense', space, vector: unitVector(values), topK, ...(filter === undefined ? {} : { filter }) });

export const sparse = (
  store: Store,
  weights: Readonly<Record<number, number>>,
  topK = 10,
  filter?: Filter,
  space = 'sparse',
): Promise<LegRun> =>
  store.search({
    leg: 'sparse',
    space,
    vector: sparseVector(weights),
    topK,
    ...(filter === undefined ? {} : { filter }),
  });

export const keyword = (store: Store, text: string, topK = 10, filter?: Filter): Promise<LegRun> =>
  store.search({ ...KEYWORD, text, topK, ...(filter === undefined ? {} : { filter }) });

export async function pathsOf(store: Store, run: LegRun): Promise<string[]> {
  const chunks = await store.chunks(run.hits.map(({ chunkId }) => chunkId));
  return chunks.map((chunk) => `${chunk.path}#${chunk.position}`);
}

export const close = (actual: number | undefined, expected: number): void => {
  assert.ok(actual !== undefined && Math.abs(actual - expected) < 1e-6, `${String(actual)} is not ${expected}`);
};

export const fails = (code: string, call: () => Promise<unknown>): Promise<void> =>
  assert.rejects(call, (error) => isRagError(error) && error.code === code);
