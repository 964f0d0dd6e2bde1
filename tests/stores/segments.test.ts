import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chunk } from '../../src/core/types.ts';
import { columnsBuilder, decodeColumn, encodeColumn, mergeColumns } from '../../src/stores/embedded/columns.ts';
import type { Column } from '../../src/stores/embedded/columns.ts';
import { chooseMerge } from '../../src/stores/embedded/merge.ts';
import {
  decodeList,
  DROPPED,
  listBytes,
  mergePostings,
  postingsBuilder,
  unionLists,
} from '../../src/stores/embedded/postings.ts';
import type { Postings } from '../../src/stores/embedded/postings.ts';
import { decodeWeights, listRange, mergeSparse, sparseBuilder } from '../../src/stores/embedded/sparse-postings.ts';
import type { SparsePostings } from '../../src/stores/embedded/sparse-postings.ts';
import { bestFirst, topList } from '../../src/stores/embedded/top-list.ts';
import { openDatabase } from '../../src/stores/sqlite.ts';
import memoryStore from '../../src/stores/memory.ts';
import { SPARSE_SCHEMA, sampleDocument, sampleOrigin, sampleUri, sparseVector } from '../../src/testing/index.ts';
import type { SampleDocument } from '../../src/testing/index.ts';
import { dense, everything, indexPath, keyword, openStore, sparse, temporaryFolder } from './fixtures.ts';

type Row = readonly (readonly string[])[];
const terms = fc.array(fc.constantFrom('a', 'b', 'tree', 'zeta', 'ü', '数', '\u{1f600}', '\uffee'), { maxLength: 6 });
const row: fc.Arbitrary<Row> = fc.tuple(
  terms,
  terms,
  terms,
  fc.oneof(terms, fc.constant(Array<string>(300).fill('many'))),
);
const rows = fc.array(row, { maxLength: 12 });

function build(content: readonly Row[]): Postings {
  const builder = postingsBuilder();
  for (const fields of content) builder.add(fields);
  return builder.finish();
}

/** Term → row → counts, the readable form. */
function readable({ terms: names, starts, sizes, data }: Postings): Record<string, Record<number, number[]>> {
  return Object.fromEntries(
    names.map((term, i) => {
      const size = sizes[i] as number;
      const start = (starts[i] as number) * 4;
      const list = decodeList(data.subarray(start, start + listBytes(size)), size);
      return [
        term,
        Object.fromEntries([...list.rows].map((at, k) => [at, [...list.counts.subarray(k * 4, k * 4 + 4)]])),
      ];
    }),
  );
}

function counted(content: readonly Row[]): Record<string, Record<number, number[]>> {
  const all: Record<string, Record<number, number[]>> = {};
  for (const [at, fields] of content.entries()) {
    for (const [field, list] of fields.entries()) {
      for (const term of list) {
        const counts = ((all[term] ??= {})[at] ??= [0, 0, 0, 0]);
        counts[field] = (counts[field] as number) + 1;
      }
    }
  }
  return all;
}

describe('postings', () => {
  it('count every term of every row and field', () => {
    fc.assert(
      fc.property(rows, (content) => {
        expect(readable(build(content))).toEqual(counted(content));
      }),
    );
  });

  it('merge to what the kept rows would have given at once', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.tuple(row, fc.boolean()), { maxLength: 8 }), { maxLength: 4 }), (segments) => {
        let next = 0;
        const inputs = segments.map((segment) => ({
          postings: build(segment.map(([content]) => content)),
          newRow: Uint32Array.from(segment, ([, keep]) => (keep ? next++ : DROPPED)),
        }));
        const kept = segments.flatMap((segment) => segment.filter(([, keep]) => keep).map(([content]) => content));
        const merged = mergePostings(inputs);
        expect(readable(merged)).toEqual(counted(kept));
        expect([...merged.terms]).toEqual([...merged.terms].sort());
      }),
    );
  });

  it('two terms that count as one have the sum of their counts', () => {
    const list = fc.uniqueArray(fc.nat(30), { maxLength: 10 }).chain((numbers) => {
      const sorted = Uint32Array.from(numbers.sort((a, b) => a - b));
      const counts = fc.array(fc.nat(300), { minLength: sorted.length * 4, maxLength: sorted.length * 4 });
      return counts.map((values) => ({ rows: sorted, counts: Uint32Array.from(values) }));
    });
    const countAt = (
      { rows: all, counts }: { rows: Uint32Array; counts: Uint8Array | Uint32Array },
      at: number,
    ): number[] => {
      const i = all.indexOf(at);
      return i === -1 ? [0, 0, 0, 0] : [...counts.subarray(i * 4, i * 4 + 4)];
    };
    fc.assert(
      fc.property(list, list, (a, b) => {
        const both = unionLists(a, b);
        expect([...both.rows]).toEqual([...new Set([...a.rows, ...b.rows])].sort((x, y) => x - y));
        for (const at of both.rows) {
          const other = countAt(b, at);
          expect(countAt(both, at)).toEqual(countAt(a, at).map((count, field) => count + (other[field] as number)));
        }
      }),
    );
  });
});

describe('sparse postings', () => {
  const weights = fc.dictionary(fc.constantFrom('0', '7', '30521', '249999'), fc.float({ noNaN: true }));
  const build = (content: readonly Readonly<Record<number, number>>[]): SparsePostings => {
    const builder = sparseBuilder();
    for (const [at, own] of content.entries()) builder.add(at, sparseVector(own));
    return builder.finish();
  };
  /** Row → entry → weight, as it was added. */
  const readable = (postings: SparsePostings, count: number): Record<number, number>[] => {
    const all = Array.from({ length: count }, (): Record<number, number> => ({}));
    for (const entry of postings.entries) {
      const { start = 0, end = 0 } = listRange(postings, entry) ?? {};
      const list = decodeWeights(postings.data.slice(start, end));
      for (const [i, at] of list.rows.entries()) (all[at] as Record<number, number>)[entry] = list.weights[i] as number;
    }
    return all;
  };
  const withoutZeros = (own: Readonly<Record<number, number>>): Record<number, number> =>
    Object.fromEntries(Object.entries(own).filter(([, weight]) => weight !== 0));

  it('merge to the weights of the kept rows, bit by bit', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.tuple(weights, fc.boolean()), { maxLength: 8 }), { maxLength: 4 }),
        (segments) => {
          let next = 0;
          const inputs = segments.map((segment) => ({
            postings: build(segment.map(([own]) => own)),
            newRow: Uint32Array.from(segment, ([, keep]) => (keep ? next++ : DROPPED)),
          }));
          const merged = mergeSparse(inputs);
          const kept = segments.flatMap((segment) => segment.filter(([, keep]) => keep).map(([own]) => own));
          expect(readable(merged, kept.length)).toEqual(kept.map(withoutZeros));
          expect(merged).toEqual(build(kept));
        },
      ),
    );
  });

  it('have no list of an entry that occurs nowhere', () => {
    const postings = build([{ 7: 1 }]);
    for (const entry of [0, 8, 4_000_000_000]) expect(listRange(postings, entry)).toBeUndefined();
  });
});

it('sparse vectors are rows only until their chunks are in a segment', async () => {
  const folder = temporaryFolder();
  const store = await openStore(folder, 'write');
  const stored = sampleDocument({
    path: 'a.md',
    sections: [1, 2].map((n) => ({
      heading: '',
      text: `${n}`,
      vectors: { dense: [n, 1, 0, 0] },
      sparse: { sparse: { [n]: 1 } },
    })),
  });
  const count = async (): Promise<number | undefined> => {
    const db = await openDatabase(indexPath(folder), { readOnly: true });
    const row = db.prepare<{ n: number }>('SELECT count(*) AS n FROM vectors').get();
    db.close();
    return row?.n;
  };
  await store.replace(sampleOrigin(stored), [stored]);
  expect(await count()).toBe(4);
  await store.publish();
  expect(await count()).toBe(2);
  expect((await store.search(sparse({ 1: 1, 2: 2 }, 9))).hits.length).toBe(2);
});

describe('metadata columns', () => {
  const chunk = (metadata: Chunk['metadata']): Chunk => {
    const { chunks } = sampleDocument({ path: 'a.md', sections: [{ heading: 'H', text: 'x', metadata }] });
    return (chunks[0] as (typeof chunks)[number]).chunk;
  };
  const valuesOf = ({ values, codes }: Column): unknown[] => [...codes].map((code) => values[code]);

  // [S1-metadata-types] [S1-metadata-free]
  it('survive encoding and merging, whatever the number of values', () => {
    for (const count of [1, 300, 70_000]) {
      const builder = columnsBuilder();
      for (let i = 0; i < count; i++)
        builder.add({ ...chunk({}), metadata: i % 3 === 0 ? {} : { n: i, 'odd \0 "key"': [`${i}`] } });
      const columns = builder.finish();
      const kept = Uint32Array.from({ length: Math.ceil(count / 2) }, (_, i) => i * 2);
      const merged = mergeColumns([
        { columns, kept },
        { columns: new Map(), kept: Uint32Array.of(0, 1) },
      ]);
      for (const field of count === 1 ? ['path'] : ['n', 'odd \0 "key"', 'path']) {
        const column = columns.get(field) as Column;
        expect(decodeColumn(encodeColumn(column))).toEqual(column);
        const expected = valuesOf(column).filter((_, i) => i % 2 === 0);
        expect(valuesOf(merged.get(field) as Column)).toEqual([...expected, undefined, undefined]);
      }
    }
  });
});

describe('the list of the best', () => {
  it('is what sorting would give', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 }), fc.nat(20), (scores, capacity) => {
        const list = topList(capacity);
        for (const [at, score] of scores.entries()) list.offer(at, score);
        const sorted = scores.map((score, at) => ({ row: at, score })).sort(bestFirst);
        expect(list.sorted()).toEqual(sorted.slice(0, capacity));
      }),
    );
  });
});

describe('merging', () => {
  it('bounds the number of segments, and rewrites a chunk only a few times', () => {
    let segments: { rows: number; dead: number }[] = [];
    let rewritten = 0;
    for (let i = 0; i < 4000; i++) {
      segments.push({ rows: 20, dead: 0 });
      for (let group = chooseMerge(segments); group.length > 0; group = chooseMerge(segments)) {
        const merged = { rows: group.reduce((sum, { rows: own }) => sum + own, 0), dead: 0 };
        const at = segments.indexOf(group[0] as (typeof segments)[number]);
        segments = [...segments.slice(0, at), merged, ...segments.slice(at + group.length)];
        rewritten += merged.rows;
      }
      expect(segments.length).toBeLessThan(40);
    }
    expect(segments.reduce((sum, { rows: own }) => sum + own, 0)).toBe(80_000);
    expect(rewritten / 80_000).toBeLessThan(6);
  });

  it('rewrites a segment of which a quarter is dead, and makes none too large', () => {
    const worn = { rows: 100_000, dead: 25_001 };
    expect(chooseMerge([{ rows: 100_000, dead: 25_000 }, worn])).toEqual([worn]);
    const large = Array.from({ length: 9 }, () => ({ rows: 30_000, dead: 0 }));
    expect(chooseMerge(large).length).toBe(4);
    expect(chooseMerge(Array.from({ length: 30 }, () => ({ rows: 100_000, dead: 0 })))).toEqual([]);
  });

  it(
    'of a long run with replacements in the middle gives what the plain store gives',
    { timeout: 60_000 },
    async () => {
      const page = (n: number, round: number): SampleDocument => ({
        path: `p${n}.md`,
        title: `Page ${n % 7}`,
        sections: Array.from({ length: 120 }, (_, i) => ({
          heading: `Part ${Math.floor(i / 9)}`,
          text: `tree ${i % 11 === 0 ? 'cellar' : 'beet'} round${round} ${'pad '.repeat((n * i) % 5)}`,
          vectors: { dense: [Math.sin(n + i), Math.cos(i * round), n % 5, 1], heading: [1, Math.floor(i / 9), 0, 0] },
          metadata: { part: i % 4 },
          sparse: { sparse: { [i % 13]: 1 + n / 7, [100 + (n % 3)]: 0.1 * (i % 7), [200 + round]: 1 } },
        })),
      });
      const [embedded, reference] = [await openStore(temporaryFolder(), 'write'), memoryStore()];
      await reference.open(SPARSE_SCHEMA, 'write');
      const queries = [
        dense([1, 0, 2, 1], 50),
        dense([1, 3, 0, 0], 200, undefined, 'heading'),
        dense([0, 1, 0, 1], 20, { part: [1, 2] }),
        keyword('cellar beets round', 200),
        sparse({ 3: 1, 5: 0.4, 101: 2 }, 300),
        sparse({ 0: 1, 200: 0.01, 205: 0.02 }, 40, { part: [0, 3] }),
        keyword('page tree', 7, { not: { part: 0 } }),
      ];
      for (let run = 0; run < 2; run++) {
        for (const store of [embedded, reference]) {
          for (let n = 0; n < 60; n++) {
            const stored = sampleDocument(page(n, run));
            await store.replace(sampleOrigin(stored), [stored]);
            if (n % 10 === 9) {
              const again = sampleDocument(page(n - 9, run + 5));
              await store.replace(sampleOrigin(again), [again]);
              await store.remove('docs', sampleUri('docs', `p${n - 5}.md`));
            }
          }
          await store.publish();
        }
        expect(await everything(embedded, ['docs'], queries)).toEqual(await everything(reference, ['docs'], queries));
      }
    },
  );
});
