/** A page of a wiki: the document's text is the page as it was written, so that quotes are its exact words. */
import { setImmediate } from 'node:timers/promises';
import type { Parser } from '../core/contracts.ts';
import type { Document, RawDocument } from '../core/types.ts';
import { decodeText } from '../text/decode.ts';
import { wikiAnchorMaker } from './anchors.ts';
import { documentOf } from './document.ts';
import { recordMetadata, recordTitle, recordType } from './record-fields.ts';
import { sectionsOf } from './sections.ts';
import { wikiBlocks } from './wiki-blocks.ts';
import { wikiWords } from './wiki-text.ts';

export default function wikiParser(): Parser {
  return {
    mediaTypes: ['text/x-wiki'],
    async *parse(raw) {
      await setImmediate(); // parsing does not wait for anything: signals get their turn between documents
      yield wikiDocument(raw);
    },
  };
}

function wikiDocument(raw: RawDocument): Document {
  const { text, warnings } = decodeText(raw.body);
  const { blocks, exclusions, headings, categories } = wikiBlocks(text);
  const read = headings.map((heading) => ({ ...heading, source: wikiWords(heading.source) }));
  const sections = sectionsOf(read, text.length, () => false, wikiAnchorMaker());
  return {
    ...documentOf(raw, {
      title: recordTitle(raw, sections[0]?.title),
      text,
      sections,
      blocks,
      exclusions,
      type: recordType(raw, 'wiki'),
      metadata: { ...(categories.length === 0 ? {} : { categories }), ...recordMetadata(raw) },
      warnings: warnings.map((warning) => ({ ...warning, uri: raw.uri })),
      declaredLanguage: undefined,
    }),
    markup: 'wiki',
  };
}
