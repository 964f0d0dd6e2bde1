import type { Chunk } from '../core/types.ts';

/** What a model is given of a chunk: where it stands, and its words without marks. */
export const passageText = (chunk: Chunk): string => `${chunk.context}\n${chunk.searchText ?? chunk.text}`;
