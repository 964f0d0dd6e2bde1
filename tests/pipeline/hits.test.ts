import { describe, expect, test } from 'vitest';
import { loadHits } from '../../src/pipeline/hits.ts';
import { library, uriOf } from './library.ts';

const TEXT = '# Ports\n\nThe gateway listens on port 8787.';

describe('the same text at several addresses', () => {
  // [S3-deduplication]
  test('is one hit, at its best rank, that keeps the other addresses', async () => {
    const docs = await library({
      'b.md': TEXT,
      'a.md': TEXT,
      'c.md': TEXT,
      'other.md': '# Other\n\nThe port of Genoa.',
    });
    const { hits } = await docs.search('gateway port');
    expect(hits.map(({ chunk }) => chunk.path)).toEqual(['a.md', 'other.md']);
    expect(hits[0]?.alsoAt.toSorted()).toEqual([uriOf('b.md'), uriOf('c.md')]);
    expect(hits[1]?.alsoAt).toEqual([]);
  });

  test('at equal scores the first address is shown, whatever the order of storage', async () => {
    for (const files of [
      ['a.md', 'b.md'],
      ['b.md', 'a.md'],
    ]) {
      const docs = await library(Object.fromEntries(files.map((path) => [path, TEXT])));
      expect(await docs.paths('gateway port')).toEqual(['a.md']);
    }
  });

  test('is chosen by the filter', async () => {
    const docs = await library({ 'a.md': TEXT, 'b.md': TEXT });
    const { hits } = await docs.search('gateway port', { filter: { path: 'b.md' } });
    expect(hits.map(({ chunk, alsoAt }) => [chunk.path, alsoAt])).toEqual([['b.md', []]]);
  });

  test('twice in one document is one hit, without another address', async () => {
    const docs = await library({ 'a.md': `${TEXT}\n\n${TEXT}\n` });
    const { hits } = await docs.search('gateway port');
    expect(hits.map(({ chunk, alsoAt }) => [chunk.position, alsoAt])).toEqual([[0, []]]);
  });

  test('does not use up the hits that were asked for', async () => {
    const copies = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`copy${i}.md`, TEXT]));
    const docs = await library({
      ...copies,
      'other.md': '# Port\n\nA port in Genoa.',
      'more.md': '# Port\n\nA port in Porto.',
    });
    const { hits } = await docs.search('gateway port', { top: 3 });
    expect(hits).toHaveLength(3);
    expect(hits.map(({ alsoAt }) => alsoAt.length).toSorted((a, b) => a - b)).toEqual([0, 0, 29]);
  });
});

test('chunks that are gone are left out', async () => {
  const docs = await library({ 'a.md': TEXT });
  const { hits } = await docs.search('gateway port');
  const fused = [
    { chunkId: 'gone', score: 2, scores: [] },
    ...hits.map(({ chunk }) => ({ chunkId: chunk.id, score: 1, scores: [] })),
  ];
  expect((await loadHits(fused, docs.parts.store, { top: 1 })).map(({ chunk }) => chunk.path)).toEqual(['a.md']);
  expect(await loadHits([], docs.parts.store, { top: 5 })).toEqual([]);
});
