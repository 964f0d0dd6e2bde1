/** From everything that was seen of a question to what the page shows of it: some hundred bytes a candidate. */
import type { Explanation, SearchResult } from '../../core/results.ts';
import type { Hit } from '../../core/types.ts';
import type { Observation } from '../run.ts';

/** What one preset made of one question. */
export interface Sighting {
  /** What is labelled as relevant, and whether any indexed document bears it. */
  readonly labels: readonly { readonly label: string; readonly indexed: boolean }[];
  readonly quotes: readonly string[];
  /** Rank of the first relevant document among at most 30; null when it is not among them. */
  readonly firstRelevant: number | null;
  /** The first documents, best first. */
  readonly documents: readonly FoundDocument[];
  /** Where only retrieval was measured: null. */
  readonly answer: { readonly text: string; readonly cites: readonly FoundDocument[] } | null;
  readonly stages: readonly StageLine[];
  /** Names of the stages that changed the ranking, in order: what `ranks` of the candidates are about. */
  readonly ranking: readonly string[];
  readonly candidates: readonly Candidate[];
}

export interface FoundDocument {
  readonly name: string;
  readonly relevant: boolean;
}

export interface StageLine {
  readonly stage: string;
  readonly milliseconds: number;
  readonly detail: string;
}

export interface Candidate {
  readonly name: string;
  readonly section: string;
  readonly relevant: boolean;
  /** Why it is where it is, where rules moved it. */
  readonly reasons: readonly string[];
  /** Rank and score at each stage that ranks; null where it does not occur. */
  readonly ranks: readonly (readonly [rank: number, score: number] | null)[];
}

const DOCUMENTS = 5;
const CITED = 3;
const ANSWER_CHARS = 420;
const QUOTE_CHARS = 300;
const LABELS = 6;
const DETAIL_CHARS = 260;
const REASON_CHARS = 120;
const LISTED = 6;
/** Candidates that are shown: the first of the last stage, the first of every other, and relevant ones. */
const LAST_STAGE = 8;
const OTHER_STAGES = 3;
const RELEVANT = 3;

export function sightingOf({ question, relevant, found, answer, result }: Observation): Sighting {
  const isRelevant = (uri: string): boolean => relevant.grades.has(uri);
  const names = new Map(found.hits.map((hit) => [hit.chunk.uri, nameOf(hit)]));
  const documents = result.documents.map((uri) => ({ name: names.get(uri) ?? uri, relevant: isRelevant(uri) }));
  const first = documents.findIndex((document) => document.relevant);
  const cited = [...new Map((answer?.citations ?? []).map((citation) => [citation.uri, citation])).values()];
  return {
    labels: labelsOf(question.judgments, relevant.unmatched),
    quotes: question.quotes.slice(0, 1).map((quote) => clip(quote, QUOTE_CHARS)),
    firstRelevant: first === -1 ? null : first + 1,
    documents: documents.slice(0, DOCUMENTS),
    answer:
      answer === null
        ? null
        : {
            text: clip(answer.text, ANSWER_CHARS),
            cites: cited.slice(0, CITED).map(({ uri, path }) => ({
              name: path + fragmentOf(uri),
              relevant: isRelevant(uri),
            })),
          },
    ...explained(found, isRelevant),
  };
}

function labelsOf(judgments: Observation['question']['judgments'], unmatched: readonly string[]): Sighting['labels'] {
  const missing = new Set(unmatched);
  const labels =
    judgments.by === 'label'
      ? judgments.labels
      : [...judgments.grades].filter(([, grade]) => grade > 0).map(([uri]) => uri);
  const shown = labels.slice(0, LABELS).map((label) => ({
    label: judgments.by === 'label' ? label : fragmentOf(label).slice(1) || label,
    indexed: !missing.has(label),
  }));
  const left = labels.length - shown.length;
  return left > 0 ? [...shown, { label: `… and ${left} more`, indexed: true }] : shown;
}

function explained(
  { query, hits, explanation }: SearchResult,
  isRelevant: (uri: string) => boolean,
): Pick<Sighting, 'stages' | 'ranking' | 'candidates'> {
  const stages = explanation?.stages ?? [];
  const ranking = stages
    .filter(({ candidates }) => candidates.length > 0)
    .filter(({ candidates }, index, all) => !isSame(candidates, all[index - 1]?.candidates ?? []));
  const hitOf = new Map(hits.map((hit) => [hit.chunk.id, hit]));
  const byChunk = new Map<string, Candidate & { readonly shown: boolean }>();
  ranking.forEach(({ candidates }, column) => {
    const first = column === ranking.length - 1 ? LAST_STAGE : OTHER_STAGES;
    for (const { chunkId, path, section, rank, score, reason } of candidates) {
      const hit = hitOf.get(chunkId);
      const known = byChunk.get(chunkId);
      byChunk.set(chunkId, {
        name: hit === undefined ? path : nameOf(hit),
        section,
        relevant: hit !== undefined && isRelevant(hit.chunk.uri),
        reasons: [...(known?.reasons ?? []), ...(reason === undefined ? [] : [clip(reason, REASON_CHARS)])],
        ranks: ranking.map((_, index) => (index === column ? ([rank, score] as const) : (known?.ranks[index] ?? null))),
        shown: known?.shown === true || rank <= first,
      });
    }
  });
  const ordered = [...byChunk.values()].sort((a, b) => order(a) - order(b));
  const relevant = new Set(ordered.filter((candidate) => candidate.relevant).slice(0, RELEVANT));
  return {
    stages: stages.map(({ stage, milliseconds, detail }) => ({
      stage,
      milliseconds,
      detail: detailText(detail, query),
    })),
    ranking: ranking.map(({ stage }) => stage),
    candidates: ordered
      .filter((candidate) => candidate.shown || relevant.has(candidate))
      .map(({ name, section, relevant: right, reasons, ranks }) => ({
        name,
        section,
        relevant: right,
        reasons,
        ranks,
      })),
  };
}

type Stage = Explanation['stages'][number];

/** A stage that had nothing to do gives back what it was given. */
const isSame = (a: Stage['candidates'], b: Stage['candidates']): boolean =>
  a.length === b.length && a.every(({ chunkId, score }, i) => chunkId === b[i]?.chunkId && score === b[i].score);

/** By the last stage; what did not reach it comes after all that did, by its best rank before. */
function order({ ranks }: Candidate): number {
  const last = ranks.at(-1)?.[0];
  return last ?? 1000 + Math.min(...ranks.flatMap((rank) => rank?.[0] ?? []));
}

/** What a stage says of itself in one line. Lists of candidates are not repeated; words are given with their weight. */
function detailText(detail: Readonly<Record<string, unknown>>, query: string): string {
  const parts = Object.entries(detail).flatMap(([key, value]) => {
    const text = key === 'terms' ? termsText(value) : valueText(value);
    return text === '' || text === query ? [] : [`${key} ${text}`];
  });
  return clip(parts.join(' · '), DETAIL_CHARS);
}

function termsText(value: unknown): string {
  if (!Array.isArray(value)) return '';
  const terms = value as readonly { readonly term?: unknown; readonly idf?: unknown }[];
  return terms
    .map(({ term, idf }) => `${valueText(term)}${typeof idf === 'number' ? ` (${idf.toFixed(1)})` : ''}`)
    .join(', ');
}

function valueText(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : value.toPrecision(3);
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return listText(value);
  if (value === null || typeof value !== 'object') return '';
  const facts = Object.entries(value).map(([key, inner]) => [key, scalarText(inner)].join(' '));
  return facts.length === 0 ? '' : `(${facts.join(', ')})`;
}

const scalarText = (value: unknown): string => (typeof value === 'object' ? '…' : valueText(value));

/** Its first members; of a list of lists or objects how many there are. */
function listText(values: readonly unknown[]): string {
  if (values.some((value) => typeof value === 'object')) return String(values.length);
  const more = values.length > LISTED ? ' …' : '';
  return values.slice(0, LISTED).map(valueText).join(', ') + more;
}

/** Its path, and for one record of a file the record: `faqs.db#12`. */
const nameOf = ({ chunk }: Hit): string => chunk.path + fragmentOf(chunk.uri);

function fragmentOf(uri: string): string {
  const hash = uri.indexOf('#');
  if (hash === -1) return '';
  try {
    return decodeURIComponent(uri.slice(hash));
  } catch {
    return uri.slice(hash);
  }
}

/** One line, cut at a code point. */
function clip(text: string, chars: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= chars
    ? line
    : `${line
        .slice(0, chars - 1)
        .replace(/[\ud800-\udbff]$/, '')
        .trimEnd()}…`;
}
