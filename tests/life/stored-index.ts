/** What an index folder holds, read from its store as a reader of the engine does, without a search. */
import { join } from 'node:path';
import type { DocumentSummary, IndexSchema, Store, StoreStatistics } from '../../src/core/contracts.ts';
import type { Chunk, Document } from '../../src/core/types.ts';
import embeddedStore from '../../src/stores/embedded/index.ts';
import { openDatabase } from '../../src/stores/sqlite.ts';
import { readManifest } from '../../src/workspace.ts';

export interface StoredIndex {
  readonly store: Store;
  readonly summaries: readonly DocumentSummary[];
  readonly statistics: StoreStatistics;
  document(path: string): Promise<{ readonly document: Document; readonly chunks: readonly Chunk[] }>;
  close(): Promise<void>;
}

/** The file of the current store. */
export async function activeStore(folder: string): Promise<string> {
  const manifest = await readManifest(folder);
  if (manifest?.active == null) throw new Error(`there is no index in ${folder}`);
  return join(folder, manifest.active);
}

/** Opens the current store with the settings that it was built with. */
export async function openStoredIndex(folder: string): Promise<StoredIndex> {
  const path = await activeStore(folder);
  const store = embeddedStore({ path });
  await store.open(await builtWith(path), 'read');
  const summaries = await store.documents();
  return {
    store,
    summaries,
    statistics: await store.statistics(),
    async document(path) {
      const summary = summaries.find((other) => other.path === path);
      const document = summary === undefined ? undefined : await store.document(summary.id);
      if (document === undefined) throw new Error(`${path} is not in the index`);
      return { document, chunks: await store.neighbours(document.id, 0, Number.MAX_SAFE_INTEGER) };
    },
    close: () => store.close(),
  };
}

async function builtWith(path: string): Promise<IndexSchema> {
  const db = await openDatabase(path, { readOnly: true });
  try {
    const row = db.prepare<{ value: string }>("SELECT value FROM named_values WHERE name = '.schema'").get();
    return JSON.parse(row?.value ?? '') as IndexSchema;
  } finally {
    db.close();
  }
}
