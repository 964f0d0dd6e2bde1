/**
 * Whole sections instead of the pieces that were found (seed 002, "Two-Tier Chunking"): what the design promises its
 * model, and its program loads without showing it.
 */
import { parentSpan } from '../core/identity.ts';
import type { Document, Hit, Span } from '../core/types.ts';
import { firstTouching, sectionOf } from '../text/section-at.ts';
import type { Budget } from './budget.ts';
import type { Place } from './places.ts';

interface Widened {
  readonly documentId: string;
  readonly span: Span;
  readonly hits: ReadonlySet<Hit>;
  /** Paragraphs of plain text, which has no sections, by where they begin. */
  readonly labels: ReadonlyMap<number, string>;
}

/** One place a section, at the rank of its best hit; of a hit in several, the one that holds most of it goes first. */
export async function parentPlaces(
  hits: readonly Hit[],
  read: (documentId: string) => Promise<Document | undefined>,
): Promise<Place[]> {
  const places: Widened[] = [];
  for (const hit of hits) {
    const document = await read(hit.chunk.documentId);
    if (document === undefined) continue;
    for (const { span, label } of parentsOf(hit, document)) {
      const labels = new Map(label === '' ? [] : [[span.start, label]]);
      add(places, { documentId: document.id, span, hits: new Set([hit]), labels }, document);
    }
  }
  return places.map((place) => ({
    documentId: place.documentId,
    hits: hits.filter((hit) => place.hits.has(hit)),
    span: async (document, left) => around(place, document, left),
    heading: (document) => headingOf(place, document),
  }));
}

/** A hit without parents that are in the document stands for itself. */
function parentsOf({ chunk }: Hit, document: Document): { readonly span: Span; readonly label: string }[] {
  const paths = chunk.metadata['parent_paths'];
  const shared = ({ start, end }: Span): number => Math.min(end, chunk.span.end) - Math.max(start, chunk.span.start);
  const found = chunk.parentIds.flatMap((id, i) => {
    const parent = parentSpan(id);
    if (parent?.documentId !== document.id || parent.span.end > document.text.length || shared(parent.span) <= 0)
      return [];
    const label = document.sections.length === 0 && Array.isArray(paths) ? String(paths[i] ?? '') : '';
    return [{ span: parent.span, label }];
  });
  if (found.length === 0) return [{ span: chunk.span, label: '' }];
  return found.sort((a, b) => shared(b.span) - shared(a.span));
}

/** With what shares text with it, and with the paragraphs of plain text beside it. */
function add(places: Widened[], added: Widened, { text, sections }: Document): void {
  let place = added;
  let rank = places.length;
  const joins = ({ documentId, span }: Widened): boolean => {
    const [first, second] = span.start < place.span.start ? [span, place.span] : [place.span, span];
    if (documentId !== place.documentId) return false;
    return second.start < first.end || (sections.length === 0 && text.slice(first.end, second.start).trim() === '');
  };
  for (let at = places.findIndex(joins); at >= 0; at = places.findIndex(joins)) {
    const [other] = places.splice(at, 1) as [Widened];
    rank = Math.min(rank, at);
    place = {
      ...place,
      span: { start: Math.min(place.span.start, other.span.start), end: Math.max(place.span.end, other.span.end) },
      hits: new Set([...other.hits, ...place.hits]),
      labels: new Map([...other.labels, ...place.labels]),
    };
  }
  places.splice(rank, 0, place);
}

/** All of it when there is room, else its end, so far that what was found is in it. */
function around({ span, hits }: Widened, { text, blocks }: Document, { chars, tokens, countTokens }: Budget): Span {
  const slice = text.slice(span.start, span.end);
  const count = countTokens?.(slice) ?? 0;
  const room = Math.min(chars, count > tokens ? (slice.length * tokens) / count : Infinity);
  if (slice.length <= room) return span;
  const found = Math.max(span.start, Math.min(...[...hits].map(({ chunk }) => chunk.span.start)));
  const block = blocks[firstTouching(blocks, span.end - room)];
  const next = block !== undefined && block.span.start < span.end - room ? block.span.end : block?.span.start;
  return { start: Math.min(found, next ?? found), end: span.end };
}

function headingOf({ span, labels }: Widened, document: Document): ReturnType<Place['heading']> {
  const { url } = document;
  const section = sectionOf(document, span);
  if (section !== undefined) {
    const anchor = encodeURIComponent(section.anchor);
    return { headingPath: section.path, ...(url === undefined ? {} : { url: `${url}#${anchor}` }) };
  }
  const paragraphs = [...new Set([...labels].sort(([a], [b]) => a - b).map(([, label]) => label))];
  const headingPath = paragraphs.length > 1 ? [`${paragraphs[0]} to ${paragraphs.at(-1)}`] : paragraphs;
  return { headingPath, ...(url === undefined ? {} : { url }) };
}
