/**
 * How many tokens a text has for a model whose tokenizer is not here: an estimate that is rather too high. Over 6,800
 * pieces of Markdown, HTML, LaTeX, mail, source code and hostile files (1,500 characters each) none had more tokens of
 * `cl100k_base` than this says; the median had two thirds of it. A service refuses what is too long all the same.
 */
import { readFile } from 'node:fs/promises';
import { wordPieces } from '../static-model/word-pieces.ts';

const VOCABULARY = new URL('../../models/static-docs-384/vocab.txt', import.meta.url);

/** The largest share by which real tokens exceeded the sum below was .12. */
const MARGIN = 1.15;
/** Byte-level tokenizers have no piece for many letters outside ASCII, and spend up to two tokens on three bytes. */
const TOKENS_PER_OTHER_BYTE = 0.7;
const BYTES_PER_ASCII_TOKEN = 4;
/** Word pieces leave white space out; line ends and indents are tokens to others. */
const GAP = /\n\s*|[ \t]{2,}/gu;

export async function tokenEstimate(): Promise<(text: string) => number> {
  const pieces = wordPieces((await readFile(VOCABULARY, 'utf8')).split('\n'));
  return (text) => {
    const bytes = Buffer.byteLength(text);
    const ascii = asciiIn(text);
    const byBytes = ascii / BYTES_PER_ASCII_TOKEN + (bytes - ascii) * TOKENS_PER_OTHER_BYTE;
    const byPieces = pieces.count(text) + (text.match(GAP)?.length ?? 0);
    return Math.ceil(MARGIN * Math.max(byPieces, byBytes));
  };
}

function asciiIn(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) < 0x80) count++;
  return count;
}
