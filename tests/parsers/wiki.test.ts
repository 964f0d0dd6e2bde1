import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Document } from '../../src/core/types.ts';
import wikiParser from '../../src/parsers/wiki.ts';
import { wikiText } from '../../src/parsers/wiki-text.ts';
import { checkChunks, chunkDocument, SMALL } from '../chunkers/chunk.ts';
import { corpora, haveCorpora, outline, slice } from './parse.ts';

async function wiki(text: string, title = 'Page'): Promise<Document> {
  const raw = {
    sourceId: 'wiki',
    uri: `file:///wiki.jsonl#${encodeURIComponent(title)}`,
    path: `wiki.jsonl#${title}`,
    revision: 'r1',
    mediaType: 'text/x-wiki',
    body: new TextEncoder().encode(text),
    metadata: { source: 'wiki', title, type: 'wiki', category: 'bisq1' },
    url: `https://wiki.example.org/${title}`,
  };
  for await (const document of wikiParser().parse(raw, { read: async () => undefined })) return document;
  throw new Error('no document');
}

const sections = ({ sections: all }: Document): readonly string[] =>
  all.map(({ level, path, anchor }) => `${level} ${path.join(' > ')} #${anchor}`);

describe('headings', () => {
  test("MediaWiki's own, nested, with anchors as it makes them", async () => {
    const document = await wiki("= A =\n\n== B ''it'' ==\ntext\n=== [[C|See C]] ===\n== B it ==\n==== = ====\n=====\n");
    expect(sections(document)).toEqual([
      '1 A #A',
      '2 A > B it #B_it',
      '3 A > B it > See C #See_C',
      '2 A > B it #B_it_2',
      '4 A > B it > = #=',
    ]);
  });

  test('what a converter made of deeper ones is read as what they were', async () => {
    // `re.sub('== (.*?) ==', '## $1\n')`, applied to === and ==== and =====
    const document = await wiki(
      '## Two\n\n## = Three\n=\n\ntext\n\n##\nFour\n##\n\ntext\n\n##\n= Five\n##\n=\n\n## =Three again\n=\nend\n',
    );
    expect(sections(document)).toEqual([
      '2 Two #Two',
      '3 Two > Three #Three',
      '4 Two > Three > Four #Four',
      '5 Two > Three > Four > Five #Five',
      '3 Two > Three again #Three_again',
    ]);
    expect(document.sections[1]!.span).toEqual({
      start: document.text.indexOf('## = Three'),
      end: document.text.indexOf('## =Three again'),
    });
    expect(slice(document, { span: document.sections[3]!.headingSpan })).toBe('##\n= Five\n##\n=');
    // None of the marks is left over as a paragraph.
    expect(outline(document).filter((block) => !block.startsWith('heading'))).toEqual([
      'paragraph: text',
      'paragraph: text',
      'paragraph: end',
    ]);
  });

  test('# begins a step of a list, and ## between steps one below it', async () => {
    expect(outline(await wiki('Do this:\n# one\n## one and a half\n# two\n\n## Next\n\nend'))).toEqual([
      'paragraph: Do this:',
      'list-item: # one',
      'list-item1: ## one and a half',
      'list-item: # two',
      'heading: ## Next',
      'paragraph: end',
    ]);
  });
});

describe('what is not text', () => {
  test.each([
    ['600px|thumb|left|The wallet.', 'The wallet.'],
    ['thumb|right|upright=1.2|alt=a wallet|The [[wallet]].', 'The [[wallet]].'],
    ['[[File:wallet.png|600px|thumb|The wallet.]]', 'The wallet.'],
    ['File:wallet.png|The wallet.', 'The wallet.'],
  ])('of an image only the caption: %s', async (line, caption) => {
    const document = await wiki(`before\n\n${line}\n\nafter`);
    expect(outline(document)).toEqual(['paragraph: before', `paragraph: ${caption}`, 'paragraph: after']);
    expect(document.exclusions.every(({ reason }) => reason === 'markup-only')).toBe(true);
    expect(wikiText(line)).toBe(caption.replaceAll(/[[\]]/g, ''));
  });

  test.each(['thumb', '[[File:a.png|thumb]]', '600px|left', '__TOC__', '----', '[[Category:Tools]]', '{{stub}}'])(
    '%s has no words',
    async (line) => {
      const document = await wiki(`before\n\n${line}\n\nafter`);
      expect(outline(document)).toEqual(['paragraph: before', 'paragraph: after']);
      expect(document.exclusions.map((part) => slice(document, part))).toEqual([line]);
      expect(wikiText(line.replace('[[Category:Tools]]', ''))).toBe('');
    },
  );

  test.each(['left', 'None', 'top', 'left|right', 'the center|left of it', 'a | b'])(
    '%s are words of a sentence',
    async (line) => expect(outline(await wiki(line))).toEqual([`paragraph: ${line}`]),
  );

  test('categories, with brackets and without, can be filtered on', async () => {
    const { metadata, blocks, type, title } = await wiki('text\n\nCategory:Use Cases\n[[Category:Tools|x]]\n');
    expect(metadata).toEqual({ source: 'wiki', category: 'bisq1', categories: ['Use Cases', 'Tools'] });
    expect({ blocks: blocks.length, type, title }).toEqual({ blocks: 1, type: 'wiki', title: 'Page' });
  });
});

test('tables are blocks without their frame, and are searched by their cells', async () => {
  const table =
    '{| class="wikitable"\n|-\n! style="width:9%;" | Max (%) !! Violation\n|-\n| style="x:y" | 25 || Writing \'\'BTC\'\'\n|}';
  const document = await wiki(`${table}\nafter`);
  expect(outline(document)).toEqual([
    'table: ! style="width:9%;" | Max (%) !! Violation\n|-\n| style="x:y" | 25 || Writing \'\'BTC\'\'',
    'paragraph: after',
  ]);
  expect(wikiText(table)).toBe('Max (%) Violation\n25 Writing BTC');
});

test('lists, bold text at the beginning of a line, and numbers', async () => {
  expect(outline(await wiki('**Fees** are paid.\n* a\n** b\n:**c:** d\n1. e\n* **f**\n: \n'))).toEqual([
    'paragraph: **Fees** are paid.',
    'list-item: * a',
    'list-item1: ** b',
    'list-item: :**c:** d',
    'list-item: 1. e',
    'list-item: * **f**',
  ]);
});

test('code is left alone', async () => {
  const document = await wiki("```bash\n# == no heading ==\n[[ -f x ]] && echo ''\n```\n<pre>\n* raw\n</pre>\ntext");
  expect(outline(document).map((block) => block.slice(0, 12))).toEqual([
    'code: ```bas',
    'code: <pre>\n',
    'paragraph: t',
  ]);
  expect(wikiText(slice(document, document.blocks[0]!))).toBe("bash\n# == no heading ==\n[[ -f x ]] && echo ''");
});

test.each([
  ["'''Bold''' and ''italic'', **too** and `code`", 'Bold and italic, too and code'],
  ['[[Introduction to the DAO|BSQ]] in [[Bisq 1]].', 'BSQ in Bisq 1.'],
  ['[https://example.org/a?b=c the guide], [https://example.org]', 'the guide, https://example.org'],
  ['[1] and [see below]', '[1] and [see below]'],
  ['{{note|Take {{ifc|name=good}} care}} now', 'Take good care now'],
  ['{{note|\n| text = Take care\n}}', 'Take care'],
  ['a <!-- hidden\nstill --> b<br/>c &amp; d', 'a b c & d'],
  ['left open: [[Bisq Easy trade limits', 'left open: Bisq Easy trade limits'],
  ['# Click the `RESYNC` button.', 'Click the RESYNC button.'],
  ['{{left open', 'left open'],
])('%s is searched as %s', (source, words) => {
  expect(wikiText(source).replaceAll(/\s+/g, ' ')).toBe(words);
});

test('chunks hold exact words, link to the section, and are searched without marks', async () => {
  const document = await wiki(
    "## Fees\n\nThe '''maker''' pays.\n\n600px|thumb|left|The fee.\n\n## = Rates\n=\n* 15 %\n",
  );
  const { chunks } = await chunkDocument(document, SMALL);
  checkChunks({ document, chunks, sizes: SMALL });
  expect(chunks.map(({ url, headingPath, searchText }) => ({ url, headingPath, searchText }))).toEqual([
    { url: 'https://wiki.example.org/Page#Fees', headingPath: ['Fees'], searchText: 'Fees\nThe maker pays.\nThe fee.' },
    { url: 'https://wiki.example.org/Page#Rates', headingPath: ['Fees', 'Rates'], searchText: 'Rates\n15 %' },
  ]);
});

test.each([
  ['tables that do not end', '{|\n'.repeat(30_000)],
  ['templates that do not end', '{{a\n'.repeat(30_000)],
  ['comments that do not end', '<!-- a\n'.repeat(30_000)],
  ['code that does not end', '<pre>\n'.repeat(30_000)],
  ['one line of marks', "[[{{''[http".repeat(30_000)],
  ['torn headings', '##\n= x\n##\n'.repeat(30_000)],
  ['equals signs', '='.repeat(300_000)],
])('hostile text takes linear time: %s', async (_, text) => {
  const started = performance.now();
  const document = await wiki(text);
  for (const block of document.blocks.slice(0, 5)) wikiText(slice(document, block));
  wikiText(text);
  expect(performance.now() - started).toBeLessThan(5000);
});

test.runIf(haveCorpora)('every character of the Bisq wiki is in one block or one exclusion (../shared)', async () => {
  const lines = readFileSync(join(corpora, 'bisq/wiki/processed_wiki.jsonl'), 'utf8').trim().split('\n');
  let sectionCount = 0;
  for (const line of lines) {
    const { title, content } = JSON.parse(line) as { title: string; content: string };
    const document = await wiki(content, title);
    const parts = [...document.blocks, ...document.exclusions].sort((a, b) => a.span.start - b.span.start);
    let at = 0;
    for (const { span } of parts) {
      expect(document.text.slice(at, span.start).trim(), title).toBe('');
      expect(span.start, title).toBeGreaterThanOrEqual(at);
      at = span.end;
    }
    expect(document.text.slice(at).trim(), title).toBe('');
    sectionCount += document.sections.length;
    for (const { title: heading } of document.sections) expect(heading).not.toMatch(/^[=#]|=$/);
    for (const block of document.blocks) {
      if (block.kind === 'code') continue;
      expect(wikiText(slice(document, block)), title).not.toMatch(/''|\[\[|\{\||\d+px\||^=|\[https?:\S+ \S/m);
    }
  }
  expect(sectionCount).toBeGreaterThan(1200);
});
