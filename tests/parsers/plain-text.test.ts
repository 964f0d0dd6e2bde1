import { describe, expect, it } from 'vitest';
import { outline, parse, type ParseOptions } from './parse.ts';

const text = (content: string, options: ParseOptions = {}): ReturnType<typeof parse> =>
  parse(content, { path: 'notes/my_notes.txt', ...options });

describe('plain text', () => {
  it('is paragraphs between blank lines, whatever ends the lines', async () => {
    const document = await text('\ufeffOne\r\ntwo\r\n\r\n  \r\n  three\r\rfour\n');
    expect(outline(document)).toEqual(['paragraph: One\r\ntwo', 'paragraph:   three', 'paragraph: four']);
    expect(document).toMatchObject({ type: 'text', sections: [], exclusions: [], language: '' });
  });

  it.each([
    ['A short line\n\nText.', 'A short line'],
    ['\n\n  Alone  ', 'Alone'],
    ['First line of a\nparagraph.', 'My notes'],
    ['A sentence.\n\nText.', 'My notes'],
    ['==========\n\nText', 'My notes'],
    [`${'long '.repeat(20)}\n\nText`, 'My notes'],
    ['', 'My notes'],
  ])('takes a title from a first line that looks like one: %j', async (content, title) => {
    expect((await text(content)).title).toBe(title);
  });

  it('says when it had to guess the encoding', async () => {
    const document = await parse(new Uint8Array([0x47, 0x72, 0xfc, 0xdf, 0x65]), { path: 'a.txt' });
    expect([document.text, document.warnings.map((w) => [w.code, w.uri])]).toEqual([
      'Grüße',
      [['encoding-guessed', document.uri]],
    ]);
  });

  it('takes the language its source declares', async () => {
    expect((await text('Guten Tag', { metadata: { language: 'de-AT' } })).language).toBe('de');
    expect((await text('Guten Tag', { metadata: { language: 'German' } })).language).toBe('');
  });
});

describe('code', () => {
  it('is runs of lines between blank lines, under its file name', async () => {
    const document = await parse('import a\n\n\ndef f():\n    pass\n', {
      path: 'src/tool.PY',
      mediaType: 'text/x-code',
    });
    expect(outline(document)).toEqual(['code: import a', 'code: def f():\n    pass']);
    expect(document.blocks.map((block) => block.language)).toEqual(['py', 'py']);
    expect([document.title, document.type]).toEqual(['tool.PY', 'code']);
  });

  it('has no language without an extension', async () => {
    const document = await parse('all:\n', { path: 'Makefile', mediaType: 'text/x-code' });
    expect(document.blocks).toEqual([{ kind: 'code', depth: 0, span: { start: 0, end: 4 } }]);
  });
});
