import { describe, expect, it } from 'vitest';
import { parse, slice } from './parse.ts';

const codes = (document: { readonly warnings: readonly { readonly code: string }[] }): readonly string[] =>
  document.warnings.map((warning) => warning.code);

describe('front matter', () => {
  it('gives title, metadata and language, and is left out of the text that is searched', async () => {
    const document = await parse(
      [
        ...[
          '---',
          'title: Build & run',
          'slug: /build',
          'keywords: [one, two]',
          'tags: cli',
          'weight: 3',
          'hidden: false',
        ],
        ...[
          'lang: en-GB',
          'date: 2024-05-01',
          'modified: 2024-05-01 10:30:00+02:00',
          'nested: {a: 1}',
          'sizes: [1, 2]',
          '---',
        ],
        ...['', 'Body.', ''],
      ].join('\n'),
    );
    expect(document.title).toBe('Build & run');
    expect(document.language).toBe('en');
    expect(document.metadata).toEqual({
      slug: '/build',
      keywords: ['one', 'two'],
      tags: 'cli',
      weight: 3,
      hidden: false,
      lang: 'en-GB',
      date: '2024-05-01',
      modified: '2024-05-01T08:30:00.000Z',
      sizes: [1, 2],
    });
    expect(document.exclusions.map((e) => [e.reason, slice(document, e).split('\n').length])).toEqual([
      ['front-matter', 13],
    ]);
    expect(document.blocks.map((block) => slice(document, block))).toEqual(['Body.']);
    expect(document.warnings).toEqual([]);
  });

  it('reads keywords from a comma-separated string', async () => {
    expect((await parse('---\nkeywords: one,  two ,,three\n---\n')).metadata['keywords']).toEqual([
      'one',
      'two',
      'three',
    ]);
  });

  it.each([
    ['title: 2024-01-01', '2024-01-01'],
    ['title: 42', '42'],
    ['title: true', 'true'],
    ['title: "  two\\n lines "', 'two lines'],
    ['title: ""', 'Heading'],
    ['title: {a: b}', 'Heading'],
    ['title:', 'Heading'],
  ])('makes a title of %s', async (line, title) => {
    expect((await parse(`---\n${line}\n---\n# Heading\n`)).title).toBe(title);
  });

  it('does not let a page choose its source, and lets the source declare the language', async () => {
    const document = await parse('---\nsource: other\nlanguage: de\ntype: tutorial\n---\n', {
      metadata: { language: 'fr', commit: 'c1' },
    });
    expect(document.metadata).toEqual({ language: 'fr', commit: 'c1' });
    expect([document.language, document.type]).toEqual(['fr', 'tutorial']);
  });

  it('keeps what can be read of broken YAML, with a warning, and indexes the body', async () => {
    const document = await parse('---\ntitle: Kept\nbad: "unclosed\nslug: kept\ntags: [a, b\n---\n\nBody.\n');
    expect(document.title).toBe('Kept');
    expect(document.metadata).toEqual({ slug: 'kept' });
    expect(codes(document)).toEqual(['front-matter-invalid']);
    expect(document.warnings[0]?.uri).toBe(document.uri);
    expect(document.blocks.map((block) => slice(document, block))).toEqual(['Body.']);
  });

  it('is text when it is not closed, or is a paragraph between two rules', async () => {
    const open = await parse('---\ntitle: never closed\n\n# Heading\n');
    expect(open.blocks.map((block) => slice(open, block))).toEqual(['title: never closed', '# Heading']);
    const rules = await parse('---\nJust a sentence between rules.\n\n---\n');
    expect(rules.blocks.map((block) => slice(rules, block))).toEqual(['Just a sentence between rules.']);
  });

  it('may be empty, end with dots, be TOML, or be all there is', async () => {
    for (const head of [
      '---\n---',
      '---\n# only a comment\n---',
      '---\ntitle: T\n...',
      '+++\ntitle = "T"\n+++',
      '---\ntitle: T\n---',
    ]) {
      const document = await parse(`${head}\n\nBody.`);
      expect(document.exclusions.map((e) => slice(document, e))).toEqual([head]);
      expect(document.blocks.map((block) => slice(document, block))).toEqual(['Body.']);
    }
    const alone = await parse('---\ntitle: Alone\n---');
    expect([alone.title, alone.blocks.length, alone.exclusions.length]).toEqual(['Alone', 0, 1]);
  });

  it('never expands aliases, and never runs out of stack', async () => {
    const levels = 'abcdefghi'.split('');
    const bomb = levels.map(
      (l, i) =>
        `${l}: &${l} [${Array(9)
          .fill(i === 0 ? '"x"' : `*${levels[i - 1]}`)
          .join(',')}]`,
    );
    const document = await parse(`---\n${bomb.join('\n')}\ntitle: bomb\n---\n\n# Bomb\n`);
    expect(document.title).toBe('bomb');
    expect(document.metadata).toEqual({ a: Array(9).fill('x') });
    const deep = [
      '['.repeat(12_000),
      `a: ${'- '.repeat(12_000)}`,
      'a: '.repeat(9_000),
      '? '.repeat(12_000),
      '{a: '.repeat(6_000),
      'x: y\n'.repeat(20_000),
    ];
    for (const yaml of deep) expect(codes(await parse(`---\n${yaml}\n---\nBody.`))).toEqual(['front-matter-invalid']);
  });

  it('resolves an alias of a value, and makes nothing of tags', async () => {
    const { metadata } = await parse(
      '---\na: &name one\nb: *name\nc: !!python/object:os.system run\n__proto__: {polluted: 1}\n---\n',
    );
    expect(metadata).toEqual({ a: 'one', b: 'one', c: 'run' });
    expect('polluted' in {}).toBe(false);
  });

  it('marks a draft: no blocks, one exclusion over all of it, unless drafts are wanted', async () => {
    const text = '---\ntitle: Soon\ndraft: true\n---\n\n# Soon\n\nText.\n';
    const draft = await parse(text);
    expect([draft.title, draft.blocks, draft.sections]).toEqual(['Soon', [], []]);
    expect(draft.exclusions).toEqual([{ span: { start: 0, end: text.length }, reason: 'draft' }]);
    expect((await parse(text, { settings: { drafts: 'include' } })).blocks).toHaveLength(2);
    expect((await parse(text.replace('true', 'false'))).blocks).toHaveLength(2);
  });

  it('works with CRLF and lone CR', async () => {
    for (const end of ['\r\n', '\r']) {
      const document = await parse(['---', 'title: T', 'last_update: { author: "A" }', '---', '', 'Body.'].join(end));
      expect([document.title, document.warnings, document.blocks.length]).toEqual(['T', [], 1]);
    }
  });
});
