/** Chunks longer than the embedder reads at once: refused before anything is built, or embedded in windows. */
import { describe, expect, test } from 'vitest';
import type { Embedder } from '../../src/core/contracts.ts';
import { withWindows } from '../../src/embedders/windowed.ts';
import { presetSettings } from '../../src/presets/preset-settings.ts';
import { openChunker } from '../../src/registry.ts';
import { parse } from '../parsers/parse.ts';
import { embedder, SIZES } from './chunk.ts';

/** The built-in embedder, as if it read only so many tokens; what it is given is noted. */
function short(maxTokens: number, given: string[] = []): Embedder {
  return {
    ...embedder,
    model: 'short@1',
    maxTokens,
    embed(texts, as, options) {
      given.push(...texts);
      for (const text of texts) expect(embedder.countTokens(text) + 2).toBeLessThanOrEqual(maxTokens);
      return embedder.embed(texts, as, options);
    },
  };
}

const settings = presetSettings('default');
const open = (
  chunk: Partial<typeof SIZES>,
  main: Embedder,
  also: readonly Embedder[] = [],
): ReturnType<typeof openChunker> => openChunker({ ...settings, chunk: { ...SIZES, ...chunk } }, main, also);

describe('refused', () => {
  // [S4-chunk-tokens]
  test.each(['markdown-sections', 'fixed-tokens', 'two-tier', 'fenced-tokens', 'semantic'] as const)(
    '%s, when it is opened: both numbers and what to set are named',
    async (use) => {
      await expect(open({ use, maxTokens: 1200, overlong: 'refuse' }, short(512))).rejects.toMatchObject({
        code: 'setting-invalid',
        message: 'chunk.maxTokens is 1200, but short@1 reads 512 tokens at once',
        hint: 'set chunk.maxTokens to 512, chunk.overlong to window, or embed.model to one that reads more',
      });
    },
  );

  test('when only a further embedder is too short', async () => {
    await expect(open({ maxTokens: 512, overlong: 'refuse' }, embedder, [short(256)])).rejects.toMatchObject({
      code: 'setting-invalid',
    });
  });

  test('not when they fit, nor when windows are asked for', async () => {
    await expect(open({ maxTokens: 512, overlong: 'refuse' }, short(512))).resolves.toBeDefined();
    await expect(open({ maxTokens: 1200, overlong: 'window' }, short(512))).resolves.toBeDefined();
    await expect(open({ maxTokens: 8000, overlong: 'refuse' }, embedder)).resolves.toBeDefined();
  });
});

test('chunks are as large as they are set to be, whatever the embedder takes', async () => {
  const document = await parse('Some words of a text. '.repeat(300));
  const longest = async (use: typeof SIZES.use): Promise<number> => {
    const chunker = await open({ use, maxTokens: 512, targetTokens: 512 }, short(128));
    return Math.max(...(await chunker.chunk(document)).map(({ tokenCount }) => tokenCount));
  };
  expect(await longest('markdown-sections')).toBeGreaterThan(450);
  expect(await longest('fixed-tokens')).toBeGreaterThan(450);
});

describe('windows', () => {
  const COOKING = 'Fry the onions in butter until they are soft. Add garlic and pepper to the pan. ';
  const NETWORK = 'The server listens on a TCP port of the host. A firewall allows connections. ';
  const dot = (a: Float32Array, b: Float32Array): number =>
    a.reduce((sum, value, i) => sum + value * (b[i] as number), 0);

  // [S1-chunk-size] [S4-chunk-tokens]
  test('hold all of a long text, each no more than the embedder takes, with an overlap', async () => {
    const given: string[] = [];
    const text = Array.from({ length: 40 }, (_, i) => `Sentence ${i} has some words in it.`).join(' ');
    await withWindows(short(50, given)).embed([text], 'passage');
    expect(given.length).toBeGreaterThan(5);
    for (let i = 0; i < 40; i++)
      expect(given.some((window) => window.includes(`Sentence ${i} has some words in it.`))).toBe(true);
    expect(given.join(' ').length).toBeGreaterThan(text.length);
  });

  test('give one vector of unit length a text, in order, that has something of every part', async () => {
    const wrapped = withWindows(short(60));
    const texts = ['A short one.', COOKING.repeat(5) + NETWORK.repeat(5), NETWORK];
    const [first, long, last] = (await wrapped.embed(texts, 'passage')) as [Float32Array, Float32Array, Float32Array];
    const [cooking, network] = (await embedder.embed([COOKING, NETWORK], 'passage')) as [Float32Array, Float32Array];
    expect(dot(long, long)).toBeCloseTo(1, 5);
    expect(dot(long, cooking)).toBeGreaterThan(0.5);
    expect(dot(long, network)).toBeGreaterThan(0.5);
    expect(last).toEqual(network);
    expect(first).toEqual((await embedder.embed(['A short one.'], 'passage'))[0]);
  });

  test('a text that fits is given as it is, and an embedder without a limit is left alone', async () => {
    const given: string[] = [];
    await withWindows(short(60, given)).embed([' as it is \n', ''], 'passage');
    expect(given).toEqual([' as it is \n', '']);
    expect(withWindows(embedder)).toBe(embedder);
  });

  test('where no window has a vector, neither has the text: all zeros, and not a number divided by zero', async () => {
    const [vector] = await withWindows(short(20)).embed(['\u{1F9FF} '.repeat(100)], 'passage');
    expect(vector).toEqual(new Float32Array(384));
  });
});
