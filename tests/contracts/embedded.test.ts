import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import embeddedStore from '../../src/stores/embedded/index.ts';
import { storeContract } from '../../src/testing/index.ts';

// [S1-swap-backend] [S4-flat-index] [S0-vector-size] [S4-metadata-jsonl] [S0-batch-upsert] [S3-vocabulary-file]
// [S0-hybrid-sparse]
storeContract({
  describe,
  it,
  create: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'footnote-store-'));
    const opened: ReturnType<typeof embeddedStore>[] = [];
    return {
      connect() {
        const store = embeddedStore({ path: join(folder, 'index-000001.sqlite') });
        opened.push(store);
        return store;
      },
      async dispose() {
        await Promise.all(opened.map((store) => store.close()));
        await rm(folder, { recursive: true });
      },
    };
  },
});
