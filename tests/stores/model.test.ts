/** Random lives of an index: the embedded store ≡ the memory store ≡ a Map. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Store } from '../../src/core/contracts.ts';
import embeddedStore from '../../src/stores/embedded/index.ts';
import memoryStore from '../../src/stores/memory.ts';
import { SPARSE_SCHEMA, sampleDocument, sampleOrigin, sampleUri } from '../../src/testing/index.ts';
import type { SampleDocument } from '../../src/testing/index.ts';
import { dense, everything, indexPath, keyword, sparse, temporaryFolder } from './fixtures.ts';

const SOURCES = ['docs', 'notes'];
const WORDS = [
  'tree',
  'cellar',
  'DB_HOST',
  'beets',
  'häuser',
  'münchen',
  '数据库',
  'grow',
  'growing',
  'v2.4.1',
  'the',
  'it’s',
];

const text = fc
  .array(
    fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...WORDS) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
    ),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  .map((words) => words.join(' '));
/** Often the same one, as neighbouring chunks have below a common heading. */
const vector = fc.oneof(
  fc.constant([1, 1, 0, 0]),
  fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 4, maxLength: 4 }),
);
const weights = fc.dictionary(fc.nat(9).map(String), fc.constantFrom(-1, 0, 0.1, 0.3, 2.5), { maxKeys: 6 });
const metadataValue = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.constantFrom('a', 'b', '2'),
  fc.boolean(),
  fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
);
const metadata = fc.dictionary(fc.constantFrom('category', 'version', 'title', 'source'), metadataValue, {
  maxKeys: 3,
});

const section = fc.record(
  {
    heading: fc.constantFrom('', 'Growing', 'Cellar', 'DB_HOST'),
    text,
    vectors: fc.record({ dense: vector, heading: vector }, { requiredKeys: [] }),
    sparse: fc.record({ sparse: weights }, { requiredKeys: [] }),
    metadata,
  },
  { requiredKeys: ['heading', 'text', 'vectors', 'metadata'] },
);

const path = fc.constantFrom('a.md', 'b.md', 'guide/c.md', 'guide/trees.md', 'e.txt');
const sourceId = fc.constantFrom(...SOURCES);

const sample: fc.Arbitrary<SampleDocument> = fc.record({
  path,
  sourceId,
  title: fc.constantFrom('Trees', 'Beets and cellars', 'Ober \0 München'),
  language: fc.constantFrom('en', 'de', ''),
  type: fc.constantFrom('markdown', 'text'),
  sections: fc.array(section, { maxLength: 5 }),
});

type Command =
  | { readonly type: 'replace'; readonly sample: SampleDocument }
  | { readonly type: 'remove' | 'touch'; readonly sourceId: string; readonly path: string }
  | { readonly type: 'publish' | 'reopen' | 'compare' };

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('replace' as const), sample }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constantFrom('remove' as const, 'touch' as const), sourceId, path }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('publish' as const) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constantFrom('reopen' as const, 'compare' as const) }) },
);

const QUERIES = [
  dense([1, 2, 0, -1], 3),
  dense([0, 1, 1, 0], 100),
  dense([1, 0, 0, 1], 5, { category: 'a' }),
  dense([1, 1, 0, 0], 4, undefined, 'heading'),
  dense([0, 0, 1, 1], 9, { or: [{ language: 'de' }, { version: { gte: 2 } }] }, 'heading'),
  sparse({ 0: 1, 3: 0.7, 5: 2, 8: 0.01 }, 100),
  sparse({ 1: 0.3, 2: 0.3, 4: -0.1, 9: 1 }, 3, { not: { category: 'a' } }),
  keyword('growing trees in the cellar', 100),
  keyword('DB_HOST häuser', 2),
  keyword('münchen 数据库 v2.4.1', 100, { not: { type: 'text' } }),
];

/** Applies a command to a store; `connect` gives a fresh object on the same place. */
async function apply(store: Store, command: Command, connect: () => Store): Promise<Store> {
  switch (command.type) {
    case 'replace': {
      const stored = sampleDocument(command.sample);
      await store.replace(sampleOrigin(stored), [stored]);
      return store;
    }
    case 'remove':
      await store.remove(command.sourceId, sampleUri(command.sourceId, command.path));
      return store;
    case 'touch':
      await store.touch(command.sourceId, sampleUri(command.sourceId, command.path), 'touched');
      return store;
    case 'publish':
      await store.publish();
      return store;
    case 'reopen': {
      await store.close();
      const next = connect();
      await next.open(SPARSE_SCHEMA, 'write');
      return next;
    }
    case 'compare':
      return store;
  }
}

/** What `revisions` must say, kept in a Map. */
function applyToModel(model: Map<string, string>, command: Command): void {
  if (command.type === 'replace') {
    const { sourceId: source = 'docs', path: file } = command.sample;
    const stored = sampleDocument(command.sample);
    model.delete(`${source} ${file}`);
    model.set(`${source} ${file}`, sampleOrigin(stored).stamp);
  } else if (command.type === 'remove') model.delete(`${command.sourceId} ${command.path}`);
  else if (command.type === 'touch' && model.has(`${command.sourceId} ${command.path}`)) {
    model.set(`${command.sourceId} ${command.path}`, 'touched');
  }
}

it(
  'two stores and a Map agree after any sequence of writes, publishes and reopenings',
  { timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 15, maxLength: 60, size: 'max' }), async (commands) => {
        const folder = temporaryFolder();
        const reference = memoryStore();
        const connect = (): Store => embeddedStore({ path: indexPath(folder) });
        let embedded = connect();
        await Promise.all([reference.open(SPARSE_SCHEMA, 'write'), embedded.open(SPARSE_SCHEMA, 'write')]);
        const model = new Map<string, string>();
        try {
          for (const next of [...commands, { type: 'compare' } as const]) {
            await apply(reference, next, () => reference);
            embedded = await apply(embedded, next, connect);
            applyToModel(model, next);
            if (next.type !== 'compare' && next.type !== 'reopen') continue;
            const [actual, expected] = await Promise.all([
              everything(embedded, SOURCES, QUERIES),
              everything(reference, SOURCES, QUERIES),
            ]);
            expect(actual).toEqual(expected);
            const stamps = actual.revisions.flatMap((known) => known.map(([, { stamp }]) => stamp));
            expect(stamps.sort()).toEqual([...model.values()].sort());
          }
        } finally {
          await embedded.close();
        }
      }),
      { numRuns: 60 },
    );
  },
);
