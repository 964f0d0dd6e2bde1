/** Runs the real parsers on text, bytes or a file; shared by the tests of this folder. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ParseSettings } from '../../src/core/settings.ts';
import type { Document, Metadata } from '../../src/core/types.ts';
import markdownParser from '../../src/parsers/markdown.ts';
import plainTextParser from '../../src/parsers/plain-text.ts';

/** The shared corpora lie beside the repository; a checkout alone does not have them. */
export const corpora = fileURLToPath(new URL('../../../shared/data/corpora/', import.meta.url));
export const haveCorpora = existsSync(corpora);

export const defaultSettings: ParseSettings = {
  maxFileBytes: 50_000_000,
  maxMarkdownChars: 4_000_000,
  drafts: 'exclude',
  derive: [],
};

export interface ParseOptions {
  readonly path?: string;
  readonly mediaType?: string;
  readonly metadata?: Metadata;
  readonly settings?: Partial<ParseSettings>;
  readonly url?: string;
}

export async function parse(content: string | Uint8Array, options: ParseOptions = {}): Promise<Document> {
  const path = options.path ?? 'guide/page.md';
  const mediaType = options.mediaType ?? mediaTypeOf(path);
  const settings = { ...defaultSettings, ...options.settings };
  const parser = mediaType.startsWith('text/m') ? markdownParser(settings) : plainTextParser(settings);
  const documents: Document[] = [];
  const raw = {
    sourceId: 'docs',
    uri: `file:///docs/${path}`,
    path,
    revision: 'r1',
    mediaType,
    body: typeof content === 'string' ? new TextEncoder().encode(content) : content,
    metadata: options.metadata ?? {},
    ...(options.url === undefined ? {} : { url: options.url }),
  };
  for await (const document of parser.parse(raw, { read: async () => undefined })) documents.push(document);
  if (documents.length !== 1) throw new Error(`expected one document, got ${documents.length}`);
  return documents[0] as Document;
}

export const parseFile = (path: string): Promise<Document> => parse(readFileSync(join(corpora, path)), { path });

function mediaTypeOf(path: string): string {
  if (/\.mdx$/iu.test(path)) return 'text/mdx';
  return /\.(?:md|markdown)$/iu.test(path) ? 'text/markdown' : 'text/plain';
}

/** Paths of all Markdown files below a folder of the corpora, sorted. */
export function markdownFiles(folder = ''): readonly string[] {
  if (!haveCorpora) return [];
  return readdirSync(join(corpora, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => /\.(?:md|mdx)$/iu.test(path))
    .sort();
}

/** The words of a block or exclusion, as they are in the text. */
export const slice = (
  document: Document,
  part: { readonly span: { readonly start: number; readonly end: number } },
): string => document.text.slice(part.span.start, part.span.end);

/** `kind: text` of every block, for readable expectations. */
export const outline = (document: Document): readonly string[] =>
  document.blocks.map((block) => `${block.kind}${block.depth > 0 ? block.depth : ''}: ${slice(document, block)}`);
