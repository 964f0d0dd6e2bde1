import { describe, it } from 'vitest';
import memoryStore from '../../src/stores/memory.ts';
import { storeContract } from '../../src/testing/index.ts';

// [S1-swap-backend]
storeContract({
  describe,
  it,
  create: async () => {
    const store = memoryStore();
    return { connect: () => store, dispose: () => store.close() };
  },
});
