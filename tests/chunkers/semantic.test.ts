/** Cut where the meaning of neighbouring sentences parts. */
import { describe, expect, test } from 'vitest';
import semantic from '../../src/chunkers/semantic.ts';
import { searchableText } from '../../src/parsers/searchable.ts';
import { parse } from '../parsers/parse.ts';
import { chunk, count, embedder, SIZES } from './chunk.ts';

const sizes = { ...SIZES, use: 'semantic', minTokens: 20, maxTokens: 200, breakPercentile: 85 } as const;
const texts = async (text: string, over = {}): Promise<readonly string[]> =>
  (await chunk(text, { ...sizes, ...over })).chunks.map((found) => found.text);

const COOKING =
  'Fry the onions in butter until they are soft. Add garlic, pepper and salt to the pan. Pour in the stock and let the soup simmer. Serve the soup hot with fresh bread and butter.';
const NETWORK =
  'The server listens on a TCP port of the host. A firewall must allow connections to that port. The network proxy forwards requests to the server. Timeouts of connections are configured in the proxy.';
const MUSIC =
  'The orchestra plays the second symphony tonight. Violins and cellos open the first movement slowly. The conductor lifts the baton for the choir. Singers and violins end the concert together.';

describe('a boundary', () => {
  // [S1-future-semantic-chunks]
  test('is where the subject changes, within a paragraph too', async () => {
    expect(await texts(`${COOKING} ${NETWORK} ${MUSIC}`)).toEqual([COOKING, NETWORK, MUSIC]);
    expect(await texts(`${NETWORK}\n\n${COOKING}`, { breakPercentile: 80 })).toEqual([NETWORK, COOKING]);
  });

  test('is at every heading, and nothing is repeated', async () => {
    const found = await texts(`# A\n\nOne sentence.\n\n# B\n\nOne sentence more.`);
    expect(found).toEqual(['# A\n\nOne sentence.', '# B\n\nOne sentence more.']);
  });

  test('leaves no chunk smaller than the least', async () => {
    const found = await texts(`${COOKING} ${NETWORK} ${MUSIC}`, { minTokens: 60 });
    expect(found.every((text) => count(text) >= 60)).toBe(true);
  });

  test('is the best place in the second half of a chunk that would grow too long', async () => {
    const found = await texts(`${COOKING} ${NETWORK} ${MUSIC}`, { breakPercentile: 99, minTokens: 1, maxTokens: 70 });
    expect(found[0]).toBe(COOKING);
  });
});

test('code and tables are whole as long as they fit', async () => {
  const code = '```ts\nconst port = 1;\n\nconst soup = 2;\n```';
  const table = '| a | b |\n|---|---|\n| port | soup |\n| violin | proxy |';
  const found = await texts(`${COOKING}\n\n${code}\n\n${NETWORK}\n\n${table}\n\n${MUSIC}`, {
    breakPercentile: 50,
    minTokens: 5,
  });
  expect(found.filter((text) => text.includes('const'))).toEqual([expect.stringContaining(code)]);
  expect(found.filter((text) => text.includes('| a |'))).toEqual([expect.stringContaining(table)]);
});

describe('what is embedded', () => {
  const embedded = async (text: string, maxBatch = 1000): Promise<readonly (readonly string[])[]> => {
    const calls: (readonly string[])[] = [];
    const chunker = semantic({
      ...sizes,
      countTokens: count,
      searchable: (slice, as) => searchableText(slice, as === 'verbatim'),
      embedder: {
        maxBatch,
        embed(batch, as, options) {
          calls.push(batch);
          return embedder.embed(batch, as, options);
        },
      },
    });
    await chunker.chunk(await parse(text));
    return calls;
  };

  test('two sentences at a time, without their marks', async () => {
    expect(
      await embedded('The **first** one is here now. The second one is here now. The third one is here now, too.'),
    ).toEqual([
      [
        'The first one is here now.',
        'The first one is here now. The second one is here now.',
        'The second one is here now. The third one is here now, too.',
        'The third one is here now, too.',
      ],
    ]);
  });

  test('in batches that the embedder takes', async () => {
    expect((await embedded(`${COOKING} ${NETWORK}`, 4)).map(({ length }) => length)).toEqual([4, 4, 1]);
  });

  test('nothing of sections too small to be cut', async () => {
    expect(await embedded('# A\n\nOne sentence. Another.\n\n# B\n\nOne more.')).toEqual([]);
  });
});

test('a run that is stopped stops while it embeds', async () => {
  const stop = new AbortController();
  const chunker = semantic({
    ...sizes,
    countTokens: count,
    searchable: (slice) => slice,
    embedder: {
      maxBatch: 1,
      embed(_texts, _as, options) {
        options?.signal?.throwIfAborted();
        stop.abort();
        return embedder.embed(_texts, _as);
      },
    },
  });
  const document = await parse(`${COOKING} ${NETWORK}`);
  await expect(async () => chunker.chunk(document, { signal: stop.signal })).rejects.toThrow(/abort/iu);
});
