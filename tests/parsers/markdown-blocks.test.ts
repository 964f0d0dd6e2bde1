import { describe, expect, it } from 'vitest';
import { outline, parse, slice } from './parse.ts';

const blocks = async (text: string, path = 'page.md'): Promise<readonly string[]> =>
  outline(await parse(text, { path }));
const excluded = async (text: string, path = 'page.md'): Promise<readonly string[]> => {
  const document = await parse(text, { path });
  return document.exclusions.map((exclusion) => `${exclusion.reason}: ${slice(document, exclusion)}`);
};

describe('blocks', () => {
  it('are whole lines without the last line end, blank lines or marks of their own', async () => {
    expect(await blocks('  para\n  graph  \n\n\n# Head ##\ntext\n\n    code\n\n    more\n\n')).toEqual([
      'paragraph:   para\n  graph',
      'heading: # Head ##',
      'paragraph: text',
      'code:     code\n\n    more',
    ]);
  });

  it('split lists into items, nested ones with their depth', async () => {
    expect(
      await blocks(
        '- one\n  goes on\n- two\n  - inner\n    - inmost\n\n  again two\n\n1. first\n   ```sh\n   run\n   ```\n',
      ),
    ).toEqual([
      'list-item: - one\n  goes on',
      'list-item: - two',
      'list-item1:   - inner',
      'list-item2:     - inmost',
      'list-item:   again two',
      'list-item: 1. first',
      'code:    ```sh\n   run\n   ```',
    ]);
  });

  it('know the language of a fence', async () => {
    const text = [
      'ts',
      'js{1,3}',
      ' bash [npm]',
      'js:line-numbers',
      'c++ title="a.cc"',
      '{.python}',
      '',
      '{1}',
      'title="x"',
    ];
    const document = await parse(text.map((info) => `\`\`\`${info}\nx\n\`\`\`\n`).join('\n'));
    const languages = ['ts', 'js', 'bash', 'js', 'c++', 'python', undefined, undefined, undefined];
    expect(document.blocks.map((block) => block.language)).toEqual(languages);
  });

  it('end a fence at the same mark of the same length or longer, or at the end', async () => {
    expect(await blocks('````md\n```js\n# no\n```\n````\n\ntext\n')).toEqual([
      'code: ````md\n```js\n# no\n```\n````',
      'paragraph: text',
    ]);
    expect(await blocks('~~~\n```\n~~~~~\ntext\n')).toEqual(['code: ~~~\n```\n~~~~~', 'paragraph: text']);
    expect(await blocks('```\na\n\n## b\n\n')).toEqual(['code: ```\na\n\n## b']);
  });

  it('keep a table whole', async () => {
    const table = '| a | b |\n|---|:-:|\n| 1 | 2 \\| 3 |\n| 4 |';
    expect(await blocks(`before\n${table}\n\nafter\n`)).toEqual([
      'paragraph: before',
      `table: ${table}`,
      'paragraph: after',
    ]);
  });

  it('name quotes, also GitHub alerts, and leave their bare marks out', async () => {
    const text = '> [!NOTE]\n> Text\n>\n> # Head\n>\n> - item\n>\n> ```js\n> code\n> ```\nlazy\n';
    expect(await blocks(text)).toEqual([
      'quote: > [!NOTE]\n> Text',
      'quote: > # Head',
      'list-item: > - item',
      'code: > ```js\n> code\n> ```',
      'paragraph: lazy',
    ]);
    expect(await excluded(text)).toEqual(['markup-only: >', 'markup-only: >', 'markup-only: >']);
  });

  it('keep HTML with words, and leave out comments, scripts and bare tags', async () => {
    const text =
      '<div>\n<p>Words</p>\n</div>\n\n<!-- a\n\nb -->\n\n<script>\nlet a = 1;\n\nlet b;\n</script>\n\n<br/>\n\n<details>\n\nText\n\n</details>\n';
    expect(await blocks(text)).toEqual(['html: <div>\n<p>Words</p>\n</div>', 'paragraph: Text']);
    expect(await excluded(text)).toEqual([
      'comment: <!-- a\n\nb -->',
      'script: <script>\nlet a = 1;\n\nlet b;\n</script>',
      'markup-only: <br/>',
      'markup-only: <details>',
      'markup-only: </details>',
    ]);
  });

  it('keep link definitions and footnotes, and leave out rules', async () => {
    const text = '[a]: https://example.org "T"\n[^1]: word\n[^2]: two words\n\n---\n';
    expect(await blocks(text)).toEqual([
      'other: [a]: https://example.org "T"',
      'paragraph: [^1]: word\n[^2]: two words',
    ]);
    expect(await excluded(text)).toEqual(['markup-only: ---']);
  });

  it('keep NUL characters and their places', async () => {
    const document = await parse('# a\0b\n\n\0\n\ntext \0 text\n');
    expect(outline(document)).toEqual(['heading: # a\0b', 'paragraph: \0', 'paragraph: text \0 text']);
    expect(document.text).toHaveLength(22);
  });
});

describe('admonitions', () => {
  it('are marks around ordinary blocks', async () => {
    const text =
      'before\n:::note Take *care*\ntext\n## Heading\n- item\n:::\n\n::: tip\n\n```js\n:::\n```\n\n:::\nafter\n';
    expect(await blocks(text)).toEqual([
      'paragraph: before',
      'other: :::note Take *care*',
      'paragraph: text',
      'heading: ## Heading',
      'list-item: - item',
      'code: ```js\n:::\n```',
      'paragraph: after',
    ]);
    expect(await excluded(text)).toEqual(['markup-only: :::', 'markup-only: ::: tip', 'markup-only: :::']);
  });

  it('may stand in lists, have a longer mark, or an indented body', async () => {
    expect(await blocks('1. step\n   :::warning[Careful]\n   body\n   :::\n2. next\n')).toEqual([
      'list-item: 1. step',
      'other:    :::warning[Careful]',
      'list-item:    body',
      'list-item: 2. next',
    ]);
    expect(await blocks(':::: details More\n::: note\n    indented\n:::\n::::\n')).toEqual([
      'other: :::: details More',
      'paragraph:     indented',
    ]);
  });

  it('are not made of other colons', async () => {
    expect(await blocks('::: {.pandoc}\n\nstd:::text\n')).toEqual([
      'paragraph: ::: {.pandoc}',
      'paragraph: std:::text',
    ]);
  });
});

describe('components', () => {
  it('do not hide the Markdown inside, in Markdown or MDX', async () => {
    const text =
      '<Tabs>\n  <TabItem value="npm" label="npm">\n```sh\nnpm i\n```\n  </TabItem>\n  <TabItem label="yarn">\n    ## Inside\n    text\n  </TabItem>\n</Tabs>\n';
    for (const path of ['page.md', 'page.mdx']) {
      expect(await blocks(text, path)).toEqual([
        'other:   <TabItem value="npm" label="npm">',
        'code: ```sh\nnpm i\n```',
        'other:   <TabItem label="yarn">',
        'heading:     ## Inside',
        'paragraph:     text',
      ]);
      expect((await parse(text, { path })).sections.map((section) => section.title)).toEqual(['Inside']);
    }
  });

  it('may go over several lines, and end a paragraph', async () => {
    const text = 'text\n<Card\n  title="Words"\n\n  items={[{a: ">"}]}\n>\ninside\n</Card>\n<Plain />\nafter\n';
    expect(await blocks(text)).toEqual([
      'paragraph: text\n<Card\n  title="Words"',
      'paragraph:   items={[{a: ">"}]}',
      'paragraph: inside',
      'paragraph: after',
    ]);
    expect(await blocks(`\n${text.slice(5)}`)).toEqual([
      'other: <Card\n  title="Words"\n\n  items={[{a: ">"}]}\n>',
      'paragraph: inside',
      'paragraph: after',
    ]);
  });

  it('leave HTML to the rules of HTML in Markdown, and read its tags as JSX in MDX', async () => {
    const text = '<div>\n# inside\n</div>\n';
    expect(await blocks(text)).toEqual([`html: ${text.trim()}`]);
    expect(await blocks(text, 'page.mdx')).toEqual(['heading: # inside']);
  });

  it('that do not end are text, with a warning in MDX', async () => {
    const text = '# Title\n\n<Card {\n\ntext\n\nexport const a = {\n\nmore\n';
    const document = await parse(text, { path: 'page.mdx' });
    expect(outline(document)).toEqual([
      'heading: # Title',
      'paragraph: <Card {',
      'paragraph: text',
      'paragraph: export const a = {',
      'paragraph: more',
    ]);
    expect(document.warnings.map((warning) => [warning.code, warning.message.match(/line \d+/u)?.[0]])).toEqual([
      ['mdx-read-as-markdown', 'line 3'],
    ]);
    expect((await parse(text)).warnings).toEqual([]);
  });

  it('are left alone in code', async () => {
    const text = '    <Tabs>\n\n```jsx\n<Tabs>\nimport a from "b"\n```\n';
    expect(await blocks(text)).toEqual(['code:     <Tabs>', 'code: ```jsx\n<Tabs>\nimport a from "b"\n```']);
  });
});

describe('MDX', () => {
  it('imports, exports and comments are left out', async () => {
    const text = [
      ...[
        "import A from './a'",
        'import {',
        '  b,',
        "} from 'b';",
        "import 'c.css'",
        'export const meta = {',
        "  title: 'x',",
        '',
        '  list: [1],',
        '};',
        '',
      ],
      ...[
        'export default function Layout({children}) {',
        "  return <p>don't</p>;",
        '}',
        '',
        '{/* a',
        '',
        'b */}',
        '',
        'Text.',
      ],
    ].join('\n');
    for (const path of ['page.md', 'page.mdx']) {
      expect(await blocks(text, path)).toEqual(['paragraph: Text.']);
      expect((await excluded(text, path)).map((exclusion) => exclusion.split(/[\s:]/u)[0])).toEqual([
        ...['mdx-import', 'mdx-import', 'mdx-import', 'mdx-import', 'mdx-import', 'comment'],
      ]);
    }
  });

  it('are not made of prose', async () => {
    const prose = [
      'import the data from the file',
      'export default settings are kept',
      'import duties of “goods”',
      'exports rose',
      'export everything',
    ];
    for (const path of ['page.md', 'page.mdx']) {
      expect(await blocks(prose.join('\n\n'), path)).toEqual(prose.map((line) => `paragraph: ${line}`));
    }
  });

  it('has no indented code, and fences at any column', async () => {
    expect(
      await blocks('text\n    ```js\n    code\n    ```\n\n    ## Head\n\n   ```\n   a\n    ```\n\nend\n', 'page.mdx'),
    ).toEqual([
      'paragraph: text',
      'code:     ```js\n    code\n    ```',
      'heading:     ## Head',
      'code:    ```\n   a\n    ```',
      'paragraph: end',
    ]);
  });
});

describe('the document', () => {
  it('says where it is from', async () => {
    const document = await parse('# A\n', { path: 'a/b.md', url: 'https://example.org/a/b' });
    expect(document).toMatchObject({
      sourceId: 'docs',
      uri: 'file:///docs/a/b.md',
      path: 'a/b.md',
      url: 'https://example.org/a/b',
      revision: 'r1',
    });
    expect(document).toMatchObject({ type: 'markdown', language: '', text: '# A\n' });
    expect(document.id).toMatch(/^[0-9a-f]{24}$/u);
    expect(document.contentHash).toMatch(/^[0-9a-f]{64}$/u);
    expect('url' in (await parse('# A\n'))).toBe(false);
  });

  it('is plain text, with a warning, when it is longer than the limit', async () => {
    const text = '---\ntitle: Long\n---\n\n# Head\n\n- a\n- b\n';
    const document = await parse(text, { settings: { maxMarkdownChars: 20 } });
    expect(document.title).toBe('Long');
    expect(outline(document)).toEqual(['paragraph: # Head', 'paragraph: - a\n- b']);
    expect(document.warnings.map((warning) => warning.code)).toEqual(['parsed-as-plain-text']);
  });
});
