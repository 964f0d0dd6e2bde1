import type { Span } from '../../core/types.ts';

/** Code, which is left alone; images; links, whose text may hold code; tags; ids of headings. */
const MARKS =
  /(?<code>```[^]*?```|`[^`\n]+`)|!\[[^\]\n]{0,500}\]\([^()\n]{0,2000}\)|\[(?<label>(?:[^\]`\n]|`[^`\n]{1,500}`){1,500})\]\([^()\n]{0,2000}\)|<\/?[A-Za-z][^<>\n]{0,1000}>|\s{0,20}\{#[\w-]{1,100}\}/g;

/**
 * A quote as it is shown: still Markdown, with code and emphasis, but without what would load or lead elsewhere
 * (images, link targets, tags). Code is left alone.
 */
export function displayText(text: string, spans: readonly Span[]): string {
  return spans
    .map(({ start, end }) => text.slice(start, end).replace(MARKS, '$<code>$<label>'))
    .join('\n')
    .trim();
}
