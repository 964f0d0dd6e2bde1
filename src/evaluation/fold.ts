/** Text as it is compared with a label: letter case, white space and Markdown marks folded. */

/** Link and image syntax gives way to its words; the brackets' own limits keep this linear. */
const LINK = /!?\[([^[\]]*)\](?:\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+"[^"]*")?\)|\[[^[\]]*\])/g;
/** What may begin a line: headings, quotes, bullets, numbers, in any nesting. */
const LINE_MARKS = /^[ \t]*(?:(?:#{1,6}|>|[-*+]|\d{1,9}[.)])[ \t]+|>)+/gm;
const INLINE_MARKS = /[*_`~\\]/g;

export function fold(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(LINK, '$1')
    .replace(LINE_MARKS, '')
    .replace(INLINE_MARKS, '')
    .replaceAll('|', ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Whether the folded `text` contains the folded `part`; a part of nothing but marks (`**`) is looked up as it is. */
export function containsFolded(text: string, part: string): boolean {
  const folded = fold(part);
  return folded === '' ? part.trim() !== '' && text.includes(part.trim()) : fold(text).includes(folded);
}
