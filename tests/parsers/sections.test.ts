import { describe, expect, it } from 'vitest';
import { parse, slice } from './parse.ts';

const headings = async (text: string): Promise<readonly string[]> =>
  (await parse(text)).sections.map((section) => `h${section.level} ${section.title} #${section.anchor}`);

describe('sections', () => {
  it('span from their heading to the next of the same or a higher level', async () => {
    const text = '# One\n\na\n\n## Two\n\nb\n\n### Three\n\nc\n\n## Four\n\nd\n';
    const document = await parse(text);
    const sections = document.sections.map((section) => [
      section.path.join(' > '),
      slice(document, section).split('\n')[0],
    ]);
    expect(sections).toEqual([
      ['One', '# One'],
      ['One > Two', '## Two'],
      ['One > Two > Three', '### Three'],
      ['One > Four', '## Four'],
    ]);
    expect(document.sections.map((section) => section.span)).toEqual([
      { start: 0, end: text.length },
      { start: text.indexOf('## Two'), end: text.indexOf('## Four') },
      { start: text.indexOf('### Three'), end: text.indexOf('## Four') },
      { start: text.indexOf('## Four'), end: text.length },
    ]);
    expect(document.sections.map((section) => slice(document, { span: section.headingSpan }))).toEqual([
      '# One',
      '## Two',
      '### Three',
      '## Four',
    ]);
  });

  it('have titles of a length that every chunk below them can bear', async () => {
    const long = `${'word '.repeat(2000)}😀`.trim();
    for (const text of [`# ${long}\n\n## B\n\ntext\n`, `---\ntitle: ${long}\n---\n## B\n\ntext\n`]) {
      const { title, sections } = await parse(text);
      expect(title).toMatch(/^(?:word ){100}…$/u);
      expect(sections.every((section) => section.path.join('').length < 600)).toBe(true);
    }
    const { sections } = await parse(`# ${'😀'.repeat(300)}x\n`);
    expect(sections[0]?.title).toBe(`${'😀'.repeat(250)}…`);
    const odd = await parse(`# x${'😀'.repeat(300)}\n`);
    expect(odd.title).toBe(`x${'😀'.repeat(249)}…`);
  });

  it('have sensible paths where levels jump', async () => {
    const { sections } = await parse('###### six\n\n# one\n\n#### four\n\n## two\n');
    expect(sections.map((section) => section.path)).toEqual([['six'], ['one'], ['one', 'four'], ['one', 'two']]);
  });

  it('have anchors like GitHub, unique, letters of every script kept', async () => {
    expect(
      await headings(
        '# Options\n## Options\n## Options\n## Options 1\n## Größe & Höhe\n## 数据库 端口\n## `DB_HOST` setting!\n',
      ),
    ).toEqual([
      'h1 Options #options',
      'h2 Options #options-1',
      'h2 Options #options-2',
      'h2 Options 1 #options-1-1',
      'h2 Größe & Höhe #größe--höhe',
      'h2 数据库 端口 #数据库-端口',
      'h2 DB_HOST setting! #db_host-setting',
    ]);
  });

  it('take their anchor from a custom id, which is not part of the title', async () => {
    expect(
      await headings(
        '# Setup {#install}\n## Install\n## Other {#install}\n## MDX {/* #In-MDX */}\nSetext {#s}\n---\n## a {b}\n',
      ),
    ).toEqual([
      'h1 Setup #install',
      'h2 Install #install-1',
      'h2 Other #install-2',
      'h2 MDX #In-MDX',
      'h2 Setext #s',
      'h2 a {b} #a-b',
    ]);
  });

  it('have an anchor even when the title has no letters, and need a title', async () => {
    expect(await headings('# 🚀\n## !!!\n#\n##   \n## \u200b\n### ###\n')).toEqual([
      'h1 🚀 #section',
      'h2 !!! #section-1',
    ]);
  });

  it('have titles as people read them', async () => {
    expect(
      await headings(
        [
          '# **Bold** and *italic* `co*de*` ##',
          '## [Link](https://example.org "title") and ![image](a.png)',
          '## A \\*star\\* &amp; <b>HTML</b> <Badge type="new" />',
          '## snake_case and __init__ and 2 * 3',
          '## [defined] and [not defined] and [text][defined]',
          '## <https://example.org>',
          '',
          '[defined]: https://example.org',
        ].join('\n'),
      ),
    ).toEqual([
      'h1 Bold and italic co*de* #bold-and-italic-code',
      'h2 Link and image #link-and-image',
      'h2 A *star* & HTML #a-star--html',
      'h2 snake_case and init and 2 * 3 #snake_case-and-init-and-2--3',
      'h2 defined and [not defined] and text #defined-and-not-defined-and-text',
      'h2 https://example.org #httpsexampleorg',
    ]);
  });

  it('recognise setext headings, also of several lines', async () => {
    expect(await headings('Title\n=====\n\nTwo\nlines\n---\n\ntext\n')).toEqual([
      'h1 Title #title',
      'h2 Two lines #two-lines',
    ]);
  });

  it('are not made of headings in fences, HTML, quotes and lists', async () => {
    const text = [
      ...[
        '# Real',
        '',
        '````md',
        '```',
        '# in a fence',
        '```',
        '# still',
        '````',
        '',
        '~~~',
        '# tilde',
        '~~~',
        '',
        '    # indented',
        '',
      ],
      ...[
        '<div>',
        '# in HTML',
        '</div>',
        '',
        '> # in a quote',
        '',
        '- # in a list',
        '',
        '<!--',
        '# in a comment',
        '-->',
        '',
      ],
      ...['#no space', '', '####### seven', '', '```', '# never closed'],
    ].join('\n');
    expect(await headings(text)).toEqual(['h1 Real #real']);
  });

  it('give the document its title: front matter, else the first level 1, else the file name', async () => {
    expect((await parse('## Two\n\n# One\n\n# Later\n')).title).toBe('One');
    expect((await parse('---\ntitle: Front\n---\n# One\n')).title).toBe('Front');
    expect((await parse('## Two\n', { path: 'guide/getting_started-now.md' })).title).toBe('Getting started now');
    expect((await parse('text', { path: 'guide/index.md' })).title).toBe('Guide');
    expect((await parse('text', { path: 'README.md' })).title).toBe('README');
    expect((await parse('# <!-- nothing -->\n\ntext', { path: 'über.md' })).title).toBe('Über');
  });
});
