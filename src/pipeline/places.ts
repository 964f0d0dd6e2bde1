/** Where the passages of an answer are: the chunks that were found with those around them, or whole sections. */
import type { Store } from '../core/contracts.ts';
import { parentSpan } from '../core/identity.ts';
import type { Chunk, Document, Hit, Span } from '../core/types.ts';
import { sectionOf } from '../text/section-at.ts';
import { takes } from './budget.ts';
import type { Budget } from './budget.ts';

/** A part of a document that becomes a passage, as far as the budget goes. Places share no text. */
export interface Place {
  readonly documentId: string;
  /** Best first. */
  readonly hits: readonly Hit[];
  /** @param left What the passage may take. */
  span(left: Budget): Promise<Span>;
  /** What stands over it. */
  readonly heading: Pick<Hit['chunk'], 'headingPath' | 'url'>;
}

interface Group {
  readonly documentId: string;
  hits: Hit[];
  /** Positions of the chunks that the passage spans, `[from, to)`. */
  from: number;
  to: number;
}

/** The chunks that were found, each with so many before and after it. */
export function chunkPlaces(hits: readonly Hit[], neighbours: number, store: Store, text: DocumentText): Place[] {
  return groupNeighbours(hits, neighbours).map((group) => ({
    ...group,
    heading: (group.hits[0] as Hit).chunk,
    async span(left) {
      const { documentId, from, to } = group;
      const chunks = await store.neighbours(documentId, from - neighbours, to + neighbours);
      return spanOf(group, chunks, await text(documentId), left);
    },
  }));
}
