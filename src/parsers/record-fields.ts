/** What a record of a larger file (a page, an article, a question) says of itself: its source puts it into metadata. */
import type { Metadata, RawDocument } from '../core/types.ts';
import { titleFromPath } from './file-title.ts';
import { shortTitle } from './short-title.ts';

export function recordTitle(raw: RawDocument, first: string | undefined): string {
  const declared = raw.metadata['title'];
  const title = typeof declared === 'string' ? declared.replace(/\s+/gu, ' ').trim() : '';
  return shortTitle(title === '' ? (first ?? titleFromPath(raw.path)) : title);
}

/** Without what are fields of the document itself. */
export function recordMetadata({ metadata: { title: _title, type: _type, ...metadata } }: RawDocument): Metadata {
  return metadata;
}

/** The filterable field `type`: the record's own word goes first. */
export function recordType(raw: RawDocument, otherwise: string): string {
  const declared = raw.metadata['type'];
  return typeof declared === 'string' && declared.trim() !== '' ? declared.trim() : otherwise;
}
