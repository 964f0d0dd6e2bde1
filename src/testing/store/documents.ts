/** Documents, chunks and named values come back as they were stored. */
import assert from 'node:assert/strict';
import type { StoredDocument } from '../../core/contracts.ts';
import { sampleDocument, sampleOrigin } from '../sample-documents.ts';
import type { SampleDocument } from '../sample-documents.ts';
import { APPLE, BEET, PLAIN, writer } from './scenario.ts';
import type { Scenario } from './scenario.ts';

export const DOCUMENTS: Record<string, Scenario> = {
  'gives documents back exactly as they were stored': async (fixture) => {
    const odd: SampleDocument = {
      path: 'odd.md',
      sections: [{ heading: 'Odd', text: 'NUL \0, a lone \ud800 surrogate, 😀, e\u0301, CR\rLF\r\n, \ufeffmark' }],
      metadata: { 'a key': ['x', 'y'], n: 1.5, yes: true, none: [] },
    };
    const store = await writer(fixture, odd, APPLE);
    for (const sample of [odd, APPLE]) {
      const { document, chunks } = sampleDocument(sample);
      assert.deepEqual(await store.document(document.id), document);
      const ids = chunks.map(({ chunk }) => chunk.id);
      assert.deepEqual(
        await store.chunks(ids),
        chunks.map(({ chunk }) => chunk),
      );
    }
  },
  'keeps optional fields of chunks and documents': async (fixture) => {
    const store = await writer(fixture);
    const { document, chunks } = sampleDocument(APPLE);
    const full: StoredDocument = {
      document: {
        ...document,
        url: 'https://example.org/apple',
        exclusions: [{ span: { start: 0, end: 2 }, reason: 'comment' }],
        warnings: [{ code: 'odd', message: 'odd', uri: document.uri }],
      },
      chunks: chunks.map(({ chunk, vectors }, i) => ({
        chunk: {
          ...chunk,
          url: `https://example.org/apple#${i}`,
          searchText: `words ${i}`,
          parentIds: ['p'],
          title: 'Other',
        },
        vectors,
      })),
    };
    await store.replace(sampleOrigin(full), [full]);
    await store.publish();
    assert.deepEqual(await store.document(document.id), full.document);
    const ids = full.chunks.map(({ chunk }) => chunk.id);
    assert.deepEqual(
      await store.chunks(ids),
      full.chunks.map(({ chunk }) => chunk),
    );
  },
  'leaves unknown chunks and documents out': async (fixture) => {
    const store = await writer(fixture, APPLE);
    const id = sampleDocument(APPLE).chunks[1]?.chunk.id ?? '';
    assert.deepEqual(
      (await store.chunks(['none', id, 'nor this'])).map((chunk) => chunk.id),
      [id],
    );
    assert.equal(await store.document('none'), undefined);
    assert.deepEqual(await store.neighbours('none', 0, 9), []);
  },
  'gives neighbours in order, within bounds': async (fixture) => {
    const long = {
      path: 'long.md',
      sections: Array.from({ length: 9 }, (_, i) => ({ heading: '', text: `part ${i}` })),
    };
    const store = await writer(fixture, APPLE, long);
    const id = sampleDocument(long).document.id;
    const positions = async (from: number, to: number): Promise<number[]> =>
      (await store.neighbours(id, from, to)).map(({ position }) => position);
    assert.deepEqual(await positions(2, 5), [2, 3, 4]);
    assert.deepEqual(await positions(-3, 2), [0, 1]);
    assert.deepEqual(await positions(7, 99), [7, 8]);
    assert.deepEqual(await positions(4, 4), []);
  },
  'lists and counts what is there': async (fixture) => {
    const store = await writer(fixture, PLAIN, BEET, APPLE);
    const [apple, beet, plain] = [APPLE, BEET, PLAIN].map(sampleDocument) as [
      StoredDocument,
      StoredDocument,
      StoredDocument,
    ];
    const summary = ({ document: d, chunks }: StoredDocument): unknown => ({
      id: d.id, sourceId: d.sourceId, uri: d.uri, path: d.path, title: d.title, revision: d.revision, type: d.type,
      chunks: chunks.length,
    }); // prettier-ignore
    assert.deepEqual(await store.documents(), [apple, beet, plain].map(summary));
    assert.deepEqual(await store.documents('notes'), [summary(plain)]);
    assert.deepEqual(await store.documents('none'), []);
    const { bytes, ...counted } = await store.statistics();
    assert.ok(bytes >= 0);
    const tokens = [apple, beet, plain]
      .flatMap(({ chunks }) => chunks)
      .reduce((sum, { chunk }) => sum + chunk.tokenCount, 0);
    const sources = { docs: { documents: 2, chunks: 3 }, notes: { documents: 1, chunks: 1 } };
    assert.deepEqual(counted, { documents: 3, chunks: 4, tokens, generation: 1, sources });
  },
  'keeps several documents of one file together': async (fixture) => {
    const store = await writer(fixture);
    const records = ['a', 'b'].map((name) =>
      sampleDocument({ path: `faq.jsonl#${name}`, sections: [{ heading: name, text: name }] }),
    );
    const origin = { sourceId: 'docs', uri: 'file:///docs/faq.jsonl', path: 'faq.jsonl', revision: '1', stamp: '' };
    await store.replace(origin, records);
    await store.publish();
    assert.equal((await store.documents()).length, 2);
    await store.replace({ ...origin, revision: '2' }, records.slice(1));
    await store.publish();
    assert.deepEqual(
      (await store.documents()).map(({ path }) => path),
      ['faq.jsonl#b'],
    );
    await store.remove('docs', origin.uri);
    await store.publish();
    assert.deepEqual(await store.documents(), []);
  },
  'tells which documents each file holds': async (fixture) => {
    const store = await writer(fixture, BEET);
    const records = ['a', 'b'].map((name) =>
      sampleDocument({ path: `faq.jsonl#${name}`, sections: [{ heading: name, text: name }] }),
    );
    const origin = { sourceId: 'docs', uri: 'file:///docs/faq.jsonl', path: 'faq.jsonl', revision: '1', stamp: 's' };
    await store.replace(origin, records);
    await store.publish();
    const beet = sampleDocument(BEET);
    assert.deepEqual(await store.origins(), [
      { origin: sampleOrigin(beet), documents: [beet.document.id] },
      { origin, documents: records.map(({ document }) => document.id) },
    ]);
  },
  'remembers a file without documents': async (fixture) => {
    const store = await writer(fixture);
    await store.replace({ sourceId: 'docs', uri: 'u', path: 'empty.md', revision: '1', stamp: 's' }, []);
    assert.deepEqual([...(await store.revisions('docs'))], [['u', { revision: '1', stamp: 's' }]]);
  },
  'keeps named values, at once': async (fixture) => {
    const store = await writer(fixture);
    assert.equal(await store.get('sources'), undefined);
    await store.put('sources', [{ id: 'docs', n: 1, none: null }]);
    assert.deepEqual(await store.get('sources'), [{ id: 'docs', n: 1, none: null }]);
    await store.put('sources', 'other');
    assert.equal(await store.get('sources'), 'other');
  },
};
