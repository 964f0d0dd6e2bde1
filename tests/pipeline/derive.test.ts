import { expect, test } from 'vitest';
import { derive } from '../../src/pipeline/derive.ts';
import { parse } from '../parsers/parse.ts';

const protocol = { field: 'protocol', from: 'category', values: { bisq2: 'bisq_easy', bisq1: 'multisig_v1' } };
const weight = { field: 'source_weight', from: 'type', values: { wiki: 1.1, markdown: 1 } };
const label = { field: 'label', from: 'protocol', values: { bisq_easy: 'Bisq Easy' } };

const metadata = async (category: string | undefined, more = {}) =>
  derive(await parse('# A', { metadata: { ...(category === undefined ? {} : { category }), ...more } }), [
    protocol,
    weight,
    label,
  ]).metadata;

// [S3-protocol-tag]
test('a field follows from another, from the type, and from one that was derived before', async () => {
  expect(await metadata('bisq2')).toEqual({
    category: 'bisq2',
    protocol: 'bisq_easy',
    source_weight: 1,
    label: 'Bisq Easy',
  });
});

test('what a document says itself stays; what no rule knows adds nothing', async () => {
  expect(await metadata('bisq2', { protocol: 'all' })).toEqual({
    category: 'bisq2',
    protocol: 'all',
    source_weight: 1,
  });
  expect(await metadata('toString')).toEqual({ category: 'toString', source_weight: 1 });
  expect(await metadata(undefined)).toEqual({ source_weight: 1 });
});
