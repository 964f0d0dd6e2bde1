import type { Span } from '../../core/types.ts';

const IMAGE = /!\[[^\]\n]{0,500}\]\([^()\n]{0,2000}\)/g;
const LINK = /\[([^\]\n]{1,500})\]\([^()\n]{0,2000}\)/g;
const TAG = /<\/?[A-Za-z][^<>\n]{0,1000}>/g;
const ANCHOR_ID = /\s*\{#[\w-]{1,100}\}/g;

/**
 * A quote as it is shown: still Markdown, with code and emphasis, but without what would load or lead elsewhere
 * (images, link targets, tags). Code is left alone.
 */
export function displayText(text: string, spans: readonly Span[]): string {
  return spans
    .map(({ start, end }) => text.slice(start, end))
    .map((quote) =>
      quote
        .split(/(```[^]*?```|`[^`\n]+`)/)
        .map((part, index) => (index % 2 === 1 ? part : plain(part)))
        .join(''),
    )
    .join('\n')
    .trim();
}

const plain = (markdown: string): string =>
  markdown.replace(IMAGE, '').replace(LINK, '$1').replace(TAG, '').replace(ANCHOR_ID, '');
