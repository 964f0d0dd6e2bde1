import type { Block } from '../core/types.ts';
import { lineStarts } from '../text/lines.ts';

/** Runs of lines between blank ones, from offset `start` on; their spans are whole lines without the last line end. */
export function paragraphs(
  text: string,
  start: number,
  kind: 'paragraph' | 'code',
  language?: string,
): readonly Block[] {
  const blocks: Block[] = [];
  const starts = lineStarts(text.slice(start));
  let from = -1;
  for (let line = 0; line <= starts.length; line++) {
    const lineStart = start + (starts[line] ?? text.length - start);
    const content = text.slice(lineStart, start + (starts[line + 1] ?? text.length - start));
    if (line < starts.length && content.trim() !== '') {
      if (from < 0) from = lineStart;
    } else if (from >= 0) {
      const end = from + text.slice(from, lineStart).trimEnd().length;
      blocks.push({ kind, depth: 0, span: { start: from, end }, ...(language === undefined ? {} : { language }) });
      from = -1;
    }
  }
  return blocks;
}
