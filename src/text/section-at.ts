/** Which section, and which block, a place of a document belongs to. All are in order, so by halving. */
import type { Block, Document, Section, Span } from '../core/types.ts';

/** The innermost section at a place: that of the last heading before it. */
export function sectionAt(sections: readonly Section[], place: number): Section | undefined {
  return sections[firstWhere(sections, ({ span }) => span.start > place) - 1];
}

/**
 * The innermost section that holds all of a span but the headings that it begins with: of "# A, ## B, text" B, and of
 * "# A, text, ## B, text" A.
 */
export function sectionOf(
  { blocks, sections }: Pick<Document, 'blocks' | 'sections'>,
  span: Span,
): Section | undefined {
  let body = firstTouching(blocks, span.start);
  while (blocks[body]?.kind === 'heading') body++;
  const start = Math.min(Math.max(span.start, blocks[body]?.span.start ?? 0), span.end - 1);
  let at = firstWhere(sections, (section) => section.span.start > start) - 1;
  while (at >= 0 && (sections[at] as Section).span.end < span.end) at--;
  return sections[at];
}

/** Index of the first block that ends behind a place. */
export const firstTouching = (blocks: readonly Block[], place: number): number =>
  firstWhere(blocks, ({ span }) => span.end > place);

function firstWhere<T>(list: readonly T[], holds: (item: T) => boolean): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(list[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}
