/** The hostile corpus, and worse: nothing throws, nothing takes long, and each file does what is expected of it. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { searchableText } from '../../src/parsers/searchable.ts';
import type { Document } from '../../src/core/types.ts';
import { corpora, haveCorpora, outline, parse, parseFile, slice } from './parse.ts';

/** Generous, since the machines that run this are slow and busy; a quadratic parser needs minutes. */
const MAX_MILLISECONDS = 2_000;

const folder = (name: string): readonly string[] =>
  haveCorpora ? readdirSync(join(corpora, 'hostile', name)).map((file) => `hostile/${name}/${file}`) : [];

const titles = (document: Document): readonly string[] => document.sections.map((section) => section.title);
const codes = (document: Document): readonly string[] => document.warnings.map((warning) => warning.code);
const searched = (document: Document): string =>
  document.blocks.map((block) => searchableText(slice(document, block))).join('\n');

describe.skipIf(!haveCorpora)('the hostile corpus (needs ../shared)', () => {
  it('is parsed without failing, each file in time', async () => {
    const slow: string[] = [];
    for (const path of ['md', 'enc', 'lang', 'empty', 'inject'].flatMap(folder)) {
      const start = performance.now();
      const document = await parseFile(path);
      searchableText(document.text);
      if (performance.now() - start > MAX_MILLISECONDS) slow.push(path);
    }
    expect(slow).toEqual([]);
  });

  const md = (name: string): Promise<Document> => parseFile(`hostile/md/${name}`);
  const enc = (name: string): Promise<Document> => parseFile(`hostile/enc/${name}`);

  it('empty files have no blocks', async () => {
    const blocks = await Promise.all(
      folder('empty').map(async (path) => [path.split('/').at(-1), (await parseFile(path)).blocks.length]),
    );
    expect(Object.fromEntries(blocks)).toEqual({
      'only-bom.txt': 0,
      'only-frontmatter.md': 0,
      'only-newlines.md': 0,
      'zero.md': 0,
    });
    expect((await parseFile('hostile/empty/only-frontmatter.md')).title).toBe('Only front matter');
  });

  it('encodings are decoded', async () => {
    expect(titles(await enc('utf8-bom.md'))).toEqual(['BOM heading 007']);
    expect((await enc('utf16le-bom.md')).text).toContain('zebrafish 007');
    expect((await enc('utf16be-bom.txt')).text).toContain('pelicans 007');
    const latin1 = await enc('latin1.md');
    expect([latin1.text.includes('30 cm'), codes(latin1)]).toEqual([true, ['encoding-guessed']]);
    expect(codes(await enc('invalid-utf8.md'))).toEqual(['encoding-guessed']);
  });

  it('line ends make no difference', async () => {
    const bytes = readFileSync(join(corpora, 'hostile/enc/crlf.md'), 'utf8');
    const [crlf, lf] = [await parse(bytes), await parse(bytes.replaceAll('\r\n', '\n'))];
    expect(crlf.sections.map((s) => [s.title, s.anchor])).toEqual(lf.sections.map((s) => [s.title, s.anchor]));
    expect(outline(crlf).map((block) => block.replaceAll('\r\n', '\n'))).toEqual(outline(lf));
    expect(titles(await enc('cr-only.md')).length).toBeGreaterThan(0);
  });

  it('headings are those that people see', async () => {
    expect(titles(await md('unclosed-fence.md'))).toEqual(['Unclosed']);
    expect(titles(await md('fence-in-fence.md'))).toEqual(['Nested', 'Real heading']);
    expect(titles(await md('tilde-fence.md'))).toEqual(['T', 'yes']);
    expect(titles(await md('setext.md'))).toEqual(['Title here', 'Sub here']);
    expect(titles(await md('empty-headings.md'))).toEqual([]);
    expect((await md('level-jump.md')).sections.map((s) => s.path.join(' > '))).toEqual([
      'six first',
      'one',
      'one > four',
    ]);
    const options = (await md('same-headings.md')).sections.map((section) => section.anchor);
    expect(options.slice(0, 4)).toEqual(['same', 'options', 'options-1', 'options-2']);
    const many = (await md('many-headings.md')).sections;
    expect([many.length, new Set(many.map((section) => section.anchor)).size]).toEqual([10_001, 10_001]);
  });

  it('front matter does what it can', async () => {
    const broken = await md('broken-frontmatter.md');
    expect([codes(broken), searched(broken)]).toEqual([['front-matter-invalid'], 'Body survives\nAnswer-007']);
    expect(searched(await md('frontmatter-not-closed.md'))).toContain('indexed 007');
    expect((await md('frontmatter-types.md')).title).toBe('2024-01-01');
    expect((await md('yaml-bomb.md')).title).toBe('bomb');
  });

  it('scripts, comments and imports are out, what people read is in', async () => {
    const html = searched(await md('html-in-md.md'));
    expect(html).toContain('Inside details text-007');
    expect(html).not.toMatch(/SECRET-007|alert/u);
    const mdx = searched(await md('mdx.mdx'));
    for (const words of [
      'npm i thing-007',
      'yarn add thing-007',
      'Admonition body with code',
      'Careful 007',
      'card text 007',
    ])
      expect(mdx).toContain(words);
    expect(mdx).not.toMatch(/import|export/u);
    const notes = searched(await md('footnotes-math.md'));
    expect(notes).toContain('footnote text 007');
    expect(notes).toContain('e^{i\\pi}+1=0');
    expect(searched(await md('base64-blob.md'))).toBe('Blob\nx\nAfter-blob text 007.');
    expect(searched(await md('link-loop.md'))).toBe('L\nself up abs js file');
  });

  it('nothing is lost where nesting is deep or lines are long', async () => {
    expect(searched(await md('deep-list.md'))).toContain('level 399');
    expect(searched(await md('deep-quote.md'))).toContain('bottom-007');
    expect((await md('huge-table.md')).blocks.filter((block) => block.kind === 'table')).toHaveLength(1);
    expect(searched(await md('huge-table.md'))).toContain('row-4321-007');
    expect(searched(await md('one-line-200kb.md'))).toContain('needle');
  });
});

describe('made to be slow', () => {
  const N = 100_000;
  const repeat = (piece: string): string => piece.repeat(Math.ceil(N / piece.length));
  const cases: readonly (readonly [string, string])[] = [
    ['fences before lazy lines in quotes', repeat('> ```\na\n')],
    ['the same, before a long quote', '> ```\na\n'.repeat(500) + repeat('> x\n')],
    ['quotes in quotes', repeat('> ')],
    ['many deep quotes', repeat(`${'> '.repeat(58)}a\n\n`)],
    ['lists in lists on one line', repeat('- ')],
    ['ever deeper lists', Array.from({ length: 400 }, (_, i) => `${'  '.repeat(i)}- a\n`).join('')],
    ['brackets', repeat('[')],
    ['link definitions that do not end', repeat('[a]: b "\n')],
    ['labels that do not end', repeat('[a\n')],
    ['components that do not end', repeat('<Card {\n# h\n')],
    ['ever deeper components', Array.from({ length: 200 }, (_, i) => `${'    '.repeat(i)}<Card>\n`).join('')],
    ['comments that do not end', repeat('{/*\n\n')],
    ['HTML comments that do not end', repeat('<!--')],
    ['statements that do not end', repeat('export const a = {\n\n')],
    ['fences', repeat('```\n')],
    ['equal headings', repeat('# a\n')],
    ['equal ids', repeat('# a {#a}\n')],
    ['a wide table with short rows', `|${'a|'.repeat(2000)}\n|${'-|'.repeat(2000)}\n${repeat('|c\n')}`],
    ['front matter that does not end', `---\n${repeat('a: b\n')}`],
    ['aliases', `---\nx: &a 1\n${'a: *a\n'.repeat(4000)}---\n`],
    ['blank lines', repeat('\n')],
  ];

  it.each(cases)('%s', async (_name, text) => {
    for (const path of ['a.md', 'a.mdx']) {
      const start = performance.now();
      const document = await parse(text, { path });
      expect(performance.now() - start).toBeLessThan(MAX_MILLISECONDS);
      expect(document.text).toBe(text);
    }
  });

  it('a document whose quotes would cost too much is indexed as plain text, with a warning', async () => {
    const document = await parse(repeat('> ```\na\n'));
    expect(codes(document)).toEqual(['parsed-as-plain-text']);
    expect(document.blocks).toEqual([
      { kind: 'paragraph', depth: 0, span: { start: 0, end: document.text.trimEnd().length } },
    ]);
  });

  it('700 kB of release notes take time in proportion to their length', async () => {
    const entry =
      '## 1.2.3 (2024-01-01)\n\n* **core:** fix `a_b` in [#1](https://a.b/1) ([abc](https://a.b/c))\n* feat: more\n\n```js\nrun();\n```\n\n';
    const notes = (length: number): string => entry.repeat(Math.ceil(length / entry.length));
    await parse(notes(200_000));
    const start = performance.now();
    const document = await parse(notes(700_000));
    expect(performance.now() - start).toBeLessThan(MAX_MILLISECONDS);
    expect(document.sections.at(-1)?.anchor).toBe(`123-2024-01-01-${document.sections.length - 1}`);
  });
});
