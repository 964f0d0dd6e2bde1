/**
 * Each statement's quotes are read back from the stored document before their citations are emitted: what is shown
 * equals `document.text.slice(span)` at its revision, or it is not shown.
 */
import type { GeneratorEvent, QuotedSpan } from '../core/contracts.ts';
import { sha256 } from '../core/identity.ts';
import type { AnswerEvent, Citation, Document, Passage, Section, Span, Usage } from '../core/types.ts';
import { lineRange, lineStarts } from '../text/lines.ts';
import { comparableText } from '../text/comparable.ts';
import type { AnswerRun, Proven } from './answer-run.ts';
import type { Context } from './context.ts';
import type { AnswerParts } from './parts.ts';

const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, costUsd: null };

export async function* prove(
  draft: AsyncIterable<GeneratorEvent>,
  context: Context,
  parts: AnswerParts,
  run: AnswerRun,
): AsyncGenerator<AnswerEvent, Proven> {
  const stored = rereader(parts);
  const citations: Citation[] = [];
  const unknownLabels = new Set<number>();
  let text = '';
  let statements = 0;
  let usage = NO_USAGE;
  for await (const event of draft) {
    if (event.type === 'usage') usage = event.usage;
    else if (event.type === 'warning') yield* run.warn([event.warning]);
    else {
      const gap = text === '' ? '' : '\n\n';
      const answerSpan = { start: text.length + gap.length, end: text.length + gap.length + event.text.length };
      const proofs = yield* run.stage('prove', () => cite(event.text, event.quotes, answerSpan, context, stored));
      if (proofs.length === 0) {
        for (const { label } of event.quotes) if (passageOf(label, context) === undefined) unknownLabels.add(label);
        yield* run.warn([
          { code: 'citation-mismatch', message: 'a statement was left out: its words are not at the place it cites' },
        ]);
        continue;
      }
      const labels = [...new Set(proofs.map(({ label }) => label))];
      const marks = labels.map((label) => `[${String(label)}]`).join('');
      const delta = `${gap}${event.text}${endsWithFence(event.text) ? '\n' : ' '}${marks}`;
      text += delta;
      statements++;
      citations.push(...proofs);
      yield { type: 'text-delta', text: delta };
      for (const citation of proofs) yield { type: 'citation-available', citation };
      yield {
        type: 'claim-checked',
        answerSpan,
        support: proofs.every(({ support }) => support === 'supported') ? 'supported' : 'not-checked',
      };
    }
  }
  yield* run.warn(await staleSources(citations, parts, stored));
  return {
    text,
    citations,
    usage,
    statements,
    verification: { unknownLabels: [...unknownLabels], uncited: [], unsupported: [], contradicted: [] },
  };
}

/** The last line of a fence may hold nothing else, or all that follows would be code. */
const endsWithFence = (text: string): boolean =>
  /^[ \t>]*(?:`{3,}|~{3,})$/.test(text.slice(text.lastIndexOf('\n') + 1));

const passageOf = (label: number, { passages }: Context): Passage | undefined =>
  passages.find((passage) => passage.label === label);

interface Stored {
  readonly document: Document;
  readonly lineStarts: readonly number[];
}
type Reread = (documentId: string) => Promise<Stored | undefined>;

/** Documents as the store holds them now, not as the generator was shown them. */
function rereader(parts: AnswerParts): Reread {
  const known = new Map<string, Promise<Stored | undefined>>();
  const load = async (id: string): Promise<Stored | undefined> => {
    const document = await parts.store.document(id);
    // A text that does not hash to what was stored is damaged: nothing can be proven by it.
    if (document === undefined || sha256(document.text) !== document.contentHash) return undefined;
    return { document, lineStarts: lineStarts(document.text) };
  };
  return (id) => {
    const found = known.get(id) ?? load(id);
    known.set(id, found);
    return found;
  };
}

/** One citation a quote whose place, in the passage of its label, holds the very words; none when any does not. */
async function cite(
  statement: string,
  quotes: readonly QuotedSpan[],
  answerSpan: Span,
  context: Context,
  stored: Reread,
): Promise<Citation[]> {
  const citations: Citation[] = [];
  for (const { label, span } of quotes) {
    const passage = passageOf(label, context);
    const shown = passage === undefined ? undefined : context.documents.get(passage.documentId);
    const read = passage === undefined ? undefined : await stored(passage.documentId);
    if (passage === undefined || shown === undefined || read === undefined || !isInside(span, passage.span)) return [];
    const quote = read.document.text.slice(span.start, span.end);
    if (quote.trim() === '' || quote !== shown.text.slice(span.start, span.end)) return [];
    citations.push(toCitation(label, passage, read, span, answerSpan, quote));
  }
  const words = comparableText(statement);
  const same = words !== '' && comparableText(citations.map(({ quote }) => quote).join(' ')) === words;
  return citations.map((citation) => ({ ...citation, support: same ? 'supported' : 'not-checked' }));
}

const isInside = ({ start, end }: Span, outer: Span): boolean =>
  Number.isInteger(start) && Number.isInteger(end) && outer.start <= start && start < end && end <= outer.end;

function toCitation(
  label: number,
  passage: Passage,
  read: Stored,
  span: Span,
  answerSpan: Span,
  quote: string,
): Citation {
  const { document } = read;
  const lines = lineRange(read.lineStarts, span);
  const section = deepest(document.sections, span.start);
  const commit = document.metadata['commit'];
  return {
    label,
    answerSpan,
    documentId: document.id,
    uri: document.uri,
    path: document.path,
    title: document.title,
    headingPath: section?.path ?? [],
    url: citationUrl(document, section, lines),
    quote,
    span,
    lines,
    page: null,
    revision: document.revision,
    commit: typeof commit === 'string' ? commit : null,
    alsoAt: passage.alsoAt,
    support: 'not-checked',
  };
}

function deepest(sections: readonly Section[], offset: number): Section | undefined {
  return sections.filter(({ span }) => span.start <= offset && offset < span.end).sort((a, b) => b.level - a.level)[0];
}

/** A permalink with its line range where the source has such a template, else the page at its heading. */
function citationUrl(
  document: Document,
  section: Section | undefined,
  lines: { readonly start: number; readonly end: number },
): string | null {
  const template = document.metadata['urlTemplate'];
  if (typeof template === 'string')
    return template.replaceAll('{start}', String(lines.start)).replaceAll('{end}', String(lines.end));
  if (document.url === undefined) return null;
  return section === undefined ? document.url : `${document.url}#${encodeURIComponent(section.anchor)}`;
}

/** Cited documents whose bytes have changed since they were indexed. */
async function staleSources(
  citations: readonly Citation[],
  parts: AnswerParts,
  stored: Reread,
): Promise<{ code: string; message: string; uri: string; hint: string }[]> {
  const found: { code: string; message: string; uri: string; hint: string }[] = [];
  for (const documentId of new Set(citations.map((citation) => citation.documentId))) {
    const document = (await stored(documentId))?.document;
    if (document === undefined) continue;
    const source = await parts.sourceOf(document.sourceId);
    if (source?.currentRevision === undefined) continue;
    const now = await source.currentRevision(document.uri);
    if (now === document.revision) continue;
    const what = now === undefined ? 'is gone from its source' : 'has changed in its source';
    found.push({
      code: 'source-newer',
      message: `${document.path} ${what} since it was indexed; the quote is of the indexed revision`,
      uri: document.uri,
      hint: 'footnote ingest',
    });
  }
  return found;
}
