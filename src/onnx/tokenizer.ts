/**
 * A model's own tokenizer, from its `tokenizer.json`, by `@huggingface/tokenizers`.
 */
import { createRequire } from 'node:module';
import { RagError } from '../core/errors.ts';
import { requiredPackage } from './packages.ts';
import type { Sequence } from './sequences.ts';

export interface OnnxTokenizer {
  /** Ids of the text alone, without special tokens. */
  ids(text: string): number[];
  count(text: string): number;
  /** Special tokens around one text. */
  readonly before: readonly number[];
  readonly after: readonly number[];
  /** Ids of two texts in one input, as a cross-encoder reads them, with the special tokens of pairs around them. */
  pair(first: readonly number[], second: readonly number[]): Sequence;
}

interface Encoding {
  readonly ids: number[];
  readonly token_type_ids?: number[];
}

/** As much of `@huggingface/tokenizers` as is used. */
interface Encoder {
  encode(
    text: string,
    options: {
      readonly add_special_tokens?: boolean;
      readonly text_pair?: string;
      readonly return_token_type_ids?: boolean;
    },
  ): Encoding;
}

export interface TokenizerFiles {
  /** `tokenizer.json` and `tokenizer_config.json`, parsed. */
  readonly tokenizer: Readonly<Record<string, unknown>>;
  readonly tokenizerConfig: Readonly<Record<string, unknown>>;
}

/** @throws RagError `driver-missing`; `driver-unavailable` for a tokenizer that the package does not know */
export function openTokenizer(files: TokenizerFiles, packagesFrom: readonly string[] = []): OnnxTokenizer {
  const path = requiredPackage('@huggingface/tokenizers', packagesFrom);
  const { Tokenizer } = createRequire(path)(path) as {
    readonly Tokenizer: new (tokenizer: object, config: object) => Encoder;
  };
  let encoder: Encoder;
  try {
    encoder = new Tokenizer(files.tokenizer, files.tokenizerConfig);
  } catch (cause) {
    throw new RagError('driver-unavailable', `the model's tokenizer cannot be used: ${(cause as Error).message}`, {
      cause,
    });
  }
  const encode = (text: string): readonly number[] => encoder.encode(text, { add_special_tokens: false }).ids;
  const visit = splitsAtSpaces(files.tokenizer) ? wordByWord(encode) : whole(encode);
  const { before, after } = specialTokens(encoder);
  return {
    before,
    after,
    ids(text) {
      const all: number[] = [];
      visit(text, (ids) => {
        for (const id of ids) all.push(id);
      });
      return all;
    },
    count(text) {
      let total = 0;
      visit(text, ({ length }) => {
        total += length;
      });
      return total;
    },
    pair: pairing(encoder),
  };
}

/** Gives the ids of a text, in order, in one part or several. */
type Visit = (text: string, ids: (ids: readonly number[]) => void) => void;

const whole =
  (encode: (text: string) => readonly number[]): Visit =>
  (text, ids) => {
    ids(encode(text));
  };

const MOST_REMEMBERED = 50_000;
const LONGEST_REMEMBERED = 100;

/**
 * Documentation repeats its words: remembering them makes counting five times as fast. The result is the same, because
 * such a tokenizer never looks across white space. Only these four are white space to BERT *and* never part of a word.
 */
function wordByWord(encode: (text: string) => readonly number[]): Visit {
  const remembered = new Map<string, readonly number[]>();
  return (text, ids) => {
    for (const word of text.split(/[ \t\n\r]+/u)) {
      if (word === '') continue;
      let known = remembered.get(word);
      if (known === undefined) {
        known = encode(word);
        if (word.length <= LONGEST_REMEMBERED) {
          if (remembered.size >= MOST_REMEMBERED) remembered.clear();
          remembered.set(word, known);
        }
      }
      ids(known);
    }
  };
}

/** BERT's: normalised letter by letter, then split at white space and punctuation. */
function splitsAtSpaces(tokenizer: TokenizerFiles['tokenizer']): boolean {
  const typeOf = (part: unknown): unknown => (part as { readonly type?: unknown } | null | undefined)?.type;
  const added = (tokenizer['added_tokens'] ?? []) as readonly { readonly content: string }[];
  return (
    typeOf(tokenizer['normalizer']) === 'BertNormalizer' &&
    typeOf(tokenizer['pre_tokenizer']) === 'BertPreTokenizer' &&
    added.every(({ content }) => !/\s/u.test(content))
  );
}

/** Found by looking where a text of one token ends up. */
function specialTokens(encoder: Encoder): Pick<OnnxTokenizer, 'before' | 'after'> {
  const bare = encoder.encode('a', { add_special_tokens: false }).ids;
  const full = encoder.encode('a', { add_special_tokens: true }).ids;
  const at = placeOf(bare, full);
  return { before: full.slice(0, at), after: full.slice(at + bare.length) };
}

/** The same with two texts. */
function pairing(encoder: Encoder): OnnxTokenizer['pair'] {
  const bare = encoder.encode('a', { add_special_tokens: false }).ids;
  const { ids, token_type_ids: types = [] } = encoder.encode('a', { text_pair: 'a', return_token_type_ids: true });
  const first = placeOf(bare, ids);
  const second = placeOf(bare, ids, first + bare.length);
  const [before, between, after] = [
    ids.slice(0, first),
    ids.slice(first + bare.length, second),
    ids.slice(second + bare.length),
  ];
  const secondType = types[second] ?? 0;
  return (one, other) => {
    const start = before.length + one.length + between.length;
    const all = [...before, ...one, ...between, ...other, ...after];
    return { ids: all, typeIds: all.map((_, at) => (at < start ? 0 : secondType)) };
  };
}

const placeOf = (part: readonly number[], ids: readonly number[], from = 0): number =>
  ids.findIndex((_, start) => start >= from && part.every((id, i) => ids[start + i] === id));
