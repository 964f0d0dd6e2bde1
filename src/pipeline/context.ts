/** Ranked hits become labelled passages that share no text and fit the budget. */
import type { Store } from '../core/contracts.ts';
import { RagError } from '../core/errors.ts';
import type { ContextSettings } from '../core/settings.ts';
import type { Document, Hit, Passage, Span } from '../core/types.ts';
import type { CountTokens } from '../text/cut.ts';
import { cutToSentence, cutToWord, less } from './budget.ts';
import type { Budget } from './budget.ts';
import { mergeNearDuplicates } from './near-duplicates.ts';
import { parentPlaces } from './parent-places.ts';
import { chunkPlaces } from './places.ts';
import type { Place } from './places.ts';

export interface Context {
  readonly passages: readonly Passage[];
  /** Those of the passages, by their ids. */
  readonly documents: ReadonlyMap<string, Document>;
}

/**
 * At most `maxPassages` passages, together at most `maxChars` characters and `maxTokens` tokens. What does not fit is
 * cut at the end of a sentence; only the first passage is cut at a word, where not even a sentence of it fits.
 *
 * @param countTokens The embedder's.
 * @throws RagError `setting-invalid` when tokens are limited and nothing counts them
 */
export async function buildContext(
  hits: readonly Hit[],
  settings: ContextSettings,
  store: Store,
  countTokens?: CountTokens,
): Promise<Context> {
  const read = documentReader(store);
  const distinct = mergeNearDuplicates(hits);
  const isTwoTier = settings.parents && hits.some(({ chunk }) => chunk.parentIds.length > 0);
  const places = isTwoTier ? await parentPlaces(distinct, read) : chunkPlaces(distinct, settings.neighbours, store);
  const documents = new Map<string, Document>();
  const passages: Passage[] = [];
  let left = budgetOf(settings, countTokens);
  for (const place of places.slice(0, settings.maxPassages)) {
    const document = left.chars > 0 ? await read(place.documentId) : undefined;
    if (document === undefined) continue;
    const wanted = await place.span(document, left);
    const span =
      cutToSentence(document, wanted, left) ?? (passages.length === 0 ? cutToWord(document, wanted, left) : undefined);
    if (span === undefined) continue;
    const passage = toPassage(place, document, span, passages.length + 1);
    left = less(left, passage.text);
    passages.push(passage);
    documents.set(document.id, document);
  }
  return { passages, documents };
}

function budgetOf({ maxChars, maxTokens }: ContextSettings, countTokens: CountTokens | undefined): Budget {
  if (maxTokens === null) return { chars: maxChars, tokens: Infinity, countTokens: undefined };
  if (countTokens === undefined) {
    throw new RagError('setting-invalid', 'context.maxTokens counts the tokens of the embedder, and there is none', {
      hint: 'set context.maxTokens to null: context.maxChars is a limit, too',
    });
  }
  return { chars: maxChars, tokens: maxTokens, countTokens };
}

/** Each document is read once. */
function documentReader(store: Store): (id: string) => Promise<Document | undefined> {
  const known = new Map<string, Promise<Document | undefined>>();
  return (id) => {
    const found = known.get(id) ?? store.document(id);
    known.set(id, found);
    return found;
  };
}

function toPassage(place: Place, document: Document, span: Span, label: number): Passage {
  const { headingPath, url } = place.heading(document);
  return {
    label,
    text: document.text.slice(span.start, span.end),
    documentId: document.id,
    span,
    uri: document.uri,
    path: document.path,
    title: document.title,
    headingPath,
    ...(url === undefined ? {} : { url }),
    alsoAt: [...new Set(place.hits.flatMap((hit) => hit.alsoAt))],
    hits: place.hits,
  };
}
