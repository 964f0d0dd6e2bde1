/** Markdown and MDX: one file, one document, whose text is the decoded file itself. */
import { setImmediate } from 'node:timers/promises';
import type { Parser } from '../core/contracts.ts';
import type { ParseSettings } from '../core/settings.ts';
import type { Document, Metadata, MetadataValue, RawDocument, TextExclusion, Warning } from '../core/types.ts';
import { decodeText } from '../text/decode.ts';
import { documentOf } from './document.ts';
import { readFrontMatter, type FrontMatter } from './front-matter.ts';
import { markdownBlocks } from './markdown-blocks.ts';
import { paragraphs } from './paragraphs.ts';
import { recordMetadata, recordTitle, recordType } from './record-fields.ts';
import { sectionsOf } from './sections.ts';
import { shortTitle } from './short-title.ts';

export default function markdownParser(settings: ParseSettings): Parser {
  return {
    mediaTypes: ['text/markdown', 'text/mdx'],
    async *parse(raw) {
      await setImmediate(); // parsing does not wait for anything: signals get their turn between documents
      yield markdownDocument(raw, settings);
    },
  };
}

function markdownDocument(raw: RawDocument, settings: ParseSettings): Document {
  const { text, warnings } = decodeText(raw.body);
  const frontMatter = readFrontMatter(text);
  const { values } = frontMatter;
  const isDraft = settings.drafts === 'exclude' && values.get('draft') === true;
  const body = isDraft ? draftBody(text) : parsedBody(text, frontMatter.end, raw.mediaType === 'text/mdx', settings);
  const type = values.get('type');
  return documentOf(raw, {
    // A source that knows the title (a page of a crawl) says so.
    title: frontMatterTitle(values) ?? recordTitle(raw, body.title),
    text,
    sections: body.sections,
    blocks: body.blocks,
    exclusions: isDraft ? body.exclusions : [...frontMatterExclusion(text, frontMatter), ...body.exclusions],
    type: typeof type === 'string' && type.trim() !== '' ? type.trim() : recordType(raw, 'markdown'),
    metadata: { ...frontMatterMetadata(values), ...recordMetadata(raw) },
    warnings: [...warnings, ...frontMatterWarnings(frontMatter), ...body.warnings].map((w) => ({ ...w, uri: raw.uri })),
    declaredLanguage: values.get('lang') ?? values.get('language'),
  });
}

interface Body extends Pick<Document, 'sections' | 'blocks' | 'exclusions' | 'warnings'> {
  /** The first heading of level 1. */
  readonly title: string | undefined;
}

function draftBody(text: string): Body {
  const exclusions: readonly TextExclusion[] =
    text === '' ? [] : [{ span: { start: 0, end: text.length }, reason: 'draft' }];
  return { title: undefined, sections: [], blocks: [], exclusions, warnings: [] };
}

function parsedBody(text: string, start: number, mdx: boolean, settings: ParseSettings): Body {
  if (text.length > settings.maxMarkdownChars) {
    return plainBody(text, start, `longer than ${settings.maxMarkdownChars} characters (parse.maxMarkdownChars)`);
  }
  try {
    const { blocks, exclusions, headings, isReference, unreadableLines } = markdownBlocks(text, start, mdx);
    const sections = sectionsOf(headings, text.length, isReference);
    const title = sections.find((section) => section.level === 1)?.title;
    return { title, sections, blocks, exclusions, warnings: mdx ? mdxWarnings(unreadableLines) : [] };
  } catch (error) {
    return plainBody(text, start, error instanceof Error ? error.message : String(error));
  }
}

/** Nothing is lost of a text that cannot be taken apart: its paragraphs are indexed, without sections. */
function plainBody(text: string, start: number, reason: string): Body {
  const warning: Warning = { code: 'parsed-as-plain-text', message: `indexed as plain text: ${reason}` };
  return {
    title: undefined,
    sections: [],
    blocks: paragraphs(text, start, 'paragraph'),
    exclusions: [],
    warnings: [warning],
  };
}

function mdxWarnings(unreadableLines: readonly number[]): readonly Warning[] {
  const [line] = unreadableLines;
  if (line === undefined) return [];
  return [
    {
      code: 'mdx-read-as-markdown',
      message: `JSX or a module statement has no end and was read as text: line ${line}`,
    },
  ];
}

/** Fields of the document itself, and the one that names its source: a page cannot choose that. */
const NOT_METADATA: ReadonlySet<string> = new Set(['title', 'type', 'source']);

function frontMatterMetadata(values: ReadonlyMap<string, MetadataValue>): Metadata {
  const metadata = Object.fromEntries([...values].filter(([key]) => !NOT_METADATA.has(key)));
  const keywords = metadata['keywords'];
  return typeof keywords === 'string' ? { ...metadata, keywords: commaList(keywords) } : metadata;
}

const commaList = (text: string): readonly string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

function frontMatterTitle(values: ReadonlyMap<string, MetadataValue>): string | undefined {
  const value = values.get('title');
  const title = value === undefined ? '' : String(value).replace(/\s+/gu, ' ').trim();
  return title === '' ? undefined : shortTitle(title);
}

function frontMatterExclusion(text: string, { end }: FrontMatter): readonly TextExclusion[] {
  if (end === 0) return [];
  return [{ span: { start: 0, end: text.slice(0, end).trimEnd().length }, reason: 'front-matter' }];
}

function frontMatterWarnings({ problem }: FrontMatter): readonly Warning[] {
  if (problem === undefined) return [];
  return [{ code: 'front-matter-invalid', message: `the front matter was not read, or in part: ${problem}` }];
}
