/**
 * What each entry of the hostile corpus must do, as code. The table of tools/hostile-table.mjs shows the corpus's own
 * words beside what these checks say.
 */
import assert from 'node:assert/strict';
import {
  all,
  anchors,
  asked,
  CONTROLS,
  cutInto,
  failure,
  found,
  headings,
  holds,
  lacks,
  leftOut,
  linesOf,
  listed,
  page,
  records,
  titled,
  warned,
  type Check,
} from './check-kinds.ts';

const LONG_NAME = `md/${'long-'.repeat(40)}.md`;

const CHECKS: Readonly<Record<string, Check>> = {
  'empty/zero.md': leftOut('empty'),
  'empty/only-newlines.md': leftOut('empty'),
  'empty/only-frontmatter.md': leftOut('empty'),
  'empty/only-bom.txt': leftOut('empty'),

  'enc/utf8-bom.md': headings('BOM heading 007'),
  'enc/utf16le-bom.md': found('zebrafish 007', 1),
  'enc/utf16be-bom.txt': found('pelicans 007', 1),
  'enc/latin1.md': all(found('30 cm', 1), warned(/Windows-1252/u), holds('Größe', 'Straßenschilds')),
  'enc/invalid-utf8.md': all(warned(/Windows-1252/u), holds('Marker-007 stays')),
  'enc/nul-bytes.txt': leftOut('binary'),
  'enc/lone-surrogate.json': holds('lone surrogate'),
  'enc/crlf.md': all(anchors('crlf-title', 'second'), holds('const a = 1'), linesOf(7)),
  'enc/cr-only.md': all(headings('CR only', 'Part two'), linesOf(5)),
  'enc/mixed-eol-ls.md': page(() => ''),
  'enc/controls.md': async ({ run }) => {
    const { stdout, stderr } = await run(['search', 'terminal escapes', '--top', '3']);
    assert.match(stdout, /Bell \\u0007 and ESC \\u001b\[31mred/u);
    assert.doesNotMatch(stdout + stderr, CONTROLS);
    return 'shown as \\u0007 and \\u001b';
  },
  'enc/bidi.md': holds('access_level'),

  'lang/chinese.md': all(found('数据库 端口', 1), cutInto(2)),
  'lang/japanese.md': all(found('タイムアウト', 1), cutInto(2)),
  'lang/arabic.md': all(holds('لتثبيت البرنامج افتح الإعدادات'), found('المنفذ', 1)),
  'lang/hebrew-mixed.md': holds('npm install'),
  'lang/thai.txt': cutInto(2),
  'lang/emoji-zwj.md': cutInto(2),
  'lang/nfd.md': found('München', 1),
  'lang/turkish-i.md': found('istanbul', 1),

  'md/unclosed-fence.md': headings('Unclosed'),
  'md/fence-in-fence.md': headings('Nested', 'Real heading'),
  'md/tilde-fence.md': headings('T', 'yes'),
  'md/setext.md': headings('Title here', 'Sub here'),
  'md/broken-frontmatter.md': all(warned(/front matter/u), holds('Answer-007')),
  'md/frontmatter-not-closed.md': holds('The text must still be indexed 007'),
  'md/frontmatter-types.md': titled('2024-01-01'),
  'md/yaml-bomb.md': titled('bomb'),
  'md/html-in-md.md': all(holds('Inside details text-007', 'HTML heading 007'), lacks('alert', 'SECRET-007', 'p{}')),
  'md/mdx.mdx': all(holds('npm i thing-007', 'yarn add thing-007', 'Admonition body'), lacks('import X')),
  'md/deep-list.md': holds('level 399'),
  'md/deep-quote.md': holds('bottom-007'),
  'md/deep-emphasis.md': cutInto(2),
  'md/many-headings.md': page(({ document: { sections } }) => {
    assert.equal(sections.length, 10_001);
    assert.equal(new Set(sections.map(({ anchor }) => anchor)).size, 10_001);
    return '10,001 headings, anchors unique';
  }),
  'md/same-headings.md': anchors('same', 'options', 'options-1', 'options-2'),
  'md/level-jump.md': page(({ chunks }) => {
    const four = chunks.find(({ text }) => text.includes('text 007'));
    assert.deepEqual(four?.headingPath, ['one', 'four']);
    assert(four.text.includes('seven is text'));
    return `path ${four.headingPath.join(' › ')}`;
  }),
  'md/empty-headings.md': holds('text'),
  'md/huge-table.md': all(found('row-4321-007', 1), cutInto(100)),
  'md/wide-table.md': cutInto(2),
  'md/one-line-200kb.md': all(found('needle', 1), cutInto(100)),
  'md/base64-blob.md': all(found('After-blob text', 1), lacks('QUJDQUJD')),
  'md/footnotes-math.md': all(
    holds('footnote text 007'),
    page(({ chunks }) => {
      assert(chunks[0]?.text.includes('\\int_0^1') === true);
      return 'math kept';
    }),
  ),
  'md/link-loop.md': lacks('/etc/shadow', 'root:'),
  'md/name with spaces & ünïcode #1.md': page(({ document: { uri } }) => {
    assert.match(uri, /\/name%20with%20spaces%20(?:&|%26)%20%C3%BCn%C3%AFcode%20%231\.md$/u);
    return 'its uri is percent-encoded';
  }),
  'md/UPPER.MD': headings('Upper-case extension'),
  [LONG_NAME]: headings('Long name'),
  'md/dup-a.md': found('Identical content 007', 1),
  'md/dup-b.md': async ({ engine }) => {
    const { hits } = await engine.search({ query: 'Identical content 007' });
    const copies = hits.filter(({ chunk }) => /dup-[ab]\.md$/u.test(chunk.path));
    assert.equal(copies.length, 1);
    assert.match(copies[0]?.alsoAt.join() ?? '', /dup-b\.md$/u);
    return 'one hit, also at dup-b.md';
  },

  'data/bad.jsonl': records(['ok 007'], [2, 3, 4, 5, 6, 7]),
  'data/huge-line.jsonl': records(['huge'], [], 100),

  'binary/fake.md': leftOut('binary'),
  'binary/elf.txt': leftOut('binary'),
  'md/symlink-out.md': leftOut('symbolic-link'),
  'md/loop': leftOut('symbolic-link'),

  'md/pipe.md': leftOut('not-a-file'),
  'md/unreadable.md': failure(/permission/u),
  'md/caf\uFFFD.md': failure(/not valid UTF-8/u),
  'build/artefact.md': found('quokka', 1),
};

/** No crash, no hang, a listed outcome: their parsers and defences come with later issues. */
const LATER = /^(?:html|mail|office|tex|data|inject)\//u;

export function checkOf(entry: string): Check | undefined {
  if (Object.hasOwn(CHECKS, entry)) return CHECKS[entry];
  if (entry.startsWith('inject/')) return all(listed, asked);
  return LATER.test(entry) ? listed : undefined;
}
