/** What the program behind the first design got wrong when it read Markdown: each cannot happen here. */
import { describe, expect, it } from 'vitest';
import { searchableText } from '../../src/parsers/searchable.ts';
import { outline, parse } from './parse.ts';

describe('defects of the original parser', () => {
  it('a fence with blank lines was cut, since only its first paragraph counted as code', async () => {
    const fence = '```ts\nfirst();\n\nsecond();\n\nthird();\n```';
    expect(outline(await parse(`# T\n\n${fence}\n`))).toEqual(['heading: # T', `code: ${fence}`]);
  });

  it('## inside a fence began a section', async () => {
    const { sections } = await parse('# T\n\n```sh\n## a comment\nrun\n```\n\n## Real\n');
    expect(sections.map((section) => section.title)).toEqual(['T', 'Real']);
  });

  // [S0-chunk-headers-first]
  it('only headings of level 2, then 3, were sections', async () => {
    const { sections } = await parse('# 1\n## 2\n### 3\n#### 4\n##### 5\n###### 6\n');
    expect(sections.at(-1)?.path).toEqual(['1', '2', '3', '4', '5', '6']);
  });

  // [S0-metadata-url-hash]
  it('repeated headings had the same anchor', async () => {
    const { sections } = await parse('## Options\n\n## Options\n');
    expect(sections.map((section) => section.anchor)).toEqual(['options', 'options-1']);
  });

  it('{#custom} ids were dropped', async () => {
    const [section] = (await parse('## Title {#custom}\n')).sections;
    expect([section?.title, section?.anchor]).toEqual(['Title', 'custom']);
  });

  it('headings in other scripts had empty anchors', async () => {
    const { sections } = await parse('## 端口\n\n## Настройки\n');
    expect(sections.map((section) => section.anchor)).toEqual(['端口', 'настройки']);
  });

  // [S0-metadata-doc-id]
  it('the id of a document changed with every run, so that nothing was ever replaced', async () => {
    const [first, again, moved] = [await parse('a'), await parse('b'), await parse('a', { path: 'other.md' })];
    expect(again.id).toBe(first.id);
    expect(again.contentHash).not.toBe(first.contentHash);
    expect(moved.id).not.toBe(first.id);
  });

  it('markup was rewritten into text that is not in the file: tabs to headings, admonitions to bold words', async () => {
    const text = '<TabItem label="npm">\n\nInstall.\n\n</TabItem>\n\n:::tip\nHint.\n:::\n';
    const document = await parse(text);
    expect(document.text).toBe(text);
    expect(document.sections).toEqual([]);
    expect(searchableText(text).split(/\s+/u)).toEqual(['npm', 'Install.', 'Hint.']);
  });

  it('pages without a heading were called "Documentation"', async () => {
    expect((await parse('Text.', { path: 'learn/one-way-binding.md' })).title).toBe('One way binding');
  });

  it('import lines were removed from code, too', async () => {
    const [code] = outline(await parse('```js\nimport a from "a";\n```\n'));
    expect(code).toBe('code: ```js\nimport a from "a";\n```');
  });
});
