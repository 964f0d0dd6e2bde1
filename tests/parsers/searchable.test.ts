import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { searchableText } from '../../src/parsers/searchable.ts';
import { markdownText } from './arbitrary.ts';

describe('searchableText', () => {
  it.each([
    [
      'links, images and references',
      '[text](https://a.b/c(d) "title") ![alt](x.png) [ref][1] [short][] <https://a.b>',
      'text alt ref short https://a.b',
    ],
    ['a linked image', '[![alt text](a.png)](https://a.b)', 'alt text'],
    ['brackets that are no link', 'matrix[i][j] and [a] (b)', 'matrix[i][j] and [a] (b)'],
    ['emphasis', '**bold** *it* __b__ _i_ ~~gone~~ ***both*** un*believ*able', 'bold it b i gone both unbelievable'],
    ['marks that are text', 'snake_case_name 2 * 3 * 4 ~5 src/*.ts a_b', 'snake_case_name 2 * 3 * 4 ~5 src/*.ts a_b'],
    ['code spans, verbatim', '`a*b*` ``c`d`` `<T>` `[x](y)` ` e `', 'a*b* c`d <T> [x](y) e'],
    [
      'escapes and entities',
      '\\*no\\* \\[x\\] C:\\dir &amp; &lt;b&gt; &#39; &nope;',
      "*no* [x] C:\\dir & <b> ' &nope;",
    ],
    [
      'tags and comments',
      'a<b>b</b> <span class="x">c</span><td>d</td><!-- no --> e<br>f 1 < 2 > 1',
      'ab c d e f 1 < 2 > 1',
    ],
    [
      'attributes that are seen',
      '<TabItem value="v" label="npm"> <img src="a" alt=\'pic\'> <Card title={"T"} on={() => 1 > 0}/>',
      'npm pic T',
    ],
    ['scripts and styles', '<script>let a</script>b<style>\np {}\n\nq {}\n</style>', 'b'],
    ['headings', '# One #\n\n## Two {#two}\nThree {#t}\n===\n\n#hash', 'One\n\nTwo\nThree\n\n#hash'],
    ['lists, tasks and quotes', '- a\n  * b\n1. c\n- [x] d\n> e\n> > f\n> [!NOTE]\n> g', 'a\nb\nc\nd\ne\nf\ng'],
    ['tables', '| a | b |\n|---|:-:|\n| `x|y` | 2 \\| 3 |', 'a b\nx|y 2 | 3'],
    [
      'fences',
      '```ts {1} title="a.ts"\nlet **a** = `b`;\n\n  # c\n```\nend',
      'ts a.ts\nlet **a** = `b`;\n\n  # c\nend',
    ],
    [
      'fences with captions in lists and quotes',
      '- ```sh [npm]\n  npm i\n  ```\n> ~~~\n> a\n> ~~~',
      'sh npm\n  npm i\n\na',
    ],
    [
      'admonitions',
      ':::note Take care\ntext\n:::\n::: details [In] **b**\n:::tip[Inside]\n::: warning {open}\n:::',
      'Take care\ntext\n[In] b\nInside',
    ],
    [
      'footnotes and math',
      'Note[^1]. $a_1 * b_2$ $$\\int_0^1 x\\,dx$$ $HOME and $PATH\n\n[^1]: the _note_',
      'Note. $a_1 * b_2$ $$\\int_0^1 x\\,dx$$ $HOME and $PATH\n\nthe note',
    ],
    ['definitions', '[label]: https://a.b/c "Title"\n[x]: <d e>', 'label Title\nx'],
    ['MDX', 'import A from "./a"\n\ntext {/* note */} more', 'text more'],
    ['rules', 'a\n\n---\n\n* * *\n\nb', 'a\n\nb'],
    [
      'encoded files',
      `a ![x](data:image/png;base64,${'QUJD'.repeat(100)}) b ${'A1'.repeat(150)} c data:text/plain,xyz d`,
      'a x b c d',
    ],
    ['a comment with blank lines', '<!-- a\n\nb --> c', 'c'],
    ['CRLF', '# a\r\n\r\n- b\r\n', 'a\n\nb'],
  ])('%s', (_name, source, expected) => {
    expect(searchableText(source).replace(/ +/gu, ' ')).toBe(expected.replace(/ +/gu, ' '));
  });

  it('goes on in the code of a fence that began earlier', () => {
    expect(searchableText('a **b**\n# c\n```\n*d*', true)).toBe('a **b**\n# c\nd');
  });

  it('adds nothing: what remains stands in the source in this order', () => {
    fc.assert(
      fc.property(markdownText, (text) => {
        fc.pre(!text.includes('&'));
        const result = searchableText(text).replace(/\s/gu, '');
        let matched = 0;
        for (const c of text) if (result.startsWith(c, matched)) matched += c.length;
        expect(result.slice(matched)).toBe('');
      }),
      { numRuns: 1000 },
    );
  });

  it('loses no word of plain prose', () => {
    const word = fc.string({ unit: fc.constantFrom(...'abcdéß1数'), minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (words) => {
        expect(searchableText(words.join(' '))).toBe(words.join(' '));
      }),
    );
  });

  const N = 60_000;
  const HOSTILE = [
    ...[
      '[',
      '![',
      '](',
      '[a](',
      '[a](b "c" ',
      '[a](<b ',
      '[a][b',
      '((',
      '*a **b _c ',
      '*',
      '_a',
      '~~',
      '$a ',
      '$$',
      '`` ` ',
      '`',
    ],
    ...[
      '<',
      '<a ',
      '<a b="',
      '<a b=\'x" ',
      '<A {',
      '<!--',
      '<!-- -->',
      '<a:',
      '<script>',
      '<style',
      '</',
      '{/* ',
      '{#a}',
      '&a',
      '&#1',
      '\\',
    ],
    ...[
      '> ',
      '- ',
      '> - 1. ',
      '- [ ] ',
      '# ',
      '#',
      '```\n',
      '~~~ a\n',
      '|a',
      '|-|\n',
      ':::',
      ':::a [',
      '[^a',
      '[x]: <a',
      '[x]: a "',
      'import "',
    ],
    ...[
      'data:',
      'data:a/b,',
      'A',
      `${'A'.repeat(200)} `,
      '\n',
      '\r',
      ' ',
      '\t',
      '<A\n',
      '<!--\n\n',
      '<script>\n\n',
      'x',
    ],
  ];

  it('takes linear time on hostile text', () => {
    for (const piece of HOSTILE) {
      const text = piece.repeat(Math.ceil(N / piece.length));
      const start = performance.now();
      searchableText(text);
      searchableText(`${text}\n)]>"'}-->`);
      // Quadratic time would be minutes; linear is some 10 ms on a quiet machine.
      expect(performance.now() - start, JSON.stringify(piece)).toBeLessThan(3_000);
    }
    const ticks = Array.from({ length: 600 }, (_, i) => '`'.repeat(i + 1)).join(' ');
    expect(searchableText(ticks).length).toBe(ticks.length);
  });
});
