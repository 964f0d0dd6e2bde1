/** From a place in a document to a chunk: its id, words, address and metadata. */
import { chunkId } from '../core/identity.ts';
import type { Chunk, Document, Metadata, Section, Span } from '../core/types.ts';
import { lineRange, lineStarts } from '../text/lines.ts';
import type { ChunkerOptions } from './options.ts';
import { searchedText } from './searched.ts';

/** What a chunker decides: where a chunk is, and what it stands under. */
export interface Draft {
  readonly span: Span;
  readonly section: Section | undefined;
  readonly context: string;
  readonly parentIds?: readonly string[];
  /** Beside what every chunk has. */
  readonly metadata?: Metadata;
}

export type DraftOptions = Pick<ChunkerOptions, 'countTokens' | 'searchable'>;

/** The chunks of a document, in order: each knows its place, and the ids of the one before and the one behind. */
export function toChunks(document: Document, drafts: readonly Draft[], options: DraftOptions): Chunk[] {
  const starts = lineStarts(document.text);
  const ids = drafts.map((draft, position) =>
    chunkId(document.id, position, document.text.slice(draft.span.start, draft.span.end)),
  );
  return drafts.map((draft, position) => {
    const text = document.text.slice(draft.span.start, draft.span.end);
    const { context } = draft;
    const searchText = searchedText(document, draft.span, options.searchable);
    const lines = lineRange(starts, draft.span);
    const anchor = draft.section?.anchor;
    return {
      id: ids[position] as string,
      documentId: document.id,
      sourceId: document.sourceId,
      position,
      span: draft.span,
      text,
      context,
      ...(searchText === text ? {} : { searchText }),
      uri: document.uri,
      path: document.path,
      title: document.title,
      headingPath: draft.section?.path ?? [],
      ...(document.url === undefined
        ? {}
        : { url: anchor === undefined ? document.url : `${document.url}#${encodeURIComponent(anchor)}` }),
      type: document.type,
      language: document.language,
      tokenCount: options.countTokens(context) + options.countTokens(searchText),
      parentIds: draft.parentIds ?? [],
      metadata: { ...chunkMetadata(document, draft.section, position, ids, lines), ...draft.metadata },
    };
  });
}

/** The fields of seed 000 ("Metadata Extraction", "Payload Design") beside the document's own. */
function chunkMetadata(
  document: Document,
  section: Section | undefined,
  position: number,
  ids: readonly string[],
  lines: { readonly start: number; readonly end: number },
): Metadata {
  const path = section?.path ?? [];
  const slug = document.metadata['slug'];
  return {
    ...document.metadata,
    doc_id: document.id,
    file_path: document.path,
    ...(section === undefined ? {} : { parent_sections: path.slice(0, -1), url_hash: `#${section.anchor}` }),
    url_slug: typeof slug === 'string' ? slug : (document.path.split('/').at(-1) ?? '').replace(/\.[^.]+$/, ''),
    chunk_index: position,
    total_chunks: ids.length,
    lineStart: lines.start,
    lineEnd: lines.end,
    ...(position > 0 ? { previous: ids[position - 1] as string } : {}),
    ...(position + 1 < ids.length ? { next: ids[position + 1] as string } : {}),
  };
}
