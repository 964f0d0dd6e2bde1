/** Plain text and source code: paragraphs between blank lines, no sections. */
import { setImmediate } from 'node:timers/promises';
import type { Parser } from '../core/contracts.ts';
import type { ParseSettings } from '../core/settings.ts';
import type { Document, RawDocument } from '../core/types.ts';
import { decodeText } from '../text/decode.ts';
import { documentOf } from './document.ts';
import { fileName, titleFromPath } from './file-title.ts';
import { paragraphs } from './paragraphs.ts';
import { shortTitle } from './short-title.ts';

/** No setting concerns plain text. */
const plainTextParser: (settings: ParseSettings) => Parser = () => ({
  mediaTypes: ['text/plain', 'text/x-code'],
  async *parse(raw) {
    await setImmediate(); // parsing does not wait for anything: signals get their turn between documents
    yield plainTextDocument(raw);
  },
});

export default plainTextParser;

function plainTextDocument(raw: RawDocument): Document {
  const { text, warnings } = decodeText(raw.body);
  // A source that knows the title (a record of a collection, a mail's subject) says so, even when it is empty.
  const declared = raw.metadata['title'];
  const isCode = raw.mediaType === 'text/x-code';
  return documentOf(raw, {
    title:
      typeof declared === 'string'
        ? shortTitle(declared)
        : isCode
          ? fileName(raw.path)
          : (titleLine(text) ?? titleFromPath(raw.path)),
    text,
    sections: [],
    blocks: isCode ? paragraphs(text, 0, 'code', extension(raw.path)) : paragraphs(text, 0, 'paragraph'),
    exclusions: [],
    type: isCode ? 'code' : 'text',
    metadata: raw.metadata,
    warnings: warnings.map((warning) => ({ ...warning, uri: raw.uri })),
    declaredLanguage: undefined,
  });
}

const MAX_TITLE_CHARS = 80;

/** The first line with words, when it is short, stands alone and does not end like a sentence. */
function titleLine(text: string): string | undefined {
  const [, first = '', next = ''] = /^\s*(\S[^\r\n]*)(?:(?:\r\n|\r|\n)([^\r\n]*))?/u.exec(text) ?? [];
  const line = first.trim();
  const isTitle =
    line.length <= MAX_TITLE_CHARS && /\p{L}/u.test(line) && !/[.,;:!?…]$/u.test(line) && next.trim() === '';
  return isTitle ? line : undefined;
}

function extension(path: string): string | undefined {
  const name = fileName(path);
  const dot = name.lastIndexOf('.');
  return dot > 0 && dot < name.length - 1 ? name.slice(dot + 1).toLowerCase() : undefined;
}
