import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/core/identity.ts';
import builtInEmbedder from '../../src/embedders/built-in.ts';

const folder = fileURLToPath(new URL('../../models/static-docs-384/', import.meta.url));
const embedder = await builtInEmbedder();
const embedOne = async (text: string): Promise<Float32Array> => {
  const [vector] = await embedder.embed([text], 'passage');
  if (vector === undefined) throw new Error('no vector');
  return vector;
};
const norm = (vector: Float32Array): number => Math.hypot(...vector);
const cosine = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);

test('its name carries the fingerprint of its weights', () => {
  expect(embedder.model).toBe(`static-docs-384@${sha256(readFileSync(`${folder}model.i8`)).slice(0, 12)}`);
  expect(embedder).toMatchObject({ dimensions: 384, maxTokens: Infinity });
});

describe('vectors', () => {
  test('have the values that they had when the model was measured', async () => {
    const first = async (text: string): Promise<readonly number[]> =>
      [...(await embedOne(text)).slice(0, 8)].map((value) => Number(value.toFixed(5)));
    expect(await first('How do I configure the port of the server?')).toEqual([
      -0.07261, 0.02866, -0.08281, -0.19587, 0.01216, 0.04277, 0.03602, 0.061,
    ]);
    expect(await first('DB_HOST=localhost\n数据库 naïve 😀')).toEqual([
      -0.06513, 0.00328, -0.04052, -0.08126, 0.09779, 0.02644, 0.05892, -0.03008,
    ]);
  });

  test('are the rows of the model, added up and scaled to unit length', async () => {
    const pieces = readFileSync(`${folder}vocab.txt`, 'utf8').trimEnd().split('\n');
    const bytes = readFileSync(`${folder}model.i8`);
    const row = (piece: string): readonly number[] => {
      const id = pieces.indexOf(piece);
      const scale = bytes.readFloatLE(4 * id);
      return Array.from({ length: 384 }, (_, i) => scale * bytes.readInt8(4 * pieces.length + id * 384 + i));
    };
    const [port, server] = [row('port'), row('server')];
    const sum = Float32Array.from(port, (value, i) => value + Math.SQRT2 * (server[i] ?? 0));
    const expected = sum.map((value) => value / norm(sum));
    (await embedOne('server port server')).forEach((value, i) => {
      expect(value).toBeCloseTo(expected[i] ?? NaN, 5);
    });
  });

  // [S0-cosine-distance] [S4-cosine-normalized] [S3-distance-cosine]
  test('are of unit length, or all zeros where no piece is known', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.lorem(), fc.string({ unit: 'binary' })), async (text) => {
        const length = norm(await embedOne(text));
        expect(length === 0 || Math.abs(length - 1) < 1e-5).toBe(true);
      }),
    );
    for (const text of ['', ' \n', '\u200b', '\ue000\ue001']) expect(norm(await embedOne(text))).toBe(0);
  });

  test('are the same in every call, alone and among others, for question and passage', async () => {
    const texts = ['the port', 'a server', '', 'the port'];
    const [together, again] = [await embedder.embed(texts, 'passage'), await embedder.embed(texts, 'query')];
    expect(together).toEqual(again);
    expect(together[0]).toEqual(together[3]);
    expect(await Promise.all(texts.map(embedOne))).toEqual(together);
    expect(await embedder.embed([], 'passage')).toEqual([]);
  });

  test('do not depend on letter case, accents, spaces or the order of words', async () => {
    const port = await embedOne('Configure the naïve Port');
    expect(await embedOne('  configure\tthe NAIVE port\n')).toEqual(port);
    expect(cosine(await embedOne('port naïve the configure'), port)).toBeCloseTo(1, 5);
  });

  test('are nearer for what is about the same', async () => {
    const [question, near, far] = await embedder.embed(
      ['How do I change the port?', 'Set server.port to another number.', 'Grill the octopus for ten minutes.'],
      'passage',
    );
    if (question === undefined || near === undefined || far === undefined) throw new Error('no vectors');
    expect(cosine(question, near)).toBeGreaterThan(cosine(question, far) + 0.1);
  });
});

describe('tokens', () => {
  test('are counted like the pieces of BERT', () => {
    expect(embedder.countTokens('The port of the server')).toBe(5);
    expect(embedder.countTokens('server.port = 8080;')).toBe(7);
    expect(embedder.countTokens('数据库')).toBe(3);
    expect(embedder.countTokens(' \n\t')).toBe(0);
  });

  test('grow with the length of words that the vocabulary does not know', () => {
    for (const letter of ['ꙮ', 'ꓘ', 'x', '7']) {
      const counts = [50, 100, 101, 200, 1000, 10_000].map((length) => embedder.countTokens(letter.repeat(length)));
      expect(counts).toEqual([...counts].sort((a, b) => a - b));
      expect(counts.at(-1)).toBeGreaterThan(10_000 / 8);
      expect(counts.at(-1)).toBeLessThanOrEqual(10_000);
    }
  });

  test('of texts with a space between them add up', () => {
    const text = fc.oneof(fc.lorem(), fc.string({ unit: 'grapheme' }));
    fc.assert(
      fc.property(text, text, (a, b) => {
        const { countTokens } = embedder;
        expect(countTokens(`${a} ${b}`)).toBe(countTokens(a) + countTokens(b));
      }),
    );
  });
});

test.each([
  ['one word', 'x'.repeat(1_000_000)],
  ['different words', Array.from({ length: 150_000 }, (_, i) => `w${i}q`).join(' ')],
  ['combining marks', `a${'\u0301'.repeat(500_000)}`],
  ['unknown letters', 'ꙮ'.repeat(500_000)],
])('hostile: %s, within seconds', async (_, text) => {
  const started = performance.now();
  await embedOne(text);
  expect(performance.now() - started).toBeLessThan(5000);
});
