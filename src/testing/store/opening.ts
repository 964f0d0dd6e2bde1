/** An index knows what it was built with. */
import assert from 'node:assert/strict';
import type { IndexSchema } from '../../core/contracts.ts';
import { isRagError } from '../../core/errors.ts';
import { SAMPLE_SCHEMA } from '../sample-documents.ts';
import { APPLE, BEET, dense, keyword, put, writer } from './scenario.ts';
import type { Scenario } from './scenario.ts';

export const OPENING: Record<string, Scenario> = {
  'refuses an index with other settings, and names them': async (fixture) => {
    const store = await writer(fixture, APPLE);
    await store.close();
    const other: IndexSchema = {
      spaces: { ...SAMPLE_SCHEMA.spaces, dense: { model: 'other@2', dimensions: 4 } },
      analyzer: { ...SAMPLE_SCHEMA.analyzer, stem: false },
      settings: { chunk: { use: 'markdown-sections', targetTokens: 99 } },
    };
    await assert.rejects(
      () => fixture.connect().open(other, 'read'),
      (error) => {
        assert.ok(isRagError(error) && error.code === 'index-mismatch');
        for (const key of ['spaces.dense.model', 'analyzer.stem', 'chunk.targetTokens'])
          assert.match(error.message, new RegExp(key, 'u'));
        assert.doesNotMatch(error.message, /chunk\.use|dimensions|heading|stopWords/u);
        assert.match(error.hint ?? '', /--rebuild/u);
        return true;
      },
    );
  },
  'settings may stand in any order': async (fixture) => {
    const store = await writer(fixture, APPLE);
    await store.close();
    const { heading, dense: first } = SAMPLE_SCHEMA.spaces as Record<string, { model: string; dimensions: number }>;
    const again = fixture.connect();
    const spaces = { heading, dense: first } as IndexSchema['spaces'];
    await again.open({ settings: SAMPLE_SCHEMA.settings, analyzer: SAMPLE_SCHEMA.analyzer, spaces }, 'read');
    assert.equal((await again.documents()).length, 1);
    await again.close();
  },
  'does not write when open for reading': async (fixture) => {
    const store = await writer(fixture, APPLE);
    await store.close();
    const reader = fixture.connect();
    await reader.open(SAMPLE_SCHEMA, 'read');
    await assert.rejects(() => put(reader, BEET));
    await assert.rejects(() => reader.publish());
    await assert.rejects(() => reader.put('x', 1));
    assert.equal((await keyword(reader, 'orchard')).hits.length, 1);
    await reader.close();
  },
  'an empty index answers': async (fixture) => {
    const store = await writer(fixture);
    assert.deepEqual((await dense(store, [1, 0, 0, 0])).hits, []);
    assert.deepEqual((await keyword(store, 'anything')).hits, []);
    assert.deepEqual(await store.documents(), []);
    assert.equal((await store.statistics()).documents, 0);
    await store.close();
  },
};
