/**
 * Even pieces (seed 001, "Chunking Strategy"): as many lines as `maxTokens` takes, each piece repeating the end of the
 * one before. Headings are lines like others.
 */
import type { Chunker } from '../core/contracts.ts';
import { sectionAt } from '../text/section-at.ts';
import { fillUnits, lineUnits } from '../text/token-spans.ts';
import { toChunks } from './drafts.ts';
import type { ChunkerOptions } from './options.ts';
import { rooms } from './rooms.ts';
import type { Room } from './rooms.ts';

export default function fixedTokens(options: ChunkerOptions): Chunker {
  const { countTokens, overlapTokens } = options;
  return {
    chunk(document) {
      const { text, blocks, sections } = document;
      const roomOf = rooms(document, options);
      const roomAt = (place: number): Room => roomOf(sectionAt(sections, place));
      const units = blocks.flatMap(({ span }) => lineUnits(text, span, roomAt(span.start).tokens, countTokens));
      const filled = fillUnits(text, units, {
        overlapTokens,
        countTokens,
        limitOf: ({ span }) => roomAt(span.start).tokens,
      });
      const drafts = filled.map(({ span, first }) => ({ ...roomAt(first.span.start), span }));
      return toChunks(document, drafts, options);
    },
  };
}
