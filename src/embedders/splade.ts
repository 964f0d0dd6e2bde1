/**
 * Learned sparse vectors with SPLADE (Formal, Lassance, Piwowarski & Clinchant 2021): a masked language model says for
 * every token which words of its vocabulary fit there; a text's weight of a word is the largest log(1 + relu(logit))
 * over its tokens. So a text is also found by words that it does not contain. The weights are loaded with the first text.
 *
 * As in the paper's own code, only padding is masked: the model was trained with what it says at `[CLS]` and `[SEP]`.
 */
import type { SparseEmbedder } from '../core/contracts.ts';
import { RagError } from '../core/errors.ts';
import { sha256 } from '../core/identity.ts';
import type { SparseVector } from '../core/types.ts';
import { maxTokensOf } from '../onnx/limits.ts';
import { openOnnx } from '../onnx/open.ts';
import type { OnnxOptions } from '../onnx/open.ts';
import { outputOf, runSequences } from '../onnx/sequences.ts';
import type { Sequence } from '../onnx/sequences.ts';
import type { OnnxDevice } from '../onnx/session.ts';
import { windows } from '../onnx/windows.ts';

export interface SpladeOptions extends OnnxOptions {
  /** A folder, or `ORGANISATION/NAME` on the hub. */
  readonly model: string;
}

/** Words of a text that are kept: see `docs/embedders.md`, "Learned sparse vectors". */
const MOST_WORDS = 256;
/** Texts a run: each needs tokens × vocabulary numbers, 60 MB for 512 tokens. */
const RUN_SIZE: Readonly<Record<OnnxDevice, number>> = { cpu: 1, cuda: 8, webgpu: 4 };

/**
 * @throws RagError `driver-missing` when the packages are not installed, `setting-invalid` for an unknown model or
 * device, `driver-unavailable` when the model cannot be had, or, with the first text, cannot be loaded
 */
export default async function spladeEmbedder(options: SpladeOptions): Promise<SparseEmbedder> {
  const { folder, tokenizer, session } = await openOnnx(options);
  const maxTokens = await maxTokensOf(folder);
  const vocabulary = folder.config['vocab_size'];
  const { before, after } = tokenizer;
  const windowsOf = (text: string): readonly Sequence[] =>
    windows(tokenizer.ids(text), maxTokens - before.length - after.length).map((ids) => ({
      ids: [...before, ...ids, ...after],
    }));
  const runSize = RUN_SIZE[options.device];
  return {
    model: `${folder.name}@${sha256(`${await folder.fingerprint()}\n${MOST_WORDS}`).slice(0, 12)}`,
    maxTokens,
    async embed(texts, _as, { signal } = {}) {
      if (texts.length === 0) return [];
      const all = texts.flatMap((text, at) => windowsOf(text).map((sequence) => ({ text: at, sequence })));
      const call = signal === undefined ? {} : { signal };
      const signature = await session.signature(call);
      // Exports name it as they like; that it is one number a word is checked below.
      const names = signature.outputNames.length === 1 ? signature.outputNames : ['logits'];
      const output = outputOf(signature, names, 'a masked language model');
      const sequences = all.map(({ sequence }) => sequence);
      const rows = await runSequences(sequences, { ...call, session, output, pooling: 'max', runSize });
      const ofText: Float32Array[][] = texts.map(() => []);
      all.forEach(({ text }, i) => ofText[text]?.push(rows[i] as Float32Array));
      return ofText.map((logits) => {
        if (logits[0]?.length !== vocabulary) throw noVocabulary(folder.name, logits[0]?.length ?? 0);
        return sparse(largest(logits));
      });
    },
    close: () => session.close(),
  };
}

const noVocabulary = (name: string, width: number): RagError =>
  new RagError('driver-unavailable', `the model ${name} gives ${width} numbers a token, and not one for every word`, {
    hint: 'choose a SPLADE model, which is a masked language model',
  });

/** Element by element, over the windows of a text. */
function largest(rows: readonly Float32Array[]): Float32Array {
  const [first, ...others] = rows as readonly [Float32Array, ...Float32Array[]];
  return others.length === 0
    ? first
    : first.map((value, i) => Math.max(value, ...others.map((row) => row[i] as number)));
}

/** The largest weights, by ascending index; of equal ones those with the lower index. */
function sparse(logits: Float32Array): SparseVector {
  const found: number[] = [];
  logits.forEach((logit, index) => {
    if (logit > 0) found.push(index);
  });
  const kept = found
    .sort((a, b) => (logits[b] as number) - (logits[a] as number) || a - b)
    .slice(0, MOST_WORDS)
    .sort((a, b) => a - b);
  return {
    indices: Uint32Array.from(kept),
    values: Float32Array.from(kept, (index) => Math.log1p(logits[index] as number)),
  };
}
