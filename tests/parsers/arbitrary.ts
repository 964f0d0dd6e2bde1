/** Markdown made of pieces that are awkward next to each other. */
import fc from 'fast-check';

const PIECES = [
  ...[
    '',
    '',
    ' ',
    '\t',
    'text',
    'two words',
    '日本語の文',
    'naïve — “quoted”',
    '😀 emoji',
    '\ufeff',
    '\u00a0',
    '\u200b',
    '\0',
  ],
  ...['# One', '## Two {#two}', '### ', '#', '####### no', 'Setext', '===', '---', '***', '- - -', '+++', '...'],
  ...[
    '- item',
    '  - nested',
    '    - deeper',
    '* star',
    '1. first',
    '10) tenth',
    '- [x] done',
    '-',
    '      indented',
    '\tcode',
  ],
  ...[
    '```',
    '```ts',
    '````md',
    '~~~',
    '~~~ x',
    '   ```',
    '    ```',
    '> quote',
    '> > deeper',
    '>',
    '> ```',
    '> - item',
    '> [!NOTE]',
  ],
  ...[
    '| a | b |',
    '|---|---|',
    '| c | `d|e` |',
    'a | b',
    '--|--',
    '<div>',
    '</div>',
    '<!-- comment -->',
    '<!-- open',
    '-->',
  ],
  ...[
    '<script>',
    '</script>',
    '<style>p{}</style>',
    '<Tabs>',
    '  <TabItem label="x">',
    '</TabItem>',
    '<Card',
    '  title="y"',
    '/>',
    '<>',
  ],
  ...[
    ':::note Title',
    ':::',
    '::: details',
    ':::tip[In brackets]',
    "import X from './x'",
    'export const a = {',
    '}',
    '{/* note */}',
    '{/* open',
  ],
  ...[
    '[label]: https://example.org "title"',
    '[^1]: footnote',
    '[text](target)',
    '![alt](image.png)',
    '**bold',
    '`code',
    '$x_1$',
    '&amp;',
    '\\*',
  ],
  ...['title: Page', 'draft: true', 'a: &a [*a]'],
];

const line = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...PIECES) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom(...PIECES), fc.constantFrom(...PIECES)).map(([a, b]) => `${a} ${b}`),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }).map((s) => s.replace(/[\r\n]/gu, '')) },
);

/** Lines without their ends. */
export const markdownLines: fc.Arbitrary<readonly string[]> = fc.array(line, { maxLength: 30 });

export const lineEnd: fc.Arbitrary<string> = fc.constantFrom('\n', '\r\n', '\r');

export const markdownText: fc.Arbitrary<string> = fc
  .array(fc.tuple(line, lineEnd), { maxLength: 30 })
  .map((lines) => lines.map(([text, end]) => text + end).join(''));

export const mediaType: fc.Arbitrary<string> = fc.constantFrom('text/markdown', 'text/mdx');
