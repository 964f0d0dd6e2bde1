/**
 * Headings and code of every Markdown file in the shared corpora, compared with micromark, a full CommonMark parser.
 * What differs on purpose is listed at the end, file by file.
 */
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { toString } from 'mdast-util-to-string';
import { gfm } from 'micromark-extension-gfm';
import { describe, expect, it } from 'vitest';
import type { Document } from '../../src/core/types.ts';
import { lineRange, lineStarts } from '../../src/text/lines.ts';
import { haveCorpora, markdownFiles, parseFile } from './parse.ts';

type Node = ReturnType<typeof fromMarkdown> | ReturnType<typeof fromMarkdown>['children'][number];

/** micromark nests without bounds: these files take it minutes. What Footnote makes of them is in hostile.test.ts. */
const TOO_DEEP = /hostile\/(?:md\/deep-|binary\/)/u;

describe.skipIf(!haveCorpora)('Markdown blocks against micromark (needs ../shared)', () => {
  it('finds the same headings and the same code in every corpus file', async () => {
    const files = markdownFiles().filter((path) => !TOO_DEEP.test(path));
    const differences: Record<string, readonly string[]> = {};
    for (const path of files) {
      const document = await parseFile(path);
      const [ours, theirs] = [footnotePlaces(document), micromarkPlaces(document, path)];
      const found = [
        ...theirs.filter((place) => !ours.includes(place)).map((place) => `micromark: ${place}`),
        ...ours.filter((place) => !theirs.includes(place)).map((place) => `footnote: ${place}`),
      ];
      if (found.length > 0) differences[path] = found;
    }
    expect(files.length).toBeGreaterThan(700);
    expect(differences).toEqual(ON_PURPOSE);
  }, 240_000);
});

function footnotePlaces(document: Document): readonly string[] {
  const starts = lineStarts(document.text);
  const line = (span: Document['blocks'][number]['span']): string => {
    const range = lineRange(starts, span);
    return `${range.start}-${range.end}`;
  };
  return [
    ...document.sections.map((s) => `h${s.level} "${s.title}" at ${lineRange(starts, s.headingSpan).start}`),
    ...document.blocks.filter((block) => block.kind === 'code').map((block) => `code at ${line(block.span)}`),
  ];
}

function micromarkPlaces(document: Document, path: string): readonly string[] {
  const starts = lineStarts(document.text);
  const frontMatter = document.exclusions.find((exclusion) => exclusion.reason === 'front-matter');
  const above = frontMatter === undefined ? 0 : lineRange(starts, frontMatter.span).end;
  const body = document.text.slice(starts[above] ?? document.text.length);
  // MDX has no indented code
  const disable = path.endsWith('.mdx') ? [{ disable: { null: ['codeIndented'] } }] : [];
  const tree = fromMarkdown(body, { extensions: [gfm(), ...disable], mdastExtensions: [gfmFromMarkdown()] });
  const places: string[] = [];
  const walk = (node: Node, parent: Node | undefined): void => {
    const start = (node.position?.start.line ?? 0) + above;
    if (node.type === 'heading' && parent?.type === 'root') {
      const title = readable(node);
      if (/[^\s\p{Cf}]/u.test(title)) places.push(`h${node.depth} "${title}" at ${start}`);
    } else if (node.type === 'code') {
      // A block without blank lines at its end: micromark gives them to fences that never close
      const lines = document.text.slice(starts[start - 1], starts[(node.position?.end.line ?? 0) + above]);
      places.push(`code at ${start}-${start + lineStarts(lines.trimEnd()).length - 1}`);
    }
    if ('children' in node) for (const child of node.children) walk(child as Node, node);
  };
  walk(tree, undefined);
  return places;
}

/** A heading's text without HTML and JSX, which Footnote leaves out of titles, and without a `{#custom}` id. */
function readable(heading: Node): string {
  return words(heading)
    .replace(/\{#[^}]*\}\s*$/u, '')
    .replace(/\s+/gu, ' ')
    .trim();
}

function words(node: Node): string {
  if (node.type === 'html') return '';
  return 'children' in node ? (node.children as Node[]).map(words).join('') : toString(node);
}

const ON_PURPOSE: Record<string, readonly string[]> = {
  // The end of an admonition is no underline of a heading.
  'md-wavemaker/docs/apis-and-services/apis/database-and-crud-apis/queries-and-procedures.md': [
    'micromark: h2 ":::note Queries must be executed successfully before they can be saved. :::" at 36',
  ],
  // The rest are MDX. A heading right below a line of JSX:
  'md-wavemaker/docs/release-notes/release-12/the-announcement.mdx': [
    'footnote: h2 "A New Era of AI-Accelerated Application Development" at 50',
  ],
  // Markdown right below the opening tags of tabs, which CommonMark takes for HTML up to the next blank line:
  'md-wavemaker/docs/release-notes/release-12/version-12-0-x/12.0.1.mdx': ['footnote: code at 81-85'],
  'md-wavemaker/docs/test-tabs.mdx': [
    'footnote: h2 "Overview Content" at 9',
    'footnote: h2 "Installation Steps" at 13',
    'footnote: code at 18-20',
  ],
};
