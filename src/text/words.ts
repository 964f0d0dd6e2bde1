/**
 * Words and identifiers of a text, as the keyword index and the extractive generator see them.
 *
 *     Set DB_HOST in vite.config.ts (see 数据库端口)
 *     ^^^ ^^^^^^^ ^^ ^^^^ ^^^^^^ ^^  ^^^  ^^^ ^^
 *
 * A version number (`5.4.1`) is one word.
 */

export interface Word {
  /** Folded: NFKC, lower case. */
  readonly text: string;
  /** An identifier's own spelling (`DB_HOST`, `createServer`, `utf8`): it is also cut into {@link parts}. */
  readonly parts: readonly string[];
  /** UTF-16 offset in the text that was given. */
  readonly start: number;
  readonly end: number;
  /** Of a script that writes no spaces between words. */
  readonly unspaced: boolean;
}

/** Scripts without spaces between words: cut by the platform's dictionary (ICU). */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;
const HAS_UNSPACED = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[\ud840-\ud87f]/;
const WORD = /\d+(?:\.\d+)+|[\p{L}\p{N}_][\p{L}\p{N}\p{M}_]*(?:['’][\p{L}]{1,2}(?![\p{L}\p{N}_]))?/gu;
const ASCII_WORD = /\d+(?:\.\d+)+|[A-Za-z0-9_]+(?:['’][A-Za-z]{1,2}(?![A-Za-z0-9_]))?/g;
const NON_ASCII = /[^\x00-\x7f’‘“”–—…→←•©®™✓✔✗×]/;
/** Boundaries inside an identifier: `_`, aB, ABc, and between letters and digits. */
const PART = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\x00-\x7f_]+/g;
const IDENTIFIER = /_|[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]|[A-Z]{2}[a-z]/;

let segmenter: Intl.Segmenter | undefined;

/** All words, in order. Runs in time linear in the text. */
export function words(text: string): Word[] {
  const found: Word[] = [];
  if (!NON_ASCII.test(text)) {
    for (const match of text.matchAll(ASCII_WORD)) pushWord(found, match[0], match.index);
    return found;
  }
  if (!HAS_UNSPACED.test(text)) {
    for (const match of text.matchAll(WORD)) pushWord(found, match[0], match.index);
    return found;
  }
  let last = 0;
  for (const run of text.matchAll(UNSPACED)) {
    spaced(found, text, last, run.index);
    unspaced(found, run[0], run.index);
    last = run.index + run[0].length;
  }
  spaced(found, text, last, text.length);
  return found;
}

/** The same words as they are written, a few times as fast; `undefined` for a text that needs a dictionary to be cut. */
export function spellings(text: string): readonly string[] | undefined {
  if (!NON_ASCII.test(text)) return text.match(ASCII_WORD) ?? [];
  return HAS_UNSPACED.test(text) ? undefined : (text.match(WORD) ?? []);
}

function spaced(found: Word[], text: string, start: number, end: number): void {
  if (start >= end) return;
  for (const match of text.slice(start, end).matchAll(WORD)) pushWord(found, match[0], start + match.index);
}

/** Long runs are segmented in pieces: ICU's dictionary search is linear, its result objects are not free. */
function unspaced(found: Word[], run: string, offset: number): void {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  for (let at = 0; at < run.length; at += 2000) {
    for (const { segment, index, isWordLike } of segmenter.segment(run.slice(at, at + 2000))) {
      if (isWordLike !== true) continue;
      const start = offset + at + index;
      found.push({ text: fold(segment), parts: [], start, end: start + segment.length, unspaced: true });
    }
  }
}

function pushWord(found: Word[], raw: string, start: number): void {
  const parts = IDENTIFIER.test(raw) ? identifierParts(raw) : [];
  found.push({ text: fold(raw), parts, start, end: start + raw.length, unspaced: false });
}

function identifierParts(raw: string): string[] {
  const parts = raw.match(PART) ?? [];
  return parts.length < 2 && parts[0]?.length === raw.length ? [] : parts.map(fold);
}

const ASCII_ONLY = /^[\x00-\x7f]*$/;

/** NFKC, lower case, straight apostrophes. Accents are kept here: stemmers need them. */
export function fold(text: string): string {
  return ASCII_ONLY.test(text) ? text.toLowerCase() : text.normalize('NFKC').toLowerCase().replaceAll('’', "'");
}

/** Latin, Greek and Cyrillic accents out: `münchen` and `munchen` are one term. */
export function stripAccents(text: string): string {
  return ASCII_ONLY.test(text)
    ? text
    : text
        .normalize('NFD')
        .replace(/[\u0300-\u036f]/g, '')
        .normalize('NFC');
}
