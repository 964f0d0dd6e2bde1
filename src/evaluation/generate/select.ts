/** From what the rules would ask to a set of questions: clear ones, no two alike, from all over the documents. */
import type { Random } from '../random.ts';
import type { Candidate, Rule } from './candidate.ts';
import { termsOf, type Corpus, type DocumentCandidates } from './corpus.ts';
import { pointsElsewhere, wordCount } from './english.ts';

export interface Chosen extends Candidate {
  readonly document: DocumentCandidates;
}

export interface Selection {
  readonly chosen: readonly Chosen[];
  /** Why candidates were left out. */
  readonly left: { readonly unclear: number; readonly ambiguous: number; readonly alike: number };
}

/** More documents than this that hold all words of a question: it could be about any of them. */
const MOST_HOLDERS = 3;
/** Two questions are one when more than this share of the shorter one's words is in the other, too. */
const ALIKE = 0.7;
/** Nobody asks a cloze, but many pages give little else: no more than this share of the questions. */
const CLOZE_SHARE = 0.1;
/** How often a rule is wanted beside the others. */
const WANTED: Partial<Record<Rule, number>> = { state: 0.6, 'reverse-definition': 0.6, faq: 2, heading: 2 };
const QUERY_WORDS = [4, 24] as const;

export function selectQuestions(corpus: Corpus, count: number, random: Random): Selection {
  const left = { unclear: 0, ambiguous: 0, alike: 0 };
  const pools = shuffled(corpus.documents, random).map((document) => ({
    document,
    open: shuffled(document.candidates, random).filter((candidate) => {
      if (!isClear(candidate)) left.unclear += 1;
      else if (!isUnambiguous(candidate, corpus)) left.ambiguous += 1;
      else return true;
      return false;
    }),
  }));
  const chosen: Chosen[] = [];
  const seen: Seen[] = [];
  const used = new Map<Rule, number>();
  // One of each document a round, so that a long page gives no more than a short one while there are others.
  for (
    let round = pools;
    round.length > 0 && chosen.length < count;
    round = round.filter(({ open }) => open.length > 0)
  ) {
    for (const { document, open } of round) {
      if (chosen.length >= count) break;
      const candidate = takeNext(open, { used, seen, count, left });
      if (candidate === undefined) continue;
      chosen.push({ ...candidate, document });
      used.set(candidate.rule, (used.get(candidate.rule) ?? 0) + 1);
    }
  }
  return { chosen, left };
}

/** What was chosen before. */
interface Progress {
  readonly used: ReadonlyMap<Rule, number>;
  readonly seen: Seen[];
  readonly count: number;
  readonly left: { alike: number };
}

interface Seen {
  readonly terms: ReadonlySet<string>;
  readonly quote: string;
}

/** Takes the first of the rule that was used least; what is like a chosen one is thrown away. */
function takeNext(open: Candidate[], { used, seen, count, left }: Progress): Candidate | undefined {
  const isFull = (used.get('cloze') ?? 0) >= count * CLOZE_SHARE;
  const times = ({ rule }: Candidate): number =>
    rule === 'cloze' ? (isFull ? Infinity : (used.get(rule) ?? 0) * 2) : (used.get(rule) ?? 0) / (WANTED[rule] ?? 1);
  while (open.length > 0) {
    const least = Math.min(...open.map(times));
    if (least === Infinity) open.length = 0;
    const at = open.findIndex((candidate) => times(candidate) === least);
    const [candidate] = open.splice(at, 1);
    if (candidate === undefined) break;
    const terms = new Set(termsOf(candidate.query));
    const { quote } = candidate.statement;
    if (seen.some((other) => other.quote === quote || overlap(other.terms, terms) > ALIKE)) {
      left.alike += 1;
      continue;
    }
    seen.push({ terms, quote });
    return candidate;
  }
  return undefined;
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter((term) => b.has(term)).length;
  return common / Math.min(a.size, b.size);
}

/** An answer that says where the answer is. */
const POINTS_ON = /:$|\b(?:following|below|above|here|shown|these steps)\b/i;

/** Someone who has not read the page would understand it. */
function isClear({ query, core, statement, rule }: Candidate): boolean {
  const [fewest, most] = QUERY_WORDS;
  const length = wordCount(query);
  return (
    length >= fewest &&
    length <= (rule === 'cloze' ? most + 6 : most) &&
    !pointsElsewhere(core) &&
    !/[|<>{}[\]\\*]|https?:|\]\(|:::/.test(query) &&
    !/\b(?:e\.g|i\.e|etc)\b/.test(query) &&
    balanced(query) &&
    wordCount(statement.plain) >= 3 &&
    !POINTS_ON.test(statement.plain) &&
    termsOf(core).length >= (length > 4 && !core.includes('.') ? 2 : 1)
  );
}

const balanced = (text: string): boolean =>
  (text.match(/\(/g)?.length ?? 0) === (text.match(/\)/g)?.length ?? 0) && (text.match(/"/g)?.length ?? 0) % 2 === 0;

/** The words lead to few documents, and neither its heading nor its answer is in another one as well. */
function isUnambiguous({ rule, core, statement }: Candidate, corpus: Corpus): boolean {
  if (corpus.stating(statement.quote) > 1) return false;
  if (
    (rule === 'heading' || rule === 'faq' || rule === 'identifier') &&
    corpus.titled(statement.section?.title ?? '') > 1
  )
    return false;
  return corpus.holding(termsOf(core)) <= MOST_HOLDERS;
}

/** Fisher and Yates. */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
}
