/** Ranked hits become labelled passages: neighbours of one document are joined, and all fit the budget. */
import type { Store } from '../core/contracts.ts';
import type { ContextSettings } from '../core/settings.ts';
import type { Chunk, Document, Hit, Passage, Span } from '../core/types.ts';
import { sentences } from '../text/sentences.ts';
import { words } from '../text/words.ts';

export interface Context {
  readonly passages: readonly Passage[];
  readonly documents: ReadonlyMap<string, Document>;
}

interface Group {
  readonly documentId: string;
  hits: Hit[];
  /** Positions of the chunks that the passage spans, `[from, to)`. */
  from: number;
  to: number;
}

/** At most `maxPassages` passages, together at most `maxChars` characters; the last one is cut at a sentence end. */
export async function buildContext(hits: readonly Hit[], settings: ContextSettings, store: Store): Promise<Context> {
  const groups = groupNeighbours(mergeNearDuplicates(hits), settings.neighbours).slice(0, settings.maxPassages);
  const documents = new Map<string, Document>();
  const passages: Passage[] = [];
  let left = settings.maxChars;
  for (const group of groups) {
    const document = documents.get(group.documentId) ?? (await store.document(group.documentId));
    if (document === undefined || left <= 0) continue;
    documents.set(group.documentId, document);
    const chunks = await store.neighbours(
      group.documentId,
      group.from - settings.neighbours,
      group.to + settings.neighbours,
    );
    const span = fit(document.text, spanOf(group, chunks, left), left);
    left -= span.end - span.start;
    passages.push(toPassage(group, document, span, passages.length + 1));
  }
  return { passages, documents };
}

/** Two texts are near-duplicates when they share this much of their three-word sequences (Jaccard). */
const NEAR_DUPLICATE = 0.8;

/** A page and its copy with another date are one passage: the better-ranked one, which keeps the other's address. */
function mergeNearDuplicates(hits: readonly Hit[]): Hit[] {
  const kept: { hit: Hit; shingles: ReadonlySet<string> }[] = [];
  for (const hit of hits) {
    const shingles = shinglesOf(hit.chunk.text);
    const same = kept.find(
      (other) =>
        other.hit.chunk.documentId !== hit.chunk.documentId && jaccard(other.shingles, shingles) >= NEAR_DUPLICATE,
    );
    if (same === undefined) kept.push({ hit, shingles });
    else same.hit = { ...same.hit, alsoAt: [...new Set([...same.hit.alsoAt, hit.chunk.uri, ...hit.alsoAt])] };
  }
  return kept.map(({ hit }) => hit);
}

function shinglesOf(text: string): ReadonlySet<string> {
  const folded = words(text).map((word) => word.text);
  return new Set(folded.map((_, i) => folded.slice(i, i + 3).join(' ')));
}

function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const shingle of a) if (b.has(shingle)) shared++;
  const all = a.size + b.size - shared;
  return all === 0 ? 0 : shared / all;
}

/**
 * Hits of the same document become one group, at the rank of its best hit, when nothing stands between them once each
 * has its neighbours: so passages never repeat each other's text.
 */
function groupNeighbours(hits: readonly Hit[], neighbours: number): Group[] {
  const reach = 1 + 2 * neighbours;
  const groups: Group[] = [];
  for (const hit of hits) {
    const { documentId, position } = hit.chunk;
    const near = groups.filter(
      (group) => group.documentId === documentId && position >= group.from - reach && position < group.to + reach,
    );
    const [first, second] = near;
    if (first === undefined) groups.push({ documentId, hits: [hit], from: position, to: position + 1 });
    else {
      // A hit may close the gap between two groups.
      first.hits = [...first.hits, ...(second?.hits ?? []), hit];
      first.from = Math.min(first.from, second?.from ?? position, position);
      first.to = Math.max(first.to, second?.to ?? 0, position + 1);
      if (second !== undefined) groups.splice(groups.indexOf(second), 1);
    }
  }
  return groups;
}

/** The hits' own chunks, and the neighbours around them when there is room for both. */
function spanOf(group: Group, chunks: readonly Chunk[], room: number): Span {
  const own = chunks.filter((chunk) => chunk.position >= group.from && chunk.position < group.to);
  const wide = hull(chunks);
  return own.length > 0 && wide.end - wide.start > room / 2 ? hull(own) : wide;
}

const hull = (chunks: readonly Chunk[]): Span => ({
  start: Math.min(...chunks.map((chunk) => chunk.span.start)),
  end: Math.max(...chunks.map((chunk) => chunk.span.end)),
});

function fit(text: string, span: Span, room: number): Span {
  if (span.end - span.start <= room) return span;
  const cut = sentences(text.slice(span.start, span.start + room)).at(-2);
  const end = span.start + (cut?.end ?? room);
  return { start: span.start, end: isLowSurrogate(text.charCodeAt(end)) ? end - 1 : end };
}

const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

function toPassage(group: Group, document: Document, span: Span, label: number): Passage {
  const [best] = group.hits as [Hit, ...Hit[]];
  return {
    label,
    text: document.text.slice(span.start, span.end),
    documentId: document.id,
    span,
    uri: document.uri,
    path: document.path,
    title: document.title,
    headingPath: best.chunk.headingPath,
    ...(best.chunk.url === undefined ? {} : { url: best.chunk.url }),
    alsoAt: [...new Set(group.hits.flatMap((hit) => hit.alsoAt))],
    hits: group.hits,
  };
}
