/** Where the passages of an answer are: the chunks that were found, with those around them. */
import type { Store } from '../core/contracts.ts';
import type { Chunk, Document, Hit, Span } from '../core/types.ts';
import { half, takes } from './budget.ts';
import type { Budget } from './budget.ts';

/** A part of a document that becomes a passage, as far as the budget goes. Places share no text. */
export interface Place {
  readonly documentId: string;
  /** Best first. */
  readonly hits: readonly Hit[];
  /** @param left What the passage may take; what is longer is cut at its end. */
  span(document: Document, left: Budget): Promise<Span>;
  /** What stands over it. */
  heading(document: Document): Pick<Chunk, 'headingPath' | 'url'>;
}

/** The chunks that were found, each with so many before and behind it. */
export function chunkPlaces(hits: readonly Hit[], neighbours: number, store: Store): Place[] {
  return groupNeighbours(hits, neighbours).map((group) => ({
    documentId: group.documentId,
    hits: group.hits,
    async span(document, left) {
      const { documentId, from, to } = group;
      const chunks = await store.neighbours(documentId, from - neighbours, to + neighbours);
      const own = chunks.filter(({ position }) => position >= from && position < to);
      const wide = hull(chunks);
      const isWide = own.length > 0 && !takes(half(left), document.text.slice(wide.start, wide.end));
      return isWide ? hull(own) : wide;
    },
    heading: () => (group.hits[0] as Hit).chunk,
  }));
}

interface Group {
  readonly documentId: string;
  hits: Hit[];
  /** Positions of the chunks that the passage spans, `[from, to)`. */
  from: number;
  to: number;
}

/**
 * Hits of the same document become one group, at the rank of its best hit, when nothing stands between them once each
 * has its neighbours: so passages never repeat each other's text.
 */
function groupNeighbours(hits: readonly Hit[], neighbours: number): Group[] {
  const reach = 1 + 2 * neighbours;
  const groups: Group[] = [];
  for (const hit of hits) {
    const { documentId, position } = hit.chunk;
    const near = groups.filter(
      (group) => group.documentId === documentId && position >= group.from - reach && position < group.to + reach,
    );
    const [first, second] = near;
    if (first === undefined) groups.push({ documentId, hits: [hit], from: position, to: position + 1 });
    else {
      // A hit may close the gap between two groups.
      first.hits = [...first.hits, ...(second?.hits ?? []), hit];
      first.from = Math.min(first.from, second?.from ?? position, position);
      first.to = Math.max(first.to, second?.to ?? 0, position + 1);
      if (second !== undefined) groups.splice(groups.indexOf(second), 1);
    }
  }
  return groups;
}

const hull = (chunks: readonly Chunk[]): Span => ({
  start: Math.min(...chunks.map((chunk) => chunk.span.start)),
  end: Math.max(...chunks.map((chunk) => chunk.span.end)),
});
