/**
 * How a model that nobody has described here is used: by what sentence-transformers wrote beside its weights. Where
 * these files do not say it, the model is refused: with the wrong pooling it would answer, badly and in silence.
 */
import { RagError } from '../../core/errors.ts';
import { lacks, maxTokensOf } from '../../onnx/limits.ts';
import type { ModelFolder } from '../../onnx/model-folder.ts';
import { knownModel } from '../models.ts';
import type { EmbeddingRecipe, Pooling } from '../models.ts';

type Json = Readonly<Record<string, unknown>>;

/** @throws RagError `setting-invalid`, naming what the folder lacks or what is not supported */
export async function recipeOf(folder: ModelFolder): Promise<EmbeddingRecipe> {
  const known = knownModel(folder.name);
  if (known === undefined) return recipeFromFiles(folder);
  const { pooling, prompts, maxTokens, dimensions, shortened } = known;
  return { pooling, prompts, maxTokens, dimensions, ...(shortened === undefined ? {} : { shortened }) };
}

async function recipeFromFiles(folder: ModelFolder): Promise<EmbeddingRecipe> {
  const [modules, pooling, prompts] = await Promise.all([
    folder.optional('modules.json'),
    folder.optional('1_Pooling/config.json'),
    folder.optional('config_sentence_transformers.json'),
  ]);
  const dense = ((modules ?? []) as readonly Json[]).find(({ type }) => String(type).endsWith('.Dense'));
  if (dense !== undefined) {
    throw new RagError(
      'setting-invalid',
      `the model ${folder.name} has a further layer (${String(dense['path'])}), which its ONNX file lacks`,
      {
        hint: 'choose a model whose vectors are pooled token vectors',
      },
    );
  }
  if (pooling === undefined) {
    throw new RagError(
      'setting-invalid',
      `the model ${folder.name} is not a known one and has no 1_Pooling/config.json, which says how its token vectors become one`,
      {
        hint: `add 1_Pooling/config.json from the model's page to ${folder.path}`,
      },
    );
  }
  const dimensions = folder.config['hidden_size'] ?? folder.config['n_embd'];
  if (typeof dimensions !== 'number') throw lacks(folder, 'config.json', 'hidden_size');
  return {
    pooling: poolingOf(pooling as Json, folder),
    prompts: promptsOf(((prompts as Json | undefined)?.['prompts'] ?? {}) as Json),
    maxTokens: await maxTokensOf(folder),
    dimensions,
  };
}

/** In sentence-transformers' words. */
const POOLING: Readonly<Record<string, Pooling>> = {
  pooling_mode_mean_tokens: 'mean',
  pooling_mode_cls_token: 'cls',
  pooling_mode_lasttoken: 'last',
};

function poolingOf(config: Json, { name }: ModelFolder): Pooling {
  const modes = Object.keys(config).filter((key) => key.startsWith('pooling_mode_') && config[key] === true);
  const [mode] = modes;
  const pooling = mode === undefined ? undefined : POOLING[mode];
  if (modes.length === 1 && pooling !== undefined) return pooling;
  const found = modes.length === 0 ? 'none' : modes.join(' and ');
  throw new RagError(
    'setting-invalid',
    `the model ${name} pools its token vectors in a way that is not supported: ${found}`,
    {
      hint: `supported is one of ${Object.keys(POOLING).join(', ')}`,
    },
  );
}

/** Models name the prompt of passages as they like. */
function promptsOf(prompts: Json): EmbeddingRecipe['prompts'] {
  const first = (names: readonly string[]): string => {
    return names.map((name) => prompts[name]).find((prompt) => typeof prompt === 'string') ?? '';
  };
  return {
    query: first(['query', 'search_query']),
    passage: first(['passage', 'document', 'corpus', 'search_document']),
  };
}
