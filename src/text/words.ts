/**
 * Words and identifiers of a text, as the keyword index and the extractive generator see them.
 *
 *     Set DB_HOST in vite.config.ts (see 数据库端口)
 *     ^^^ ^^^^^^^ ^^ ^^^^ ^^^^^^ ^^  ^^^  ^^^ ^^
 *
 * A version number (`5.4.1`, `v5.4.1`) is one word; so is what a hyphen ties to a number (`WM-90871`, `utf-8`).
 */

export interface Word {
  /** Folded: NFKC, lower case. */
  readonly text: string;
  /** Of an identifier (`DB_HOST`, `createServer`, `utf8`, `__init__`): what it is made of, folded. Empty for others. */
  readonly parts: readonly string[];
  /** Of a script that writes no spaces between words. */
  readonly unspaced: boolean;
}

/** Scripts without spaces between words: cut by the platform's dictionary (ICU). */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;
const HAS_UNSPACED =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f]|[\ud840-\ud87f]/;
const WORD =
  /[vV]?\d+(?:\.\d+)+|\p{L}[\p{L}\p{N}_]*(?:-[\p{L}\p{N}_]+){0,3}-\p{N}[\p{L}\p{N}_]*|[\p{L}\p{N}_][\p{L}\p{N}\p{M}_]*(?:['’][\p{L}]{1,2}(?![\p{L}\p{N}_]))?/gu;
const ASCII_WORD =
  /[vV]?\d+(?:\.\d+)+|[A-Za-z][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+){0,3}-\d[A-Za-z0-9_]*|[A-Za-z0-9_]+(?:['’][A-Za-z]{1,2}(?![A-Za-z0-9_]))?/g;
const NON_ASCII = /[^\x00-\x7f’‘“”–—…→←•©®™✓✔✗×]/;
const ASCII_ONLY = /^[\x00-\x7f]*$/;
/** Full-width letters, digits and signs, and half-width katakana. */
const OTHER_WIDTH = /[\uff01-\uff9f]+/g;

/** Boundaries inside an identifier: `_`, aB, ABc, and between letters and digits. */
const IDENTIFIER = /[-_]|[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]|[A-Z]{2}[a-z]/;
const PART = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+(?:\.\d+)*/g;
const UNICODE_IDENTIFIER = /[-_]|\p{Ll}\p{M}*\p{Lu}|\p{L}\p{M}*\p{N}|\p{N}\p{L}|\p{Lu}{2}\p{Ll}/u;
const UNICODE_PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}[\p{Ll}\p{M}]*|\p{N}+(?:\.\p{N}+)*|[\p{Lo}\p{Lm}\p{Lt}\p{M}]+/gu;

let segmenter: Intl.Segmenter | undefined;

/** All words, in order. Runs in time linear in the text. */
export function words(text: string): Word[] {
  const found: Word[] = [];
  if (!NON_ASCII.test(text)) {
    for (const [word] of text.matchAll(ASCII_WORD)) pushWord(found, word);
    return found;
  }
  const composed = compose(text);
  if (!HAS_UNSPACED.test(composed)) {
    pushSpaced(found, composed);
    return found;
  }
  let last = 0;
  for (const run of composed.matchAll(UNSPACED)) {
    pushSpaced(found, composed.slice(last, run.index));
    pushUnspaced(found, run[0]);
    last = run.index + run[0].length;
  }
  pushSpaced(found, composed.slice(last));
  return found;
}

/** The same words as they are written, a few times as fast; `undefined` for a text that needs a dictionary to be cut. */
export function spellings(text: string): readonly string[] | undefined {
  if (!NON_ASCII.test(text)) return text.match(ASCII_WORD) ?? [];
  return HAS_UNSPACED.test(text) ? undefined : (compose(text).match(WORD) ?? []);
}

/** One spelling for what people see as the same: composed characters, of the usual width. */
const compose = (text: string): string => text.replace(OTHER_WIDTH, (run) => run.normalize('NFKC')).normalize('NFC');

function pushSpaced(found: Word[], text: string): void {
  for (const [word] of text.matchAll(WORD)) pushWord(found, word);
}

/** Long runs are segmented in pieces: ICU's dictionary search is linear, its result objects are not free. */
function pushUnspaced(found: Word[], run: string): void {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  for (let at = 0; at < run.length; at += 2000) {
    for (const { segment, isWordLike } of segmenter.segment(run.slice(at, at + 2000))) {
      if (isWordLike === true) found.push({ text: fold(segment), parts: [], unspaced: true });
    }
  }
}

function pushWord(found: Word[], raw: string): void {
  found.push({ text: fold(raw), parts: identifierParts(raw), unspaced: false });
}

function identifierParts(raw: string): readonly string[] {
  const ascii = ASCII_ONLY.test(raw);
  if (!(ascii ? IDENTIFIER : UNICODE_IDENTIFIER).test(raw)) return NO_PARTS;
  const parts = raw.match(ascii ? PART : UNICODE_PART) ?? [];
  return parts[0] === raw ? NO_PARTS : parts.map(fold);
}

const NO_PARTS: readonly string[] = [];

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
