/**
 * What single lines of MediaWiki text are. Besides MediaWiki's own marks these read what converters leave of them:
 * code fences, and headings that a wrong pattern has torn apart (seed 003's own export is full of both).
 */

/** Of a heading: its level, its words with inline marks, and how many lines it takes. */
export interface WikiHeading {
  readonly level: number;
  readonly source: string;
  readonly lines: number;
}

/** Reads a line by its number; `''` outside of the text. */
export type ReadLine = (line: number) => string;

/**
 *     == Title ==            level 2
 *     ## Title               level 2, between blank lines: else it is an item of a numbered list
 *     ## = Title ⏎ =         level 3, and
 *     ## ⏎ Title ⏎ ##        level 4: what `== (.*?) ==` → `## $1` made of `=== Title ===` and `==== Title ====`
 *     ## ⏎ = Title ⏎ ## ⏎ =  level 5
 */
export function wikiHeading(read: ReadLine, at: number): WikiHeading | undefined {
  const line = read(at).trim();
  if (line.startsWith('=')) return ownHeading(line);
  if (!line.startsWith('##')) return undefined;
  const hashes = marksAtStart(line, '#');
  const rest = line.slice(hashes).trim();
  const level = (marks: number): number => Math.min(hashes + marks, 6);
  if (rest === '') {
    if (read(at + 2).trim() !== line) return undefined;
    const torn = read(at + 1).trim();
    const marks = marksAtStart(torn, '=');
    const source = torn.slice(marks).trim();
    if (source === '') return undefined;
    const closed = marks > 0 && isEqualsOnly(read(at + 3));
    return { level: level(hashes + (closed ? marks : 0)), source, lines: closed ? 4 : 3 };
  }
  const marks = marksAtStart(rest, '=');
  if (marks > 0 && isEqualsOnly(read(at + 1))) {
    const source = rest.slice(marks).trim();
    return source === '' ? undefined : { level: level(marks), source, lines: 2 };
  }
  const alone = read(at - 1).trim() === '' && read(at + 1).trim() === '';
  return alone && line.charAt(hashes) === ' ' ? { level: level(0), source: rest, lines: 1 } : undefined;
}

function ownHeading(line: string): WikiHeading | undefined {
  const opening = marksAtStart(line, '=');
  let closing = 0;
  while (closing < line.length && line.charAt(line.length - 1 - closing) === '=') closing++;
  const level = Math.min(opening, closing, 6);
  const source = line.slice(level, -level).trim();
  return level === 0 || opening === line.length || source === '' ? undefined : { level, source, lines: 1 };
}

/** A line of nothing but `=` or `##`: the rest of a torn heading. */
export const isTornMark = (line: string): boolean => /^(?:=+|##+)$/u.test(line.trim());

const isEqualsOnly = (line: string): boolean => /^=+$/u.test(line.trim());

export function marksAtStart(line: string, marks: string): number {
  let length = 0;
  while (length < line.length && marks.includes(line.charAt(length))) length++;
  return length;
}

/**
 * Length of the marks of a list: `*`, `#:`, `;`, and the numbers of Markdown. `**word** …` is no list but bold text.
 *
 *     :** nested item           :**bold** text            2. second
 *     ^^^                       ^                         ^^
 */
export function listMarks(line: string): number {
  const number = /^\d{1,3}[.)](?= )/u.exec(line.slice(0, 6));
  if (number !== null) return number[0].length;
  const marks = marksAtStart(line, '*#:;');
  const bold = line.startsWith('**', marks - 2) && /^\S/u.test(line.slice(marks)) && line.includes('**', marks);
  return bold && marks >= 2 ? marks - 2 : marks;
}

/** `__TOC__`, `__NOTOC__` and their like, alone on a line. */
export const isMagicWord = (line: string): boolean => /^\s*__[A-Z]{2,30}__\s*$/u.test(line);

export const isRule = (line: string): boolean => /^-{4,}\s*$/u.test(line);

/** `Build tools` of `[[Category:Build tools|sort key]]`, and of what is left of it without brackets. */
export function categoryOf(line: string): string | undefined {
  const [, bracketed, bare] =
    /^(?:\[\[Category:([^\][|]{1,200})[^\]]{0,200}\]\]|Category:(\S[^.!?]{0,100}))$/iu.exec(line.trim()) ?? [];
  return (bracketed ?? bare)?.trim();
}

/** Where the caption of an image stands in its line. */
export interface Caption {
  readonly start: number;
  readonly end: number;
}

const FILE_LINK = /^(\[\[)?(?:File|Image):[^|\]]{0,300}\|?/iu;
/** Says by itself that a line is an image; the others may be words of a sentence. */
const FORMAT = /^(?:\d*x?\d+px|thumb(?:nail)?|frame(?:d|less)?)$/iu;
const PLACEMENT =
  /^(?:border|left|right|cent(?:er|re)|none|upright|baseline|middle|top|bottom|(?:alt|link|page|class|lang|upright|thumb)=.{0,300})$/iu;

/**
 *     [[File:a.png|600px|thumb|left|The wallet]]
 *     File:a.png|The wallet                          in a gallery
 *     600px|thumb|left|The wallet                    what converters leave of it
 *                      ^^^^^^^^^^
 */
export function imageCaption(line: string): Caption | undefined {
  const [link, bracket] = FILE_LINK.exec(line) ?? [];
  const length = line.trimEnd().length;
  if (bracket !== undefined && !line.endsWith(']]', length)) return undefined; // text follows, or it goes on
  const end = bracket === undefined ? length : length - 2;
  let start = link?.length ?? 0;
  let isImage = link !== undefined;
  while (start < end) {
    const bar = line.indexOf('|', start);
    const part = line.slice(start, bar < 0 || bar > end ? end : bar).trim();
    const format = FORMAT.test(part);
    if (!format && !PLACEMENT.test(part)) break;
    isImage ||= format;
    start = bar < 0 || bar > end ? end : bar + 1;
  }
  return isImage ? { start, end } : undefined;
}
