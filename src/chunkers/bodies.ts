/** A document by its headings. */
import type { Block, Document, Section } from '../core/types.ts';

/** A heading with what stands directly below it, up to the next heading of any level. */
export interface Body {
  readonly section: Section | undefined;
  readonly blocks: readonly Block[];
}

/** Blocks by the heading they stand under; a heading with nothing below it joins the next one. */
export function bodies(document: Document): Body[] {
  const found: { section: Section | undefined; blocks: Block[] }[] = [];
  const byStart = new Map(document.sections.map((section) => [section.headingSpan.start, section]));
  let bare = true;
  for (const block of document.blocks) {
    const section = block.kind === 'heading' ? byStart.get(block.span.start) : undefined;
    const current = found.at(-1);
    if (current === undefined) found.push({ section, blocks: [block] });
    else if (section === undefined) current.blocks.push(block);
    else if (bare && current.section !== undefined && section.level > current.section.level) {
      current.section = section;
      current.blocks.push(block);
    } else found.push({ section, blocks: [block] });
    bare = section !== undefined;
  }
  return found;
}
