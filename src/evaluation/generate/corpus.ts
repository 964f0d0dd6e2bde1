/** What has to be known of all documents at once: which words are rare, which titles and sentences occur twice. */
import type { Document } from '../../core/types.ts';
import { stemmerOf, stopWordsOf } from '../../text/languages.ts';
import { words } from '../../text/words.ts';
import { fold } from '../fold.ts';
import type { Candidate, Usage } from './candidate.ts';
import { headingCandidates } from './heading-rules.ts';
import { optionCandidates } from './option-rules.ts';
import { sentenceCandidates } from './sentence-rules.ts';
import { plainText, statementsOf, type Statement } from './statements.ts';

export interface Corpus {
  readonly documents: readonly DocumentCandidates[];
  /** Documents that hold all of the words. */
  holding(terms: readonly string[]): number;
  /** In how many documents a heading with this text, or this very sentence, stands. */
  titled(title: string): number;
  stating(quote: string): number;
  readonly size: number;
  /** Documents in other languages: the rules know English only. */
  readonly otherLanguages: number;
}

export interface DocumentCandidates {
  readonly uri: string;
  readonly path: string;
  readonly text: string;
  readonly candidates: readonly Candidate[];
}

/** A name in more than this share of the documents is that of what they are all about. */
const EVERYWHERE = 0.25;
const FEW_DOCUMENTS = 5;
/** Terms of licences and lists of names are nobody's question. */
const NO_QUESTIONS =
  /(?:^|\/)(?:licen[cs]e|copying|copyright|notice|authors|contributors|code[-_]of[-_]conduct)[^/]*$/i;

const stopWords = stopWordsOf('en');
const stem = stemmerOf('en');

/** Words that carry meaning, by their stem, once each. */
export function termsOf(text: string): string[] {
  const found = words(text).filter((word) => word.text.length > 1 && !stopWords.has(word.text));
  return [...new Set(found.map((word) => (word.parts.length > 0 || stem === undefined ? word.text : stem(word.text))))];
}

/** Reads every document once; of each only its candidates and words are kept. */
export async function readCorpus(documents: AsyncIterable<Document>): Promise<Corpus> {
  const holders = new Map<string, Set<number>>();
  const titles = new Map<string, Set<number>>();
  const quotes = new Map<string, Set<number>>();
  const spelling = spellings();
  const read: (Pick<Document, 'uri' | 'path' | 'text' | 'sections'> & { readonly statements: Statement[] })[] = [];
  let otherLanguages = 0;
  for await (const document of documents) {
    const statements = statementsOf(document);
    const index = read.length;
    for (const term of termsOf(document.text)) note(holders, term, index);
    for (const { title } of document.sections) note(titles, fold(title), index);
    for (const { quote, plain } of statements) {
      note(quotes, fold(quote), index);
      spelling.read(plain);
    }
    const english = document.language === 'en' || document.language === '';
    if (!english) otherLanguages += 1;
    const { uri, path, text, sections } = document;
    read.push({ uri, path, text, sections, statements: english && !NO_QUESTIONS.test(path) ? statements : [] });
  }
  const holding = (terms: readonly string[]): number =>
    intersection(terms.map((term) => holders.get(term) ?? new Set()));
  const usage: Usage = {
    spell: (title) => title.replace(/[\p{L}'’]+/gu, (word) => spelling.inSentence(word)),
    isEverywhere: (name) => holding(termsOf(name)) > Math.max(FEW_DOCUMENTS, EVERYWHERE * read.length),
  };
  return {
    documents: read.map(({ uri, path, text, sections, statements }) => ({
      uri,
      path,
      text,
      candidates: [
        ...headingCandidates(sections, statements, usage),
        ...optionCandidates(statements),
        ...sentenceCandidates(statements, usage),
      ],
    })),
    holding,
    titled: (title) => titles.get(fold(title))?.size ?? 0,
    stating: (quote) => quotes.get(fold(quote))?.size ?? 0,
    size: read.length,
    otherLanguages,
  };
}

function note(index: Map<string, Set<number>>, key: string, document: number): void {
  const known = index.get(key);
  if (known === undefined) index.set(key, new Set([document]));
  else known.add(document);
}

function intersection(sets: readonly ReadonlySet<number>[]): number {
  const [first, ...others] = [...sets].sort((a, b) => a.size - b.size);
  return first === undefined ? 0 : [...first].filter((member) => others.every((set) => set.has(member))).length;
}

/** Which words are written small inside of sentences: headings write all of theirs large. */
function spellings(): { read(sentence: string): void; inSentence(word: string): string } {
  const small = new Map<string, number>();
  const large = new Map<string, number>();
  return {
    read(sentence) {
      // The first word is large in any case.
      for (const [word] of sentence.slice(sentence.indexOf(' ') + 1).matchAll(/[\p{L}'’]+/gu)) {
        const counts = /^\p{Ll}/u.test(word) ? small : large;
        const key = word.toLowerCase();
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    },
    inSentence(word) {
      const key = word.toLowerCase();
      const named = (large.get(key) ?? 0) > (small.get(key) ?? 0);
      return /^\p{Lu}\p{Ll}*$/u.test(word) && !named ? key : word;
    },
  };
}

export const sectionTitle = ({ section }: Statement): string => plainText(section?.title ?? '');
