/** The dense and the keyword leg: exact scores, exact statistics, one order. */
import assert from 'node:assert/strict';
import { sampleUri, unitVector } from '../sample-documents.ts';
import type { SampleDocument } from '../sample-documents.ts';
import { APPLE, BEET, PLAIN, close, dense, fails, keyword, pathsOf, put, writer } from './scenario.ts';
import type { Scenario } from './scenario.ts';

export const SEARCH: Record<string, Scenario> = {
  'dense: best first, with exact cosines': async (fixture) => {
    const store = await writer(fixture, APPLE, BEET, PLAIN);
    const run = await dense(store, [1, 0.2, 0, 0]);
    assert.deepEqual(await pathsOf(store, run), [
      'fruit/apple.md#0',
      'fruit/apple.md#1',
      'roots/beet.md#0',
      'notes.txt#0',
    ]);
    const length = Math.hypot(1, 0.2);
    close(run.hits[0]?.score, 1.02 / length / Math.hypot(1, 0.1));
    close(run.hits[1]?.score, 0.72 / length / Math.hypot(0.6, 0.6));
    assert.deepEqual((await dense(store, [1, 0.2, 0, 0], 2)).hits, run.hits.slice(0, 2));
    assert.deepEqual((await dense(store, [1, 0.2, 0, 0], 0)).hits, []);
  },
  'dense: each space for itself, only chunks that have a vector in it': async (fixture) => {
    const store = await writer(fixture, APPLE, BEET, PLAIN);
    const run = await dense(store, [1, 0, 0, 0], 10, undefined, 'heading');
    assert.deepEqual(await pathsOf(store, run), ['fruit/apple.md#0', 'roots/beet.md#0', 'fruit/apple.md#1']);
    close(run.hits[1]?.score, 1);
  },
  'dense: refuses an unknown space and a vector of another length': async (fixture) => {
    const store = await writer(fixture, APPLE);
    await fails('index-mismatch', () => dense(store, [1, 0, 0, 0], 10, undefined, 'colour'));
    await fails('index-mismatch', () => dense(store, [1, 0, 0]));
    const wrong = { ...APPLE, sections: [{ heading: 'x', text: 'x', vectors: { dense: [1, 0] } }] };
    await fails('index-mismatch', () => put(store, wrong));
  },
  'keyword: BM25 with weighted fields': async (fixture) => {
    const store = await writer(fixture, APPLE, BEET);
    const run = await keyword(store, 'the cellar?');
    const { terms = [] } = run;
    const idf = Math.log(1 + (3 - 1 + 0.5) / 1.5);
    assert.deepEqual(
      terms.map(({ term }) => term),
      ['cellar'],
    );
    close(terms[0]?.idf, idf);
    assert.deepEqual(await pathsOf(store, run), ['fruit/apple.md#1']);
    // Index terms by path, title, heading, body ("on", "in", "the", "not", "a", "an" are stop words):
    // fruit appl md | appl | grow | grow appl grow tree orchard; … | storag | storag keep appl cool cellar;
    // root beet md | beet | grow | grow beet grow ground tree
    const [average, length] = [((3 + 2 + 2 + 5) * 3) / 3, 12];
    close(run.hits[0]?.score, (idf * 2.2) / (1 + 1.2 * (0.25 + (0.75 * length) / average)));
  },
  'keyword: says in how many chunks each word is, and what the first hits cover': async (fixture) => {
    const store = await writer(fixture, APPLE, BEET);
    const run = await keyword(store, 'trees cellar zyzzyva');
    const { terms = [] } = run;
    assert.deepEqual(
      terms.map(({ term, chunks }) => [term, chunks]),
      [
        ['tree', 2],
        ['cellar', 1],
        ['zyzzyva', 0],
      ],
    );
    const [tree = 0, cellar = 0] = terms.map(({ idf }) => idf);
    assert.deepEqual(await pathsOf(store, run), ['fruit/apple.md#1', 'fruit/apple.md#0', 'roots/beet.md#0']);
    close(run.coverage?.[0], cellar / (tree + cellar));
    close(run.coverage?.[1], tree / (tree + cellar));
    close(run.coverage?.[2], tree / (tree + cellar));
  },
  'keyword: searches searchText instead of text': async (fixture) => {
    const store = await writer(fixture, {
      path: 'm.md',
      sections: [{ heading: '', text: '{{macro}}', searchText: 'expanded' }],
    });
    assert.equal((await keyword(store, 'expanded')).hits.length, 1);
    assert.equal((await keyword(store, 'macro')).hits.length, 0);
  },
  'keyword: a question is text, never query syntax': async (fixture) => {
    const store = await writer(fixture, APPLE);
    for (const text of [
      '',
      '   ',
      'the of and',
      '"',
      "don't AND (",
      'NEAR/2 *',
      '\0',
      'a:b -c ^d ~',
      '😀'.repeat(50),
    ]) {
      const run = await keyword(store, text);
      assert.deepEqual([run.hits, run.coverage], [[], []], text);
    }
    assert.equal((await keyword(store, 'NOT "orchard')).hits.length, 1);
  },
  'keyword: each chunk in the language of its document': async (fixture) => {
    const german = {
      path: 'obst.md',
      title: 'Obst',
      language: 'de',
      sections: [{ heading: '', text: 'Die Häuser stehen leer' }],
    };
    const store = await writer(fixture, APPLE, german);
    assert.deepEqual(await pathsOf(store, await keyword(store, 'Haus')), ['obst.md#0']);
  },
  'keyword: statistics are exact after replacements and removals': async (fixture) => {
    const store = await writer(fixture, APPLE, BEET, PLAIN);
    for (let i = 0; i < 12; i++) {
      await put(store, {
        path: `extra/${i}.md`,
        title: 'Extra',
        sections: [{ heading: '', text: `cellar trees ${'pad '.repeat(i)}` }],
      });
      await put(store, BEET);
      await store.publish();
    }
    for (let i = 0; i < 12; i++) await store.remove('docs', sampleUri('docs', `extra/${i}.md`));
    await store.publish();
    const run = await keyword(store, 'cellar trees');
    close(run.terms?.[0]?.idf, Math.log(1 + (4 - 2 + 0.5) / 2.5));
    await store.remove('notes', sampleUri('notes', PLAIN.path));
    await store.publish();
    const fresh = await keyword(store, 'cellar');
    close(fresh.terms?.[0]?.idf, Math.log(1 + (3 - 1 + 0.5) / 1.5));
    close(fresh.hits[0]?.score, ((fresh.terms?.[0]?.idf ?? 0) * 2.2) / 2.2);
  },
  'equal scores come in the order of storage': async (fixture) => {
    const twins = ['c', 'a', 'b'].map((path) => ({
      path,
      title: 'Twin',
      sections: [{ heading: '', text: 'twin words', vectors: { dense: [1, 1, 1, 1] } }],
    }));
    const store = await writer(fixture, ...twins);
    assert.deepEqual(await pathsOf(store, await dense(store, [1, 0, 0, 0], 2)), ['c#0', 'a#0']);
    assert.deepEqual(await pathsOf(store, await keyword(store, 'twin', 2)), ['c#0', 'a#0']);
    await put(store, twins[0] as SampleDocument);
    await store.publish();
    assert.deepEqual(await pathsOf(store, await dense(store, [1, 0, 0, 0], 2)), ['a#0', 'b#0']);
    assert.deepEqual(await pathsOf(store, await keyword(store, 'twin')), ['a#0', 'b#0', 'c#0']);
  },
  'stops when asked': async (fixture) => {
    const store = await writer(fixture, APPLE);
    const query = { leg: 'dense', space: 'dense', vector: unitVector([1, 0, 0, 0]), topK: 1 } as const;
    await assert.rejects(() => store.search(query, { signal: AbortSignal.abort() }));
  },
};
