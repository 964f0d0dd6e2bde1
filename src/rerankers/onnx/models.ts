/** Cross-encoders by their short names; a model that is not here is used by its own files, which say all that it takes. */
import type { ModelNames } from '../../onnx/known-models.ts';

export const KNOWN_RERANKERS: readonly ModelNames[] = [
  {
    names: ['ms-marco-minilm', 'ms-marco-minilm-l6'],
    hub: 'cross-encoder/ms-marco-MiniLM-L-6-v2',
    folders: ['ms-marco-MiniLM-L-6-v2', 'ms-marco-MiniLM-L6-v2'],
  },
  {
    names: ['ms-marco-minilm-l12'],
    hub: 'cross-encoder/ms-marco-MiniLM-L-12-v2',
    folders: ['ms-marco-MiniLM-L-12-v2', 'ms-marco-MiniLM-L12-v2'],
  },
  { names: ['bge-reranker', 'bge-reranker-base'], hub: 'BAAI/bge-reranker-base', folders: ['bge-reranker-base'] },
];
