/** A filter takes out hits and changes nothing else: neither scores nor statistics nor recall. */
import assert from 'node:assert/strict';
import { matchesFilter } from '../../core/filter.ts';
import type { Filter } from '../../core/filter.ts';
import { sampleDocument } from '../sample-documents.ts';
import { APPLE, BEET, PLAIN, dense, keyword, writer } from './scenario.ts';
import type { Scenario } from './scenario.ts';

const FILTER_CASES: readonly Filter[] = [
  { category: 'fruit' },
  { category: ['fruit', 'root'] },
  { version: 2 },
  { version: '2' },
  { version: { gte: 3 } },
  { version: { gte: 2, lte: 9 } },
  { version: { exists: false } },
  { tags: 'round' },
  { tags: ['flat', 'sweet'] },
  { draft: true },
  { not: { draft: true } },
  { draft: { exists: true } },
  { or: [{ draft: true }, { type: 'text' }] },
  { and: [{ category: 'fruit' }, { section: 'Storage' }] },
  { category: 'fruit', section: 'Growing' },
  { source: 'notes' },
  { path: 'notes.txt' },
  { title: ['Beet', 'Notes'] },
  { language: { exists: false } },
  { unheard: 'of' },
  { not: { unheard: 'of' } },
  {},
  { or: [] },
];

export const FILTERS: Record<string, Scenario> = Object.fromEntries(
  FILTER_CASES.map((filter): [string, Scenario] => [
    `filters by ${JSON.stringify(filter)}`,
    async (fixture) => {
      const samples = [APPLE, BEET, PLAIN];
      const store = await writer(fixture, ...samples);
      const chunks = samples.flatMap((sample) => sampleDocument(sample).chunks.map(({ chunk }) => chunk));
      const passing = chunks.filter((chunk) => matchesFilter(chunk, filter)).map(({ id }) => id);

      const all = await dense(store, [1, 0.5, 0.1, 0]);
      const some = await dense(store, [1, 0.5, 0.1, 0], passing.length, filter);
      assert.deepEqual(
        some.hits,
        all.hits.filter(({ chunkId }) => passing.includes(chunkId)),
      );

      const question = 'growing cellar trees';
      const words = await keyword(store, question);
      const filtered = await keyword(store, question, 10, filter);
      assert.deepEqual(
        filtered.hits,
        words.hits.filter(({ chunkId }) => passing.includes(chunkId)),
      );
      assert.deepEqual(filtered.terms, words.terms);
    },
  ]),
);
