/** What every parser says about a document in the same words. */
import { documentId, sha256 } from '../core/identity.ts';
import type { Document, MetadataValue, RawDocument } from '../core/types.ts';
import { publishedUrl } from '../text/published-url.ts';

type Parsed = Pick<
  Document,
  'title' | 'text' | 'sections' | 'blocks' | 'exclusions' | 'type' | 'metadata' | 'warnings'
> & {
  /** As the document itself declares it; a language declared for the source goes first. */
  readonly declaredLanguage: MetadataValue | undefined;
};

export function documentOf(raw: RawDocument, { declaredLanguage, ...parsed }: Parsed): Document {
  return {
    ...parsed,
    id: documentId(raw.sourceId, raw.uri),
    sourceId: raw.sourceId,
    uri: raw.uri,
    path: raw.path,
    ...addressOf(raw, parsed.metadata['slug']),
    revision: raw.revision,
    contentHash: sha256(parsed.text),
    language: languageCode(raw.metadata['language']) || languageCode(declaredLanguage),
  };
}

/** Under a published address the document's own slug decides. */
function addressOf(raw: RawDocument, slug: MetadataValue | undefined): { url?: string } {
  const own = typeof slug === 'string' && raw.baseUrl !== undefined;
  const url = own ? publishedUrl(raw.baseUrl, raw.path, slug) : raw.url;
  return url === undefined ? {} : { url };
}

/** `en` of `en`, `en-GB`, `EN_us`; `''` of anything else. */
function languageCode(value: MetadataValue | undefined): string {
  const code = typeof value === 'string' ? /^([a-z]{2})(?:[-_]|$)/iu.exec(value.trim())?.[1] : undefined;
  return code?.toLowerCase() ?? '';
}
