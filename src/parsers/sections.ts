/** Headings to sections: titles as people read them, spans, paths and anchors. */
import type { Section } from '../core/types.ts';
import { anchorMaker, splitCustomId, type AnchorMaker } from './anchors.ts';
import { inlineText } from './inline-text.ts';
import type { Heading } from './markdown-blocks.ts';
import { shortTitle } from './short-title.ts';

/** Headings without readable text make no section: there is nothing to call it. */
export function sectionsOf(
  headings: readonly Heading[],
  textLength: number,
  isReference: (label: string) => boolean,
  anchor: AnchorMaker = anchorMaker(),
): readonly Section[] {
  const sections: (Omit<Section, 'span'> & { readonly span: { readonly start: number; end: number } })[] = [];
  const open: typeof sections = [];
  for (const { level, source, span } of headings) {
    const { text, customId } = splitCustomId(source);
    const heading = inlineText(text, { isReference }).replace(/\s+/gu, ' ').trim();
    if (!/[^\s\p{Cf}\p{Cc}]/u.test(heading)) continue;
    const title = shortTitle(heading);
    while ((open.at(-1)?.level ?? 0) >= level) close(open, span.start);
    const path = [...open.map((section) => section.title), title];
    const section = {
      title,
      level,
      anchor: anchor(heading, customId),
      path,
      span: { start: span.start, end: textLength },
      headingSpan: span,
    };
    sections.push(section);
    open.push(section);
  }
  return sections;
}

function close(open: { readonly span: { end: number } }[], end: number): void {
  const section = open.pop();
  if (section !== undefined) section.span.end = end;
}
