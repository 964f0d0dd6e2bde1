/** What stands over each chunk, and what room it leaves: for chunkers that do not cut at every heading. */
import type { Document, Section } from '../core/types.ts';
import { contextWriter } from './context.ts';
import { SPECIAL_TOKENS } from './options.ts';
import type { ChunkerOptions } from './options.ts';

export interface Room {
  readonly section: Section | undefined;
  readonly context: string;
  /** Tokens that are left for the text of a chunk when its context and the model's own marks are in. */
  readonly tokens: number;
}

/** The room of a chunk that begins in a section. */
export function rooms(
  document: Document,
  { maxTokens, countTokens }: Pick<ChunkerOptions, 'maxTokens' | 'countTokens'>,
): (section: Section | undefined) => Room {
  const most = maxTokens - SPECIAL_TOKENS;
  const contextOf = contextWriter(document, Math.floor(most / 2), countTokens);
  const known = new Map<Section | undefined, Room>();
  return (section) => {
    let room = known.get(section);
    if (room === undefined) {
      const context = contextOf(section);
      known.set(section, (room = { section, context, tokens: most - countTokens(context) }));
    }
    return room;
  };
}
