/**
 * What is known of embedding models: how token vectors become one vector, what stands before a text, and how much the
 * model reads. Figures are those of the models' own cards. A model that is not here is understood by its own files.
 */

import { findModel } from '../onnx/known-models.ts';
import type { ModelNames } from '../onnx/known-models.ts';
import type { Pooling } from '../onnx/session.ts';

export type { Pooling };

export interface EmbeddingRecipe {
  readonly pooling: Pooling;
  /** What is written before a question and before a passage; '' for most models. */
  readonly prompts: { readonly query: string; readonly passage: string };
  /** Longest input, special tokens and prompt included. */
  readonly maxTokens: number;
  readonly dimensions: number;
  /** The vector's beginning is a vector too (Matryoshka): how short it may be. */
  readonly shortened?: { readonly least: number; readonly layerNorm: boolean };
}

export interface KnownModel extends EmbeddingRecipe, ModelNames {}

const NO_PROMPTS = { query: '', passage: '' };
const BGE_PROMPTS = { query: 'Represent this sentence for searching relevant passages: ', passage: '' };
const E5_PROMPTS = { query: 'query: ', passage: 'passage: ' };

export const KNOWN_MODELS: readonly KnownModel[] = [
  {
    names: ['bge-small'],
    hub: 'Xenova/bge-small-en-v1.5',
    folders: ['bge-small-en-v1.5'],
    ...{ pooling: 'cls', prompts: BGE_PROMPTS, maxTokens: 512, dimensions: 384 },
  },
  {
    names: ['bge-base'],
    hub: 'Xenova/bge-base-en-v1.5',
    folders: ['bge-base-en-v1.5'],
    ...{ pooling: 'cls', prompts: BGE_PROMPTS, maxTokens: 512, dimensions: 768 },
  },
  {
    names: ['minilm', 'all-minilm-l6'],
    hub: 'Xenova/all-MiniLM-L6-v2',
    folders: ['all-MiniLM-L6-v2'],
    ...{ pooling: 'mean', prompts: NO_PROMPTS, maxTokens: 256, dimensions: 384 },
  },
  {
    names: ['minilm-l12', 'all-minilm-l12'],
    hub: 'Xenova/all-MiniLM-L12-v2',
    folders: ['all-MiniLM-L12-v2'],
    ...{ pooling: 'mean', prompts: NO_PROMPTS, maxTokens: 256, dimensions: 384 },
  },
  {
    // Seed 001 calls it multi-qa-MiniLM-L6-v2; the only model of that family is this one, for cosine.
    names: ['multi-qa-minilm', 'multi-qa-minilm-l6'],
    hub: 'Xenova/multi-qa-MiniLM-L6-cos-v1',
    folders: ['multi-qa-MiniLM-L6-cos-v1', 'multi-qa-MiniLM-L6-v2'],
    ...{ pooling: 'mean', prompts: NO_PROMPTS, maxTokens: 512, dimensions: 384 },
  },
  {
    names: ['mpnet', 'all-mpnet-base'],
    hub: 'Xenova/all-mpnet-base-v2',
    folders: ['all-mpnet-base-v2'],
    ...{ pooling: 'mean', prompts: NO_PROMPTS, maxTokens: 384, dimensions: 768 },
  },
  {
    names: ['e5-small'],
    hub: 'Xenova/e5-small-v2',
    folders: ['e5-small-v2'],
    ...{ pooling: 'mean', prompts: E5_PROMPTS, maxTokens: 512, dimensions: 384 },
  },
  {
    names: ['e5-base'],
    hub: 'Xenova/e5-base-v2',
    folders: ['e5-base-v2'],
    ...{ pooling: 'mean', prompts: E5_PROMPTS, maxTokens: 512, dimensions: 768 },
  },
  {
    names: ['e5-large'],
    hub: 'Xenova/e5-large-v2',
    folders: ['e5-large-v2'],
    ...{ pooling: 'mean', prompts: E5_PROMPTS, maxTokens: 512, dimensions: 1024 },
  },
  {
    names: ['nomic', 'nomic-embed-text'],
    hub: 'nomic-ai/nomic-embed-text-v1.5',
    folders: ['nomic-embed-text-v1.5'],
    pooling: 'mean',
    prompts: { query: 'search_query: ', passage: 'search_document: ' },
    maxTokens: 8192,
    dimensions: 768,
    shortened: { least: 64, layerNorm: true },
  },
  {
    names: ['specter'],
    hub: 'sentence-transformers/allenai-specter',
    folders: ['allenai-specter', 'specter'],
    ...{ pooling: 'cls', prompts: NO_PROMPTS, maxTokens: 512, dimensions: 768 },
  },
];

/** By a short name, by its name on the hub, or by the name of its folder; letter case does not matter. */
export function knownModel(name: string): KnownModel | undefined {
  return findModel(KNOWN_MODELS, name);
}
