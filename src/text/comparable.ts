/**
 * Words alone, for comparing a statement with its quote: letter case, white space and Markdown marks are folded.
 * Never used for places: those compare exactly.
 */
export function comparableText(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/!?\[([^\]\n]{0,500})\]\([^()\s]{0,2000}(?:\s{1,20}"[^"\n]{0,500}")?\)/g, '$1')
    .replace(/<\/?[A-Za-z][^<>]*>/g, ' ')
    .replace(/[*_`~#>|\\]+/g, ' ')
    .replace(/^[ \t]*(?:[-+•]|\d{1,9}[.)])\s+/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}
