/**
 * Cross-encoders in ONNX on this machine (`docs/rerankers.md`): the model reads question and passage together and gives
 * one number. The weights are loaded with the first question.
 *
 * A passage longer than the model reads is scored in overlapping windows, and its best window counts (MaxP, Dai &
 * Callan 2019, "Deeper Text Understanding for IR with Contextual Neural Language Modeling").
 */
import type { Reranker } from '../../core/contracts.ts';
import { RagError } from '../../core/errors.ts';
import { hubName } from '../../onnx/known-models.ts';
import { maxTokensOf } from '../../onnx/limits.ts';
import type { ModelFolder } from '../../onnx/model-folder.ts';
import { openOnnx } from '../../onnx/open.ts';
import type { OnnxOptions } from '../../onnx/open.ts';
import { outputOf, RUN_SIZE, runSequences } from '../../onnx/sequences.ts';
import type { Sequence } from '../../onnx/sequences.ts';
import type { OnnxTokenizer } from '../../onnx/tokenizer.ts';
import { windows } from '../../onnx/windows.ts';
import { KNOWN_RERANKERS } from './models.ts';

export interface OnnxRerankerOptions extends OnnxOptions {
  /** Or a short name (`KNOWN_RERANKERS`); '' = ms-marco-MiniLM-L-6-v2. */
  readonly model: string;
}

const DEFAULT_MODEL = 'ms-marco-minilm';
/** Share of the input that is left to the passage: with less, its windows would be a few words each. */
const LEAST_ROOM = 1 / 4;

/**
 * @throws RagError `driver-missing` when the packages are not installed, `setting-invalid` for an unknown model or device
 * and for a model that does not score pairs, `driver-unavailable` when the model cannot be had, or, with the first
 * question, cannot be loaded
 */
export default async function onnxReranker(options: OnnxRerankerOptions): Promise<Reranker> {
  const model = hubName(KNOWN_RERANKERS, options.model === '' ? DEFAULT_MODEL : options.model, 'cross-encoder');
  const { folder, tokenizer, session } = await openOnnx({ ...options, model });
  const reading = { name: folder.name, tokenizer, maxTokens: await maxTokensOf(folder), types: typesOf(folder) };
  checkLabels(folder);
  const fingerprint = await folder.fingerprint();
  return {
    model: `${folder.name}@${fingerprint.slice(0, 12)}`,
    async rerank(query, texts, { topK, signal }) {
      if (texts.length === 0) return [];
      const call = signal === undefined ? {} : { signal };
      const pairs = pairsOf(query, texts, reading);
      const output = outputOf(await session.signature(call), ['logits'], 'text classification');
      const sequences = pairs.map(({ sequence }) => sequence);
      const runSize = RUN_SIZE[options.device];
      const logits = await runSequences(sequences, { ...call, session, output, runSize });
      const scores = texts.map(() => -Infinity);
      pairs.forEach(({ text }, i) => {
        scores[text] = Math.max(scores[text] as number, relevance(logits[i] as Float32Array, folder.name));
      });
      return scores
        .map((score, index) => ({ index, score }))
        .sort((a, b) => b.score - a.score || a.index - b.index)
        .slice(0, topK);
    },
    close: () => session.close(),
  };
}

interface Reading {
  readonly name: string;
  readonly tokenizer: OnnxTokenizer;
  readonly maxTokens: number;
  /** Kinds of segments that the model tells apart. */
  readonly types: number;
}

/** Question and passage, once for every window of the passage. */
function pairsOf(
  query: string,
  texts: readonly string[],
  { name, tokenizer, maxTokens, types }: Reading,
): readonly { readonly text: number; readonly sequence: Sequence }[] {
  const question = tokenizer.ids(query);
  const room = maxTokens - tokenizer.pair(question, []).ids.length;
  if (room < LEAST_ROOM * maxTokens) {
    throw new RagError(
      'setting-invalid',
      `the question has ${question.length} tokens and leaves no room for a passage among the ${maxTokens} that ${name} reads`,
      { hint: 'ask a shorter question, or choose a model that reads more' },
    );
  }
  return texts.flatMap((passage, text) =>
    windows(tokenizer.ids(passage), room).map((window) => {
      const { ids, typeIds } = tokenizer.pair(question, window);
      return { text, sequence: types > 1 && typeIds !== undefined ? { ids, typeIds } : { ids } };
    }),
  );
}

const typesOf = ({ config }: ModelFolder): number => Number(config['type_vocab_size'] ?? 2);

/** What a model of three labels or more means by them, only its card says. */
function checkLabels({ name, config }: ModelFolder): void {
  const labels = Object.keys(config['id2label'] ?? { 0: '' }).length;
  if (labels <= 2) return;
  throw new RagError('setting-invalid', `the model ${name} gives ${labels} labels and no score of relevance`, {
    hint: 'choose a cross-encoder that was made for ranking',
  });
}

/** The one logit; of two, by how much the second (relevant) is above the first. The sigmoid would not change the order. */
function relevance(logits: Float32Array, name: string): number {
  const [first = NaN, second = 0] = logits;
  if (logits.length === 1) return first;
  if (logits.length === 2) return second - first;
  throw new RagError('driver-unavailable', `the model ${name} gives ${logits.length} numbers for a pair, not one`, {
    hint: 'choose a cross-encoder that was made for ranking',
  });
}
