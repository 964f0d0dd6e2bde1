/** What was written is seen when it is published, not before, and all of it. */
import assert from 'node:assert/strict';
import { SAMPLE_SCHEMA, sampleDocument, sampleUri } from '../sample-documents.ts';
import { APPLE, BEET, close, dense, keyword, pathsOf, put, writer } from './scenario.ts';
import type { Scenario } from './scenario.ts';

export const GENERATIONS: Record<string, Scenario> = {
  'shows nothing before it is published, but its revisions': async (fixture) => {
    const store = await writer(fixture, APPLE);
    const beet = await put(store, BEET);
    await put(store, { ...APPLE, sections: [{ heading: 'New', text: 'orchard', vectors: { dense: [1, 0, 0, 0] } }] });
    assert.deepEqual(
      (await store.documents()).map(({ path }) => path),
      [APPLE.path],
    );
    assert.equal((await store.neighbours(sampleDocument(APPLE).document.id, 0, 9)).length, 2);
    assert.equal(await store.document(beet.document.id), undefined);
    assert.equal((await dense(store, [1, 0, 0, 0])).hits.length, 2);
    assert.equal((await keyword(store, 'beet ground')).hits.length, 0);
    assert.equal((await store.statistics()).chunks, 2);
    assert.equal((await store.revisions('docs')).size, 2);
    assert.equal(await store.generation(), 1);
    assert.equal(await store.publish(), 2);
    assert.equal(await store.generation(), 2);
    assert.equal((await dense(store, [1, 0, 0, 0])).hits.length, 2);
    assert.deepEqual(await pathsOf(store, await keyword(store, 'orchard')), ['fruit/apple.md#0']);
    assert.equal((await store.statistics()).generation, 2);
  },
  'removes with the next publish': async (fixture) => {
    const store = await writer(fixture, APPLE, BEET);
    await store.remove('docs', sampleUri('docs', APPLE.path));
    await store.remove('docs', 'file:///never/there');
    assert.equal((await store.documents()).length, 2);
    assert.deepEqual([...(await store.revisions('docs')).keys()], [sampleUri('docs', BEET.path)]);
    await store.publish();
    assert.deepEqual(await pathsOf(store, await dense(store, [1, 0, 0, 0])), ['roots/beet.md#0']);
    assert.deepEqual(await pathsOf(store, await keyword(store, 'trees')), ['roots/beet.md#0']);
    assert.equal(await store.document(sampleDocument(APPLE).document.id), undefined);
  },
  'replaces again and again within one run': async (fixture) => {
    const store = await writer(fixture, APPLE);
    for (const [i, text] of ['zero', 'one', 'two', 'three', 'four'].entries()) {
      await put(store, { ...APPLE, sections: [{ heading: 'Again', text, vectors: { dense: [1, i, 0, 0] } }] });
    }
    await store.publish();
    assert.equal((await store.statistics()).chunks, 1);
    assert.equal((await keyword(store, 'three')).hits.length, 0);
    assert.equal((await keyword(store, 'four')).hits.length, 1);
    close((await dense(store, [1, 4, 0, 0])).hits[0]?.score, 1);
  },
  'a document that comes and goes within one run was never there': async (fixture) => {
    const store = await writer(fixture, APPLE);
    await put(store, BEET);
    await store.remove('docs', sampleUri('docs', BEET.path));
    await store.publish();
    assert.deepEqual(
      (await store.documents()).map(({ path }) => path),
      [APPLE.path],
    );
    assert.equal((await keyword(store, 'ground')).terms?.[0]?.chunks, 0);
  },
  'replacing with the same changes nothing': async (fixture) => {
    const store = await writer(fixture, APPLE, BEET);
    const before = await keyword(store, 'trees growing');
    await put(store, BEET);
    await store.publish();
    assert.deepEqual(await keyword(store, 'trees growing'), before);
  },
  'touch changes the stamp only': async (fixture) => {
    const store = await writer(fixture, APPLE);
    const uri = sampleUri('docs', APPLE.path);
    await store.touch('docs', uri, 'newer');
    await store.touch('docs', 'file:///never/there', 'newer');
    const revision = sampleDocument(APPLE).document.revision;
    assert.deepEqual([...(await store.revisions('docs'))], [[uri, { revision, stamp: 'newer' }]]);
    assert.deepEqual([...(await store.revisions('notes'))], []);
  },
  'continues after it was closed': async (fixture) => {
    const first = await writer(fixture, APPLE);
    await put(first, BEET);
    await first.put('name', 1);
    await first.close();
    const second = fixture.connect();
    await second.open(SAMPLE_SCHEMA, 'write');
    assert.equal((await second.revisions('docs')).size, 2);
    assert.equal((await second.documents()).length, 1);
    assert.equal(await second.get('name'), 1);
    assert.equal(await second.publish(), 2);
    assert.deepEqual(await pathsOf(second, await keyword(second, 'ground')), ['roots/beet.md#0']);
    assert.deepEqual(await pathsOf(second, await dense(second, [0, 1, 0, 0], 1)), ['roots/beet.md#0']);
    await second.close();
  },
};
