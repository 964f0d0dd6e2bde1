/** Every place is exact: blocks and exclusions together hold all of the text, in order and without overlap. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Document, Span } from '../../src/core/types.ts';
import { lineStarts } from '../../src/text/lines.ts';
import { lineEnd, markdownLines, markdownText, mediaType } from './arbitrary.ts';
import { haveCorpora, markdownFiles, parse, parseFile, slice } from './parse.ts';

/** What is wrong with a document's places; nothing, we hope. */
function problems(document: Document): readonly string[] {
  const { text, blocks, exclusions, sections } = document;
  const starts = new Set(lineStarts(text));
  const found: string[] = [];
  let at = 0;
  const parts: readonly { readonly span: Span }[] = [...blocks, ...exclusions].sort(
    (a, b) => a.span.start - b.span.start,
  );
  for (const { span } of parts) {
    if (span.start < at || span.end <= span.start || span.end > text.length)
      found.push(`overlap or bad span at ${span.start}`);
    if (text.slice(at, span.start).trim() !== '')
      found.push(`left over before ${span.start}: ${text.slice(at, span.start)}`);
    at = span.end;
  }
  if (text.slice(at).trim() !== '') found.push(`left over at the end: ${text.slice(at)}`);
  for (const { span } of blocks) {
    if (!starts.has(span.start)) found.push(`block begins inside a line: ${span.start}`);
    if (!/^(?:\s|$)/u.test(text.slice(span.end, span.end + 1))) found.push(`block ends inside a word: ${span.end}`);
  }
  if (blocks.some((block, i) => i > 0 && block.span.start < (blocks[i - 1]?.span.end ?? 0)))
    found.push('blocks out of order');
  const headings = new Set(blocks.filter((block) => block.kind === 'heading').map((block) => block.span.start));
  const open: Span[] = [];
  for (const { span, headingSpan, title, path, level } of sections) {
    while ((open.at(-1)?.end ?? Infinity) <= span.start) open.pop();
    if (span.end > (open.at(-1)?.end ?? text.length)) found.push(`section "${title}" is longer than its parent`);
    if (headingSpan.start !== span.start || headingSpan.end > span.end)
      found.push(`heading of "${title}" is misplaced`);
    if (!headings.has(headingSpan.start)) found.push(`"${title}" has no block`);
    if (title.trim() === '' || path.at(-1) !== title || level < 1 || level > 6) found.push(`section "${title}" is odd`);
    open.push(span);
  }
  const anchors = sections.map((section) => section.anchor);
  if (new Set(anchors).size < anchors.length || anchors.includes('')) found.push('anchors are not unique');
  return found;
}

describe('places', () => {
  it('account for every character of any text', async () => {
    await fc.assert(
      fc.asyncProperty(markdownText, mediaType, async (text, type) => {
        expect(problems(await parse(text, { mediaType: type }))).toEqual([]);
      }),
      { numRuns: 1500 },
    );
  });

  it('account for every character of plain text and code', async () => {
    await fc.assert(
      fc.asyncProperty(markdownText, fc.constantFrom('text/plain', 'text/x-code'), async (text, type) => {
        expect(problems(await parse(text, { mediaType: type }))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('are the same lines whatever ends them', async () => {
    const shape = (document: Document): readonly unknown[] => [
      ...document.blocks.map((block) => [block.kind, block.depth, lines(document, block)]),
      ...document.exclusions.map((exclusion) => [exclusion.reason, lines(document, exclusion)]),
      ...document.sections.map((section) => [
        section.title,
        section.anchor,
        lines(document, { span: section.headingSpan }),
      ]),
    ];
    const lines = (document: Document, part: { readonly span: Span }): string =>
      slice(document, part).replace(/\r\n?/gu, '\n');
    await fc.assert(
      fc.asyncProperty(markdownLines, lineEnd, mediaType, async (content, end, type) => {
        const [reference, other] = [content.join('\n'), content.join(end)];
        expect(shape(await parse(other, { mediaType: type }))).toEqual(
          shape(await parse(reference, { mediaType: type })),
        );
      }),
      { numRuns: 700 },
    );
  });

  it.skipIf(!haveCorpora)('account for every character of every corpus file (needs ../shared)', async () => {
    const bad: Record<string, readonly string[]> = {};
    for (const path of markdownFiles()) {
      const found = problems(await parseFile(path));
      if (found.length > 0) bad[path] = found;
    }
    expect(bad).toEqual({});
  });
});
