/** What is embedded and searched with a chunk beside its words: where it stands. */
import type { Document, Section } from '../core/types.ts';
import type { CountTokens } from '../text/cut.ts';

/**
 * Writes "Title > Heading > Subheading", the title once, in at most `room` tokens: of longer ones the outer parts are
 * left out first, and what is still too long (a title of 300 words) is cut.
 */
export function contextWriter(
  document: Document,
  room: number,
  count: CountTokens,
): (section: Section | undefined) => string {
  // The same headings stand above many chunks: each is measured once.
  const known = new Map<string, { readonly text: string; readonly tokens: number }>();
  const shortened = (part: string): { readonly text: string; readonly tokens: number } => {
    let own = known.get(part);
    if (own === undefined) {
      const text = beginningOf(part, room, count);
      known.set(part, (own = { text, tokens: count(text) }));
    }
    return own;
  };
  const separator = count(SEPARATOR);
  return (section) => {
    const path = section?.path ?? [];
    const parts = path[0] === document.title ? path : [document.title, ...path];
    const written: string[] = [];
    let left = room;
    for (const part of parts.map(shortened).reverse()) {
      left -= part.tokens + (written.length > 0 ? separator : 0);
      if (left < 0) break;
      written.push(part.text);
    }
    return written.reverse().join(SEPARATOR);
  };
}

const SEPARATOR = ' > ';

/** As many characters as fit, without half a surrogate pair. */
function beginningOf(text: string, room: number, count: CountTokens): string {
  // More than 100 characters a token are hardly read by anyone; and so no title costs more than its beginning.
  let fits = text.slice(0, room * 100);
  for (let tokens = count(fits); tokens > room; tokens = count(fits)) {
    fits = fits.slice(0, Math.floor((fits.length * room * 0.95) / tokens));
  }
  return fits.length === text.length ? text : fits.replace(/[\ud800-\udbff]$/, '').trimEnd();
}
