import type { Span } from '../../core/types.ts';

/** Code, which is left alone; images; links, whose text may hold code; tags; ids of headings. */
const MARKS =
  /(?<code>```[^]*?```|`[^`\n]+`)|!\[[^\]\n]{0,500}\]\([^()\n]{0,2000}\)|\[(?<label>(?:[^\]`\n]|`[^`\n]{1,500}`){1,500})\]\([^()\n]{0,2000}\)|<\/?[A-Za-z][^<>\n]{0,1000}>|\s{0,20}\{#[\w-]{1,100}\}/g;

/**
 * A quote as it is shown: still Markdown, with code and emphasis, but without what would load or lead elsewhere
 * (images, link targets, tags). Code is left alone.
 *
 * @param verbatim places of the text in which such marks are characters like others, in order.
 */
export function displayText(text: string, spans: readonly Span[], verbatim: readonly Span[] = []): string {
  return spans
    .map((span) => withoutMarks(text, span, verbatim))
    .join('\n')
    .trim();
}

function withoutMarks(text: string, { start, end }: Span, verbatim: readonly Span[]): string {
  let shown = '';
  let at = start;
  for (const code of verbatim) {
    if (code.end <= at || code.start >= end) continue;
    shown += text.slice(at, Math.max(at, code.start)).replace(MARKS, '$<code>$<label>');
    shown += text.slice(Math.max(at, code.start), Math.min(end, code.end));
    at = Math.min(end, code.end);
  }
  return shown + text.slice(at, end).replace(MARKS, '$<code>$<label>');
}
