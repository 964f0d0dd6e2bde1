/**
 * One question with its answer, as a source of such records writes it:
 *
 *     Question: How do I resync?
 *     Answer: Open the settings …
 */
import { setImmediate } from 'node:timers/promises';
import type { Parser } from '../core/contracts.ts';
import type { Block, Document, RawDocument, TextExclusion } from '../core/types.ts';
import { decodeText } from '../text/decode.ts';
import { documentOf } from './document.ts';
import { markdownBlocks } from './markdown-blocks.ts';
import { paragraphs } from './paragraphs.ts';
import { recordMetadata, recordTitle, recordType } from './record-fields.ts';

export default function faqParser(): Parser {
  return {
    mediaTypes: ['text/x-faq'],
    async *parse(raw) {
      await setImmediate(); // parsing does not wait for anything: signals get their turn between documents
      yield faqDocument(raw);
    },
  };
}

function faqDocument(raw: RawDocument): Document {
  const { text, warnings } = decodeText(raw.body);
  return documentOf(raw, {
    title: cutAtWord(recordTitle(raw, undefined)),
    text,
    // No section: chunkers keep a question and its answer together as long as both fit.
    sections: [],
    ...parts(text),
    type: recordType(raw, 'faq'),
    metadata: recordMetadata(raw),
    warnings: warnings.map((warning) => ({ ...warning, uri: raw.uri })),
    declaredLanguage: undefined,
  });
}

/** The question stands like a heading over its answer, which may be Markdown. */
function parts(text: string): Pick<Document, 'blocks' | 'exclusions'> {
  const [, question = '', label = ''] = /^(Question: [^\n]*)\n(Answer: )/u.exec(text) ?? [];
  const start = question === '' ? 0 : question.length + 1 + label.length;
  const answer = answerParts(text, start);
  if (start === 0) return answer;
  const asked: Block = { kind: 'heading', depth: 0, span: { start: 0, end: question.length } };
  const mark: TextExclusion = { span: { start: question.length + 1, end: start }, reason: 'markup-only' };
  return { blocks: [asked, ...answer.blocks], exclusions: [mark, ...answer.exclusions] };
}

function answerParts(text: string, start: number): Pick<Document, 'blocks' | 'exclusions'> {
  try {
    const { blocks, exclusions } = markdownBlocks(text, start, false);
    return { blocks, exclusions };
  } catch {
    return { blocks: paragraphs(text, start, 'paragraph'), exclusions: [] };
  }
}

const MAX_TITLE_CHARS = 200;

function cutAtWord(title: string): string {
  if (title.length <= MAX_TITLE_CHARS) return title;
  const cut = title.slice(0, MAX_TITLE_CHARS);
  const space = cut.lastIndexOf(' ');
  return `${(space > MAX_TITLE_CHARS / 2 ? cut.slice(0, space) : cut.replace(/\p{Surrogate}$/u, '')).trimEnd()}…`;
}
