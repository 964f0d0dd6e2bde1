/** How much a model reads, by its own files. */
import { RagError } from '../core/errors.ts';
import type { ModelFolder } from './model-folder.ts';

/** Positions that RoBERTa and MPNet keep for padding. */
const PADDING_POSITIONS = 2;
/** Tokenizers without a limit state 10^30. */
const NO_LIMIT = 1e6;

/**
 * Tokens, special ones included: the smallest of what the files state, because beyond it the model has no positions, or
 * was not trained.
 *
 * @throws RagError `setting-invalid` for a model whose files do not say it
 */
export async function maxTokensOf(folder: ModelFolder): Promise<number> {
  const sentence = (await folder.optional('sentence_bert_config.json')) as ModelFolder['config'] | undefined;
  const positions = folder.config['max_position_embeddings'];
  const kept = ['roberta', 'xlm-roberta', 'camembert', 'mpnet'].includes(String(folder.config['model_type']))
    ? PADDING_POSITIONS
    : 0;
  const limits = [
    sentence?.['max_seq_length'],
    folder.tokenizerConfig['model_max_length'],
    typeof positions === 'number' ? positions - kept : undefined,
  ].filter((limit): limit is number => typeof limit === 'number' && limit > 0 && limit < NO_LIMIT);
  if (limits.length === 0) throw lacks(folder, 'tokenizer_config.json', 'model_max_length');
  return Math.min(...limits);
}

/** For a model that is known by its own files only. */
export const lacks = ({ name, path }: ModelFolder, file: string, key: string): RagError =>
  new RagError('setting-invalid', `the model ${name} is not a known one and its ${file} does not say ${key}`, {
    hint: `add ${key} to ${file} in ${path}`,
  });
