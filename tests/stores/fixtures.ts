import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { KnownRevision, LegRun, Store, StoreQuery } from '../../src/core/contracts.ts';
import type { Filter } from '../../src/core/filter.ts';
import embeddedStore from '../../src/stores/embedded/index.ts';
import { SPARSE_SCHEMA, sampleDocument, sampleOrigin, sparseVector, unitVector } from '../../src/testing/index.ts';
import type { SampleDocument } from '../../src/testing/index.ts';

/** A folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'footnote-store-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

export const indexPath = (folder: string): string => join(folder, 'index-000001.sqlite');

/** Closed after the test, if the test has not done so. */
export async function openStore(folder: string, mode: 'read' | 'write', schema = SPARSE_SCHEMA): Promise<Store> {
  const store = embeddedStore({ path: indexPath(folder) });
  await store.open(schema, mode);
  onTestFinished(() => store.close());
  return store;
}

export async function put(store: Store, sample: SampleDocument): Promise<void> {
  const stored = sampleDocument(sample);
  await store.replace(sampleOrigin(stored), [stored]);
}

export const KEYWORD = {
  leg: 'keyword',
  k1: 1.2,
  b: 0.75,
  fields: { path: 1, title: 2, heading: 2, body: 1 },
} as const;

export const keyword = (text: string, topK: number, filter?: Filter): StoreQuery => ({
  ...KEYWORD,
  text,
  topK,
  ...(filter === undefined ? {} : { filter }),
});

export const dense = (values: readonly number[], topK: number, filter?: Filter, space = 'dense'): StoreQuery => ({
  leg: 'dense',
  space,
  vector: unitVector(values),
  topK,
  ...(filter === undefined ? {} : { filter }),
});

export const sparse = (weights: Readonly<Record<number, number>>, topK: number, filter?: Filter): StoreQuery => ({
  leg: 'sparse',
  space: 'sparse',
  vector: sparseVector(weights),
  topK,
  ...(filter === undefined ? {} : { filter }),
});

/** Everything that a reader can see, and what the next ingest would find. */
export async function everything(
  store: Store,
  sources: readonly string[],
  queries: readonly StoreQuery[],
): Promise<Everything> {
  const { bytes: _, ...statistics } = await store.statistics();
  const documents = await store.documents();
  const revisions = await Promise.all(sources.map((source) => store.revisions(source)));
  return {
    statistics,
    documents: await Promise.all(documents.map(async ({ id }) => await store.document(id))),
    chunks: await Promise.all(documents.map(({ id }) => store.neighbours(id, 0, Infinity))),
    revisions: revisions.map((map) => [...map].sort(([a], [b]) => (a < b ? -1 : 1))),
    runs: await Promise.all(queries.map(async (query) => rounded(await store.search(query)))),
  };
}

export interface Everything {
  readonly statistics: object;
  readonly documents: readonly unknown[];
  readonly chunks: readonly unknown[];
  readonly revisions: readonly (readonly [string, KnownRevision][])[];
  readonly runs: readonly unknown[];
}

/** Scores to six digits, which is what stores must agree on. */
function rounded({ hits, terms, coverage }: LegRun): object {
  const round = (value: number): number => Math.round(value * 1e6) / 1e6;
  return {
    hits: hits.map(({ chunkId, score }) => [chunkId, round(score)]),
    terms: terms?.map((term) => ({ ...term, idf: round(term.idf) })),
    coverage: coverage?.map(round),
  };
}
