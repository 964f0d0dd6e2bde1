/** Drafted questions as a file that `eval` reads at once, each of them marked as generated. */
import { lineRange, lineStarts } from '../../text/lines.ts';
import { words } from '../../text/words.ts';
import { labelIndex, type LabelIndex } from '../labels.ts';
import { termsOf, type Corpus } from './corpus.ts';
import { plainText } from './statements.ts';

export interface DraftFile {
  /** Always: nobody has read these questions yet. */
  readonly generated: true;
  readonly by: 'rules' | 'model';
  readonly model?: string;
  readonly seed: number;
  readonly queries: readonly Draft[];
}

/** A question in the form of `tests`' labelled files, and where it came from. */
export interface Draft {
  readonly id: string;
  readonly query: string;
  readonly kind: string;
  readonly relevant_docs: readonly string[];
  readonly relevant_sections: readonly string[];
  readonly ideal_answer_keywords: readonly string[];
  readonly answer_quote: string;
  readonly generated: {
    readonly by: 'rules' | 'model';
    readonly from: { readonly rule?: string; readonly path: string; readonly lines: readonly [number, number] };
  };
}

export interface DraftParts {
  readonly query: string;
  readonly kind: string;
  readonly uri: string;
  readonly path: string;
  readonly text: string;
  readonly section: string;
  readonly quote: string;
  /** Where the quote begins. */
  readonly at: number;
  readonly by: 'rules' | 'model';
  readonly rule?: string;
  /** Default: the rarest words of the quote that the question has not. */
  readonly keywords?: readonly string[] | undefined;
}

const KEYWORDS = 3;
/** A word in more than this share of the documents says nothing of an answer. */
const COMMON = 0.25;

/** In the order of the documents; without the drafts whose document no label tells from another: their number is `unlabelled`. */
export function toDrafts(
  parts: readonly DraftParts[],
  corpus: Pick<Corpus, 'documents' | 'holding'>,
): { readonly drafts: readonly Draft[]; readonly unlabelled: number } {
  const index = labelIndex(corpus.documents.map(({ uri }) => uri));
  const place = new Map(corpus.documents.map(({ uri }, number) => [uri, number]));
  const placeOf = ({ uri }: DraftParts): number => place.get(uri) ?? 0;
  const ordered = [...parts].sort((a, b) => placeOf(a) - placeOf(b) || a.at - b.at);
  const labelled = ordered.flatMap((part) => {
    const label = shortestLabel(part, index);
    return label === undefined ? [] : [{ part, label }];
  });
  const digits = String(labelled.length).length;
  const drafts = labelled.map(({ part, label }, number): Draft => {
    const { query, kind, quote, section, path, text, at, by, rule } = part;
    const lines = lineRange(lineStarts(text), { start: at, end: at + quote.length });
    return {
      id: `generated-${String(number + 1).padStart(digits, '0')}`,
      query,
      kind,
      relevant_docs: [label],
      relevant_sections: section === '' ? [] : [section],
      ideal_answer_keywords: part.keywords ?? keywordsOf(plainText(quote), query, corpus),
      answer_quote: quote,
      generated: { by, from: { ...(rule === undefined ? {} : { rule }), path, lines: [lines.start, lines.end] } },
    };
  });
  return { drafts, unlabelled: parts.length - labelled.length };
}

/** The path, with the record's fragment; longer towards the root until it means this document alone. */
function shortestLabel({ uri, path }: DraftParts, index: LabelIndex): string | undefined {
  const hash = uri.indexOf('#');
  const [whole, fragment] = hash === -1 ? [decode(uri), ''] : [decode(uri.slice(0, hash)), decode(uri.slice(hash))];
  const parts = whole.split('/');
  for (let take = path.split('/').length; take <= parts.length; take += 1) {
    const label = parts.slice(-take).join('/') + fragment;
    const found = index.match(label);
    if (found.length === 1 && found[0] === uri) return label;
  }
  return undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** As they are written in the quote, in its order. */
function keywordsOf(
  quote: string,
  query: string,
  { documents, holding }: Pick<Corpus, 'documents' | 'holding'>,
): string[] {
  const asked = new Set(termsOf(query));
  const rare = termsOf(quote)
    .filter((term) => term.length > 2 && !term.includes("'") && !asked.has(term))
    .map((term) => ({ term, found: holding([term]) }))
    .filter(({ found }) => found > 0 && found <= Math.max(2, COMMON * documents.length))
    .sort((a, b) => a.found - b.found)
    .slice(0, KEYWORDS);
  const wanted = new Set(rare.map(({ term }) => term));
  const written = words(quote).filter(({ text }) => termsOf(text).some((term) => wanted.has(term)));
  return [...new Map(written.map(({ text }) => [termsOf(text)[0] ?? text, text])).values()].slice(0, KEYWORDS);
}
