/** Staged retrieval over a real index: a wiki and answers of two protocols, as the support desk has them. */
import { beforeAll, describe, expect, test } from 'vitest';
import { presetSettings } from '../../src/presets/preset-settings.ts';
import { library, type Library } from './library.ts';

const { preset, sources, store, ...DESK } = presetSettings('support-desk');

let docs: Library;
beforeAll(async () => {
  const page = (protocol: string, text: string): { text: string; metadata: { protocol: string } } => ({
    text: `# ${text}\n\n${text}. A trade has a limit, a fee and a seller.\n`,
    metadata: { protocol },
  });
  docs = await library(
    {
      'easy-limit.md': page('bisq_easy', 'The trade limit is 600 dollars'),
      'easy-fee.md': page('bisq_easy', 'The trade fee is nothing'),
      'easy-seller.md': page('bisq_easy', 'A seller has a reputation'),
      'easy-chat.md': page('bisq_easy', 'The trade chat'),
      'one-limit.md': page('multisig_v1', 'The trade limit is two bitcoin'),
      'one-fee.md': page('multisig_v1', 'The trade fee is one percent'),
      'general.md': page('all', 'Trade with care'),
    },
    DESK,
  );
});

const protocolsOf = async (query: string, top?: number): Promise<string[]> =>
  (await docs.search(query, top === undefined ? {} : { top })).hits.map(({ chunk }) =>
    String(chunk.metadata['protocol']),
  );

describe('a question about one protocol', () => {
  // [S3-easy-stage-1] [S3-metadata-first] [S3-stage-general] [S3-stage-filter]
  test('named: its own come first, the general ones only when they are fewer than four', async () => {
    expect(await protocolsOf('What is the trade limit in Bisq Easy?')).toEqual(Array(4).fill('bisq_easy'));
  });

  // [S3-stage-filter]
  test('with few of its own: the general ones follow; the other protocol never', async () => {
    const protocols = await protocolsOf('What is the trade fee in Bisq 1?');
    expect(protocols).toEqual(['multisig_v1', 'multisig_v1', 'all']);
  });

  test('neither named nor hinted at: what the first hits are about, and the general ones, never both', async () => {
    const protocols = await protocolsOf('limit of two bitcoin, one percent', 30);
    expect(new Set(protocols)).toEqual(new Set(['multisig_v1', 'all']));
  });

  test('a filter of the user holds as well', async () => {
    const { hits } = await docs.search('What is the trade fee in Bisq 1?', { filter: { path: 'one-limit.md' } });
    expect(hits.map(({ chunk }) => chunk.path)).toEqual(['one-limit.md']);
  });
});

test('a comparison takes both and the general ones', async () => {
  const protocols = await protocolsOf('How does the trade limit of Bisq Easy differ from Bisq 1?', 30);
  expect(protocols.toSorted()).toEqual(['all', ...Array<string>(4).fill('bisq_easy'), 'multisig_v1', 'multisig_v1']);
});

// [S3-version-detection]
test('ask: an unclear question is asked back, once, with the choices; search answers all the same', async () => {
  const question = 'trade limit, trade fee';
  const { answer, events } = await docs.ask(question);
  expect(answer).toMatchObject({
    outcome: 'needs-clarification',
    text: expect.stringMatching(/^Is this about .*Bisq 1.* or .*\?$|^Is this about .*Bisq 2.* or .*\?$/u) as string,
    citations: [],
    passages: [],
  });
  expect(events.filter(({ type }) => type === 'text-delta')).toHaveLength(1);
  expect((await docs.search(question)).hits.length).toBeGreaterThan(0);
});

test('explain and why-not tell the route', async () => {
  const { explanation, whyNot } = await docs.search('What is the trade fee in Bisq 1?', {
    explain: true,
    whyNot: 'easy-fee.md',
  });
  expect(explanation?.stages[0]?.detail).toMatchObject({
    route: 'Bisq 1',
    topics: [{ value: 'multisig_v1', by: 'name' }],
    steps: [
      { taken: true, topK: 4 },
      { taken: true, topK: 2, whenFewerThan: 3 },
    ],
  });
  expect(explanation?.stages.map(({ stage }) => stage)).toContain('keyword (step 2)');
  expect(whyNot).toMatchObject({ verdict: 'lost', stage: 'route', setting: 'query.routes: Bisq 1' });
  const { whyNot: general } = await docs.search('What is the trade limit in Bisq Easy?', { whyNot: 'general.md' });
  expect(general).toMatchObject({ stage: 'route', setting: 'query.routes: whenFewerThan' });
});
