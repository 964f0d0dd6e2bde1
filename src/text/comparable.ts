/**
 * Words alone, for comparing a statement with its quote: letter case, white space and Markdown marks are folded.
 * Never used for places: those compare exactly.
 */
export function comparableText(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/!?\[([^\]\n]*)\]\([^()\s]*(?:\s+"[^"\n]*")?\)/g, '$1')
    .replace(/<\/?[A-Za-z][^<>]*>/g, ' ')
    .replace(/[*_`~#>|\\]+/g, ' ')
    .replace(/^\s*(?:[-+•]|\d+[.)])\s+/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}
