/**
 * Word pieces as in BERT uncased: fold, strip accents, split at white space and punctuation, then the longest piece
 * of the vocabulary from the left, continuations marked `##`. No special tokens.
 */

/** A word longer than this is tokenised in slices: it is a number, an encoded file, or a script without spaces. */
const MAX_WORD = 100;
/** Letters that an unknown word has for each token that it counts: the count stays proportional to the text. */
const UNKNOWN_LETTERS = 4;
const WORD = /[\p{L}\p{N}\p{M}]+|[^\s\p{L}\p{N}\p{M}\p{C}]/gu;
const ASCII_WORD = /[a-z0-9]+|[^\sa-z0-9\x00-\x1f\x7f]/g;
const ASCII_ONLY = /^[\x00-\x7f]*$/;
const CJK = /[\u3400-\u9fff\uf900-\ufaff]/;

export interface WordPieces {
  /** Ids of the pieces in order; -1 where no piece fits. */
  ids(text: string): number[];
  count(text: string): number;
}

export function wordPieces(vocabulary: readonly string[]): WordPieces {
  const index = new Map<string, number>();
  vocabulary.forEach((piece, id) => index.set(piece, id));
  const longest = Math.max(...vocabulary.map(({ length }) => length));
  const cache = new Map<string, readonly number[]>();

  const piecesOf = (word: string): readonly number[] => {
    const known = cache.get(word);
    if (known !== undefined) return known;
    const found: number[] = [];
    let start = 0;
    while (start < word.length) {
      let end = Math.min(word.length, start + longest);
      let id: number | undefined;
      for (; end > start; end--) {
        id = index.get(start === 0 ? word.slice(0, end) : `##${word.slice(start, end)}`);
        if (id !== undefined) break;
      }
      if (id === undefined) {
        // One unreadable piece makes the whole word unknown, as in BERT.
        found.length = 0;
        for (let at = 0; at < word.length; at += UNKNOWN_LETTERS) found.push(-1);
        break;
      }
      found.push(id);
      start = end;
    }
    if (cache.size >= 100_000) cache.clear();
    cache.set(word, found);
    return found;
  };

  const forEachWord = (text: string, visit: (pieces: readonly number[]) => void): void => {
    const ascii = ASCII_ONLY.test(text);
    const lower = text.toLowerCase();
    const folded = ascii ? lower : lower.normalize('NFD').replace(/\p{Mn}/gu, '');
    for (const [word] of folded.matchAll(ascii ? ASCII_WORD : WORD)) {
      if (!ascii && CJK.test(word)) for (const character of word) visit(piecesOf(character));
      else for (let at = 0; at < word.length; at += MAX_WORD) visit(piecesOf(word.slice(at, at + MAX_WORD)));
    }
  };

  return {
    ids(text) {
      const all: number[] = [];
      forEachWord(text, (pieces) => {
        for (const id of pieces) all.push(id);
      });
      return all;
    },
    count(text) {
      let total = 0;
      forEachWord(text, (pieces) => {
        total += pieces.length;
      });
      return total;
    },
  };
}
