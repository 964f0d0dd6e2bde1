import { beforeEach, expect, test } from 'vitest';
import type { Store } from '../../src/core/contracts.ts';
import { inOneGeneration, ofOneGeneration } from '../../src/pipeline/one-generation.ts';
import memoryStore from '../../src/stores/memory.ts';
import { SAMPLE_SCHEMA } from '../../src/testing/sample-documents.ts';

let store: Store;
beforeEach(async () => {
  store = memoryStore();
  await store.open(SAMPLE_SCHEMA, 'write');
  await store.publish();
});

test('what was read across a publish is read again', async () => {
  const seen: number[] = [];
  const result = await inOneGeneration(store, async () => {
    seen.push(await store.generation());
    if (seen.length === 1) await store.publish();
    return `read in ${await store.generation()}`;
  });
  expect(seen).toEqual([1, 2]);
  expect(result).toBe('read in 2');
});

test('events of every attempt are passed on; the last result counts', async () => {
  let attempts = 0;
  const run = ofOneGeneration(store, async function* () {
    attempts++;
    yield `attempt ${attempts}`;
    if (attempts === 1) await store.publish();
    return attempts;
  });
  expect(await run.next()).toEqual({ done: false, value: 'attempt 1' });
  expect(await run.next()).toEqual({ done: false, value: 'attempt 2' });
  expect(await run.next()).toEqual({ done: true, value: 2 });
});

test('a writer that publishes without end does not hold a reader for ever', async () => {
  let attempts = 0;
  await inOneGeneration(store, async () => {
    attempts++;
    await store.publish();
  });
  expect(attempts).toBe(5);
});
