/**
 * What every store promises, as tests. A driver's own test file is ten lines:
 *
 *     storeContract({ describe, it, create: async () => ({ connect: () => myStore(…), dispose: async () => {…} }) });
 */
import assert from 'node:assert/strict';
import type { IndexSchema, LegRun, Store, StoredDocument } from '../core/contracts.ts';
import { isRagError } from '../core/errors.ts';
import type { Filter } from '../core/filter.ts';
import { matchesFilter } from '../core/filter.ts';
import { SAMPLE_SCHEMA, sampleDocument, sampleOrigin, sampleUri, unitVector } from './sample-documents.ts';
import type { SampleDocument } from './sample-documents.ts';

/** A place for one index, empty at first. */
export interface StoreFixture {
  /** A store on this place, not yet opened. A store that lives in memory gives the same object each time. */
  connect(): Store;
  dispose(): Promise<void>;
}

/** A promise that a driver cannot keep. The test still runs, and must fail: so a repair is noticed. */
export interface ContractSkip {
  readonly test: string;
  readonly reason: string;
}

export interface StoreContractOptions {
  readonly create: () => Promise<StoreFixture>;
  readonly describe: (name: string, define: () => void) => void;
  readonly it: (name: string, run: () => Promise<void>) => void;
  readonly skip?: readonly ContractSkip[];
}

type Scenario = (fixture: StoreFixture) => Promise<void>;

export function storeContract({ create, describe, it, skip = [] }: StoreContractOptions): void {
  const unknown = skip.filter(({ test }) => !Object.values(CONTRACT).some((group) => Object.hasOwn(group, test)));
  if (unknown.length > 0) throw new Error(`no such contract test: ${unknown.map(({ test }) => test).join(', ')}`);

  const run = async (scenario: Scenario): Promise<void> => {
    const fixture = await create();
    try {
      await scenario(fixture);
    } finally {
      await fixture.dispose();
    }
  };

  for (const [group, scenarios] of Object.entries(CONTRACT)) {
    describe(group, () => {
      for (const [name, scenario] of Object.entries(scenarios)) {
        const skipped = skip.find(({ test }) => test === name);
        if (skipped === undefined) it(name, () => run(scenario));
        else it(`${name} (known to fail: ${skipped.reason})`, () => assert.rejects(run(scenario)));
      }
    });
  }
}

// -------------------------------------------------------------------------------------------- what tests are made of

const KEYWORD = { leg: 'keyword', k1: 1.2, b: 0.75, fields: { path: 1, title: 2, heading: 2, body: 1 } } as const;

const APPLE: SampleDocument = {
  path: 'fruit/apple.md',
  title: 'Apple',
  metadata: { category: 'fruit', version: 2, tags: ['sweet', 'round'] },
  sections: [
    {
      heading: 'Growing',
      text: 'Apples grow on trees in an orchard.',
      vectors: { dense: [1, 0.1, 0, 0], heading: [1, 0, 0, 0] },
    },
    {
      heading: 'Storage',
      text: 'Keep apples in a cool cellar.',
      vectors: { dense: [0.6, 0.6, 0, 0], heading: [1, 1, 0, 0] },
      metadata: { draft: true },
    },
  ],
};

const BEET: SampleDocument = {
  path: 'roots/beet.md',
  title: 'Beet',
  metadata: { category: 'root', version: 10 },
  sections: [
    {
      heading: 'Growing',
      text: 'Beets grow in the ground, not on trees.',
      vectors: { dense: [0, 1, 0.2, 0], heading: [1, 0, 0, 0] },
    },
  ],
};

const PLAIN: SampleDocument = {
  path: 'notes.txt',
  title: 'Notes',
  type: 'text',
  language: '',
  sourceId: 'notes',
  sections: [{ heading: '', text: 'cellar temperature log 7', vectors: { dense: [0, 0, 1, 0] } }],
};

async function put(store: Store, sample: SampleDocument): Promise<StoredDocument> {
  const stored = sampleDocument(sample);
  await store.replace(sampleOrigin(stored), [stored]);
  return stored;
}

async function writer(fixture: StoreFixture, ...samples: SampleDocument[]): Promise<Store> {
  const store = fixture.connect();
  await store.open(SAMPLE_SCHEMA, 'write');
  for (const sample of samples) await put(store, sample);
  await store.publish();
  return store;
}

const dense = (store: Store, values: readonly number[], topK = 10, filter?: Filter, space = 'dense'): Promise<LegRun> =>
  store.search({ leg: 'dense', space, vector: unitVector(values), topK, ...(filter === undefined ? {} : { filter }) });

const keyword = (store: Store, text: string, topK = 10, filter?: Filter): Promise<LegRun> =>
  store.search({ ...KEYWORD, text, topK, ...(filter === undefined ? {} : { filter }) });

async function pathsOf(store: Store, run: LegRun): Promise<string[]> {
  const chunks = await store.chunks(run.hits.map(({ chunkId }) => chunkId));
  return chunks.map((chunk) => `${chunk.path}#${chunk.position}`);
}

const close = (actual: number | undefined, expected: number): void =>
  assert.ok(actual !== undefined && Math.abs(actual - expected) < 1e-6, `${String(actual)} is not ${expected}`);

const fails = (code: string, call: () => Promise<unknown>): Promise<void> =>
  assert.rejects(call, (error) => isRagError(error) && error.code === code);

// ------------------------------------------------------------------------------------------------------ the promises

const DOCUMENTS: Record<string, Scenario> = {
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
      assert.deepEqual(await store.chunks(ids), chunks.map(({ chunk }) => chunk));
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
        chunk: { ...chunk, url: `https://example.org/apple#${i}`, searchText: `words ${i}`, parentIds: ['p'], title: 'Other' },
        vectors,
      })),
    };
    await store.replace(sampleOrigin(full), [full]);
    await store.publish();
    assert.deepEqual(await store.document(document.id), full.document);
    const ids = full.chunks.map(({ chunk }) => chunk.id);
    assert.deepEqual(await store.chunks(ids), full.chunks.map(({ chunk }) => chunk));
  },
  'leaves unknown chunks and documents out': async (fixture) => {
    const store = await writer(fixture, APPLE);
    const id = sampleDocument(APPLE).chunks[1]?.chunk.id ?? '';
    assert.deepEqual((await store.chunks(['none', id, 'nor this'])).map((chunk) => chunk.id), [id]);
    assert.equal(await store.document('none'), undefined);
    assert.deepEqual(await store.neighbours('none', 0, 9), []);
  },
  'gives neighbours in order, within bounds': async (fixture) => {
    const long = { path: 'long.md', sections: Array.from({ length: 9 }, (_, i) => ({ heading: '', text: `part ${i}` })) };
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
    const [apple, beet, plain] = [APPLE, BEET, PLAIN].map(sampleDocument) as [StoredDocument, StoredDocument, StoredDocument];
    const summary = ({ document: d, chunks }: StoredDocument): unknown => ({
      id: d.id, sourceId: d.sourceId, uri: d.uri, path: d.path, title: d.title, revision: d.revision, type: d.type,
      chunks: chunks.length,
    }); // prettier-ignore
    assert.deepEqual(await store.documents(), [apple, beet, plain].map(summary));
    assert.deepEqual(await store.documents('notes'), [summary(plain)]);
    assert.deepEqual(await store.documents('none'), []);
    const { bytes, ...counted } = await store.statistics();
    assert.ok(bytes >= 0);
    const tokens = [apple, beet, plain].flatMap(({ chunks }) => chunks).reduce((sum, { chunk }) => sum + chunk.tokenCount, 0);
    const sources = { docs: { documents: 2, chunks: 3 }, notes: { documents: 1, chunks: 1 } };
    assert.deepEqual(counted, { documents: 3, chunks: 4, tokens, generation: 1, sources });
  },
  'keeps several documents of one file together': async (fixture) => {
    const store = await writer(fixture);
    const records = ['a', 'b'].map((name) => sampleDocument({ path: `faq.jsonl#${name}`, sections: [{ heading: name, text: name }] }));
    const origin = { sourceId: 'docs', uri: 'file:///docs/faq.jsonl', path: 'faq.jsonl', revision: '1', stamp: '' };
    await store.replace(origin, records);
    await store.publish();
    assert.equal((await store.documents()).length, 2);
    await store.replace({ ...origin, revision: '2' }, records.slice(1));
    await store.publish();
    assert.deepEqual((await store.documents()).map(({ path }) => path), ['faq.jsonl#b']);
    await store.remove('docs', origin.uri);
    await store.publish();
    assert.deepEqual(await store.documents(), []);
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

const GENERATIONS: Record<string, Scenario> = {
  'shows nothing before it is published, but its revisions': async (fixture) => {
    const store = await writer(fixture, APPLE);
    const beet = await put(store, BEET);
    await put(store, { ...APPLE, sections: [{ heading: 'New', text: 'orchard', vectors: { dense: [1, 0, 0, 0] } }] });
    assert.deepEqual((await store.documents()).map(({ path }) => path), [APPLE.path]);
    assert.equal((await store.neighbours(sampleDocument(APPLE).document.id, 0, 9)).length, 2);
    assert.equal(await store.document(beet.document.id), undefined);
    assert.equal((await dense(store, [1, 0, 0, 0])).hits.length, 2);
    assert.equal((await keyword(store, 'beet ground')).hits.length, 0);
    assert.equal((await store.statistics()).chunks, 2);
    assert.equal((await store.revisions('docs')).size, 2);
    assert.equal(await store.publish(), 2);
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
    assert.deepEqual((await store.documents()).map(({ path }) => path), [APPLE.path]);
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

const SEARCH: Record<string, Scenario> = {
  'dense: best first, with exact cosines': async (fixture) => {
    const store = await writer(fixture, APPLE, BEET, PLAIN);
    const run = await dense(store, [1, 0.2, 0, 0]);
    assert.deepEqual(await pathsOf(store, run), ['fruit/apple.md#0', 'fruit/apple.md#1', 'roots/beet.md#0', 'notes.txt#0']);
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
    const idf = Math.log(1 + (3 - 1 + 0.5) / 1.5);
    assert.deepEqual(run.terms?.map(({ term }) => term), ['cellar']);
    close(run.terms?.[0]?.idf, idf);
    assert.deepEqual(await pathsOf(store, run), ['fruit/apple.md#1']);
    // Index terms by path, title, heading, body ("on", "in", "the", "not", "a", "an" are stop words):
    // fruit appl md | appl | grow | grow appl grow tree orchard; … | storag | storag keep appl cool cellar;
    // root beet md | beet | grow | grow beet grow ground tree
    const [average, length] = [(3 + 2 + 2 + 5) * 3 / 3, 12];
    close(run.hits[0]?.score, (idf * 2.2) / (1 + 1.2 * (0.25 + (0.75 * length) / average)));
  },
  'keyword: says in how many chunks each word is, and what the first hits cover': async (fixture) => {
    const store = await writer(fixture, APPLE, BEET);
    const run = await keyword(store, 'trees cellar zyzzyva');
    assert.deepEqual(run.terms?.map(({ term, chunks }) => [term, chunks]), [['tree', 2], ['cellar', 1], ['zyzzyva', 0]]);
    const [tree = 0, cellar = 0] = run.terms?.map(({ idf }) => idf) ?? [];
    assert.deepEqual(await pathsOf(store, run), ['fruit/apple.md#1', 'fruit/apple.md#0', 'roots/beet.md#0']);
    close(run.coverage?.[0], cellar / (tree + cellar));
    close(run.coverage?.[1], tree / (tree + cellar));
    close(run.coverage?.[2], tree / (tree + cellar));
  },
  'keyword: searches searchText instead of text': async (fixture) => {
    const store = await writer(fixture, { path: 'm.md', sections: [{ heading: '', text: '{{macro}}', searchText: 'expanded' }] });
    assert.equal((await keyword(store, 'expanded')).hits.length, 1);
    assert.equal((await keyword(store, 'macro')).hits.length, 0);
  },
  'keyword: a question is text, never query syntax': async (fixture) => {
    const store = await writer(fixture, APPLE);
    for (const text of ['', '   ', 'the of and', '"', "don't AND (", 'NEAR/2 *', '\0', 'a:b -c ^d ~', '😀'.repeat(50)]) {
      const run = await keyword(store, text);
      assert.deepEqual([run.hits, run.coverage], [[], []], text);
    }
    assert.equal((await keyword(store, 'NOT "orchard')).hits.length, 1);
  },
  'keyword: each chunk in the language of its document': async (fixture) => {
    const german = { path: 'obst.md', title: 'Obst', language: 'de', sections: [{ heading: '', text: 'Die Häuser stehen leer' }] };
    const store = await writer(fixture, APPLE, german);
    assert.deepEqual(await pathsOf(store, await keyword(store, 'Haus')), ['obst.md#0']);
  },
  'keyword: statistics are exact after replacements and removals': async (fixture) => {
    const store = await writer(fixture, APPLE, BEET, PLAIN);
    for (let i = 0; i < 12; i++) {
      await put(store, { path: `extra/${i}.md`, title: 'Extra', sections: [{ heading: '', text: `cellar trees ${'pad '.repeat(i)}` }] });
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

const FILTERS: Record<string, Scenario> = Object.fromEntries(
  FILTER_CASES.map((filter): [string, Scenario] => [
    `filters by ${JSON.stringify(filter)}`,
    async (fixture) => {
      const samples = [APPLE, BEET, PLAIN];
      const store = await writer(fixture, ...samples);
      const chunks = samples.flatMap((sample) => sampleDocument(sample).chunks.map(({ chunk }) => chunk));
      const passing = chunks.filter((chunk) => matchesFilter(chunk, filter)).map(({ id }) => id);

      const all = await dense(store, [1, 0.5, 0.1, 0]);
      const some = await dense(store, [1, 0.5, 0.1, 0], passing.length, filter);
      assert.deepEqual(some.hits, all.hits.filter(({ chunkId }) => passing.includes(chunkId)));

      const question = 'growing cellar trees';
      const words = await keyword(store, question);
      const filtered = await keyword(store, question, 10, filter);
      assert.deepEqual(filtered.hits, words.hits.filter(({ chunkId }) => passing.includes(chunkId)));
      assert.deepEqual(filtered.terms, words.terms);
    },
  ]),
);

const OPENING: Record<string, Scenario> = {
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
        for (const key of ['spaces.dense.model', 'analyzer.stem', 'chunk.targetTokens']) assert.match(error.message, new RegExp(key, 'u'));
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

const CONTRACT: Readonly<Record<string, Readonly<Record<string, Scenario>>>> = {
  'documents and chunks': DOCUMENTS,
  generations: GENERATIONS,
  search: SEARCH,
  filters: FILTERS,
  opening: OPENING,
};
