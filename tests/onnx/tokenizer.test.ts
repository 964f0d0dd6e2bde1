import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openTokenizer } from '../../src/onnx/tokenizer.ts';
import { hasModel, PACKAGES, sharedModel } from './places.ts';
import { tinyFiles, VOCABULARY } from './tiny-model.ts';

type Json = Record<string, unknown>;
const parsed = (bytes: Uint8Array | undefined): Json => JSON.parse(Buffer.from(bytes ?? []).toString()) as Json;
const files = tinyFiles();
const tiny = {
  tokenizer: parsed(files.get('tokenizer.json')),
  tokenizerConfig: parsed(files.get('tokenizer_config.json')),
};
const tokenizer = openTokenizer(tiny, [PACKAGES]);
const words = (ids: readonly number[]): readonly (string | undefined)[] => ids.map((id) => VOCABULARY[id]);

describe('a tokenizer', () => {
  test('gives the pieces of the text, and knows what stands around it', () => {
    expect(words(tokenizer.ids('Red greenish\n[SEP] pink'))).toEqual(['red', 'green', '##ish', '[SEP]', '[UNK]']);
    expect(tokenizer.count(' \n')).toBe(0);
    expect([words(tokenizer.before), words(tokenizer.after)]).toEqual([['[CLS]'], ['[SEP]']]);
  });

  test('puts two texts into one input, with the kinds of their tokens', () => {
    const { ids, typeIds } = tokenizer.pair(tokenizer.ids('red green'), tokenizer.ids('blue'));
    expect(words(ids)).toEqual(['[CLS]', 'red', 'green', '[SEP]', 'blue', '[SEP]']);
    expect(typeIds).toEqual([0, 0, 0, 0, 1, 1]);
    expect(words(tokenizer.pair([], []).ids)).toEqual(['[CLS]', '[SEP]', '[SEP]']);
  });

  test('puts two texts into one input as RoBERTa has it: two marks between, all of one kind', () => {
    const post_processor = { type: 'RobertaProcessing', sep: ['[SEP]', 3], cls: ['[CLS]', 2] };
    const roberta = openTokenizer({ ...tiny, tokenizer: { ...tiny.tokenizer, post_processor } }, [PACKAGES]);
    const { ids } = roberta.pair(roberta.ids('red'), roberta.ids('blue'));
    expect(words(ids)).toEqual(['[CLS]', 'red', '[SEP]', '[SEP]', 'blue', '[SEP]']);
  });

  test('that nobody knows is refused', () => {
    const unknown = { ...tiny, tokenizer: { ...tiny.tokenizer, normalizer: { type: 'Rune' } } };
    expect(() => openTokenizer(unknown, [PACKAGES])).toThrow(expect.objectContaining({ code: 'driver-unavailable' }));
  });
});

const model = 'all-MiniLM-L6-v2';
describe.skipIf(!hasModel(model))(`word by word (needs shared/models/${model})`, () => {
  const read = (name: string): Json => JSON.parse(readFileSync(join(sharedModel(model), name), 'utf8')) as Json;
  const own = hasModel(model)
    ? { tokenizer: read('tokenizer.json'), tokenizerConfig: read('tokenizer_config.json') }
    : tiny;
  const remembering = openTokenizer(own, [PACKAGES]);
  const { Tokenizer } = createRequire(join(PACKAGES, 'from.js'))('@huggingface/tokenizers') as {
    Tokenizer: new (a: object, b: object) => { encode(text: string, options: object): { ids: number[] } };
  };
  const plain = new Tokenizer(own.tokenizer, own.tokenizerConfig);
  const direct = (text: string): number[] => plain.encode(text, { add_special_tokens: false }).ids;

  test('is the same as the whole text at once', () => {
    const space = fc.constantFrom(
      ' ',
      '\n',
      '\t',
      '\r\n',
      '\u000b',
      '\u000c',
      '\u00a0',
      '\u2028',
      '\ufeff',
      '\u200b',
      '\0',
      '  ',
    );
    const word = fc.oneof(
      fc.lorem({ maxCount: 1 }),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('[SEP]', 'a[MASK]b', 'ΑΣ', 'İ', '数据库', "don't", 'DB_HOST'),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(word, space)), (parts) => {
        const text = parts.flat().join('');
        expect(remembering.ids(text)).toEqual(direct(text));
        expect(remembering.count(text)).toBe(direct(text).length);
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['one word', 'x'.repeat(400_000)],
    ['different words', Array.from({ length: 60_000 }, (_, i) => `w${i}q`).join(' ')],
    ['combining marks', `a${'\u0301'.repeat(200_000)}`],
    ['punctuation', '!?'.repeat(200_000)],
  ])('hostile: %s, within seconds', (_, text) => {
    // Processor time: the clock depends on who else works here.
    const started = process.cpuUsage();
    remembering.count(text);
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(5000);
  });
});
