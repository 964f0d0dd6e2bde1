import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RawDocument } from '../../src/core/types.ts';
import type { RecordSettings } from '../../src/core/settings.ts';
import { defineSource } from '../../src/sources/address.ts';
import folderSource from '../../src/sources/folder.ts';
import gitSource from '../../src/sources/git.ts';
import { labelIndex } from '../../src/evaluation/labels.ts';
import { corpora, haveCorpora } from '../parsers/parse.ts';
import { commit, outline, repository, sync, temporaryFolder, text, write, type Sync } from './fixtures.ts';

const lines = (...records: readonly unknown[]): string => records.map((record) => JSON.stringify(record)).join('\n');

/** Only settings that JSON can carry: a definition is remembered. */
function open(path: string, records: RecordSettings = {}, more: object = {}) {
  const definition = defineSource({ from: path, records, ...more }, '/');
  if (definition.use !== 'folder') throw new Error('no folder');
  return folderSource(definition, { maxFileBytes: 100_000 });
}

async function read(content: string | Uint8Array, records: RecordSettings = {}): Promise<Sync> {
  const folder = temporaryFolder();
  write(folder, { 'pages.jsonl': content });
  return sync(open(join(folder, 'pages.jsonl'), records));
}

const shown = ({ uri, mediaType, metadata, url }: RawDocument): object => ({
  uri: uri.slice(uri.indexOf('#')),
  mediaType,
  metadata: Object.fromEntries(Object.entries(metadata).filter(([key]) => key !== 'source' && key !== 'modified')),
  ...(url === undefined ? {} : { url }),
});

describe('what a record is', () => {
  test('pages of a crawl: Markdown, with the address of each', async () => {
    const { documents } = await read(
      lines(
        { url: 'https://docs.example.org/a', title: 'Über  A/B?', markdown: '# A\n\ntext', depth: 2, tags: ['x', 'y'] },
        {
          url: 'javascript:alert(1)',
          title: 'C',
          content: 'text',
          nested: { a: 1 },
          none: null,
          long: 'x'.repeat(2000),
        },
      ),
    );
    expect(documents.map(shown)).toEqual([
      {
        uri: '#%C3%9Cber%20A%2FB%3F',
        mediaType: 'text/markdown',
        url: 'https://docs.example.org/a',
        metadata: { type: 'page', title: 'Über A/B?', url: 'https://docs.example.org/a', depth: 2, tags: ['x', 'y'] },
      },
      { uri: '#C', mediaType: 'text/markdown', metadata: { type: 'page', title: 'C', url: 'javascript:alert(1)' } },
    ]);
    expect(documents[0]!.path).toBe('pages.jsonl#Über A/B?');
    expect(text(documents[0]!)).toBe('# A\n\ntext');
  });

  // [S3-wiki-file] [S3-wiki-type]
  test('articles of a wiki are told by their marks', async () => {
    const folder = temporaryFolder();
    write(folder, {
      'wiki.jsonl': lines(
        { title: 'Fees', content: "== Rates ==\n''any'' [https://x.org fee]", category: 'bisq1', source_weight: 1.1 },
        { title: 'Bisq 2', content: 'plain', category: 'bisq2' },
      ),
    });
    const { documents } = await sync(open(join(folder, 'wiki.jsonl'), {}, { baseUrl: 'https://bisq.wiki/' }));
    expect(documents.map(shown)).toEqual([
      {
        uri: '#Fees',
        mediaType: 'text/x-wiki',
        url: 'https://bisq.wiki/Fees',
        metadata: { type: 'wiki', title: 'Fees', category: 'bisq1', source_weight: 1.1 },
      },
      {
        uri: '#Bisq%202',
        mediaType: 'text/x-wiki',
        url: 'https://bisq.wiki/Bisq_2',
        metadata: { type: 'wiki', title: 'Bisq 2', category: 'bisq2' },
      },
    ]);
  });

  test('a record without text but with several facts is a row of a table', async () => {
    const { documents } = await read(
      lines({ name: 'SEPA', countries: ['EU', 'EEA'], limits: { min: 0.001, max: 0.25 }, risk: 'low', none: null }),
    );
    expect(documents.map(shown)).toEqual([
      {
        uri: '#SEPA',
        mediaType: 'text/plain',
        metadata: { type: 'text', title: 'SEPA', countries: ['EU', 'EEA'], risk: 'low' },
      },
    ]);
    expect(text(documents[0]!)).toBe('name: SEPA\ncountries: EU, EEA\nlimits.min: 0.001\nlimits.max: 0.25\nrisk: low');
  });

  test('what is set goes before what is usual; what an index knows itself keeps its meaning', async () => {
    const record = {
      title: 'T',
      id: 7,
      text: 'not this',
      article: '= x =',
      source: 'mail',
      updated_at: '2024-05-06',
      type: 'note',
    };
    const { documents } = await read(lines(record), { id: 'id', text: 'article', markup: 'wiki' });
    expect(documents.map(shown)).toMatchObject([
      { uri: '#7', mediaType: 'text/x-wiki', metadata: { type: 'note', title: 'T', id: 7, record_source: 'mail' } },
    ]);
    expect(documents[0]!.metadata).toMatchObject({ source: 'pages.jsonl', modified: '2024-05-06T00:00:00.000Z' });
    expect(text(documents[0]!)).toBe('= x =');
  });
});

// [S3-wiki-file]
test('a bad line is told with its number, and the others are read', async () => {
  const parts = [
    '\ufeff{"title":"One","text":"a"}\r',
    '',
    '{"title":"Two",',
    '[1,2]',
    'null',
    '"text"',
    '{"text":"no title"}',
    '{"title":"Three"}',
    '{"title":"Four","text":""}',
    '{"title":"Five","text":5}',
    `{"title":"Six","text":"${'x'.repeat(100_000)}"}`,
    '   ',
    '{"title":"One","text":"b"}',
    '{"title":"S\\ud800","text":"lone \\udc00 surrogate"}',
  ];
  const latin = Buffer.from('{"title":"Caf\xe9","text":"\x80 5"}\n{"title":"End","text":"no line end"}', 'latin1');
  const result = await read(Buffer.concat([Buffer.from(`${parts.join('\n')}\n`), latin]));
  expect(outline(result)).toEqual([
    'upsert pages.jsonl#One',
    'upsert pages.jsonl#One (2)',
    'upsert pages.jsonl#S\ufffd',
    'upsert pages.jsonl#Café',
    'upsert pages.jsonl#End',
    expect.stringMatching(/^warning line 3: not JSON: /) as string,
    'warning line 4: a list, not an object',
    'warning line 5: null, not an object',
    'warning line 6: a string, not an object',
    'warning line 7: neither a title nor an id (records.title: title or name)',
    'warning line 8: no text (records.text: text, content, markdown or body)',
    'warning line 9: its text is empty',
    'warning line 10: its text is no text',
    'warning line 11: longer than 100000 bytes (parse.maxFileBytes)',
    'warning line 13: another record is called "One" too; this one is "One (2)"',
    'warning line 15: not valid UTF-8: read as Windows-1252',
  ]);
  expect(result.documents.map(text)).toEqual(['a', 'b', 'lone \ufffd surrogate', '€ 5', 'no line end']);
});

test('of many bad lines a hundred are named', async () => {
  const result = await read(`{"title":"One","text":"a"}\n${'{\n'.repeat(5000)}`);
  const warnings = outline(result).filter((line) => line.startsWith('warning'));
  expect(warnings).toHaveLength(101);
  expect(warnings.at(-1)).toBe('warning and as much of 4900 further records');
});

describe('changes', () => {
  const records = (...texts: readonly string[]): string =>
    lines(...texts.map((t) => ({ title: t.charAt(0), text: t })));

  test('are seen by record', async () => {
    const folder = temporaryFolder();
    write(folder, { 'a.md': '# A', 'pages.jsonl': records('one', 'two', 'xyz') });
    const source = open(folder);
    const first = await sync(source);
    expect(outline(first)).toEqual([
      'upsert a.md',
      'upsert pages.jsonl#o',
      'upsert pages.jsonl#t',
      'upsert pages.jsonl#x',
    ]);
    // Another order of lines and keys is the same content.
    write(folder, { 'pages.jsonl': `${records('xyz', 'two!')}\n{"text":"one","title":"o"}\n` });
    const second = await sync(source, first.known);
    expect(outline(second).slice(1)).toEqual([
      'unchanged pages.jsonl#x',
      'upsert pages.jsonl#t',
      'unchanged pages.jsonl#o',
    ]);
    write(folder, { 'pages.jsonl': records('two!') });
    expect(outline(await sync(source, second.known)).slice(1)).toEqual([
      'unchanged pages.jsonl#t',
      'delete pages.jsonl#o',
      'delete pages.jsonl#x',
    ]);
  });

  test('other settings read the records anew', async () => {
    const folder = temporaryFolder();
    write(folder, { 'pages.jsonl': lines({ title: 'T', text: 'a', article: 'b' }) });
    const first = await sync(open(folder));
    expect(outline(await sync(open(folder, { text: 'article' }), first.known))).toEqual(['upsert pages.jsonl#T']);
    expect(outline(await sync(open(folder), first.known))).toEqual(['unchanged pages.jsonl#T']);
  });

  test('the current revision is that of the record', async () => {
    const folder = temporaryFolder();
    write(folder, { 'pages.jsonl': records('one', 'two') });
    const source = open(folder);
    const { documents } = await sync(source);
    const [one, two] = documents as [RawDocument, RawDocument];
    expect(await source.currentRevision!(one.uri)).toBe(one.revision);
    write(folder, { 'pages.jsonl': records('one', 'twice') });
    expect(await source.currentRevision!(one.uri)).toBe(one.revision);
    expect(await source.currentRevision!(two.uri)).not.toBe(two.revision);
    expect(await source.currentRevision!(`${one.uri}x`)).toBeUndefined();
  });

  test.each([
    ['not one line of it is a record', '{\n{\n'],
    ['it is in UTF-16', Buffer.from('\ufeff{"title":"o","text":"x"}', 'utf16le')],
  ])('a file that cannot be read keeps what the index holds of it: %s', async (_, content) => {
    const folder = temporaryFolder();
    write(folder, { 'pages.jsonl': records('one') });
    const { known } = await sync(open(folder));
    write(folder, { 'pages.jsonl': content });
    expect(outline(await sync(open(folder), known))).toEqual(['failure pages.jsonl', 'unchanged pages.jsonl#o']);
  });

  test('a file that is gone, or became something else, takes its records along', async () => {
    const folder = temporaryFolder();
    write(folder, { 'pages.jsonl': records('one') });
    const { known } = await sync(open(folder));
    write(folder, { 'pages.jsonl': new Uint8Array(5000) });
    expect(outline(await sync(open(folder), known))).toEqual(['exclude pages.jsonl (binary)', 'delete pages.jsonl#o']);
    write(folder, { 'pages.jsonl': '' });
    expect(outline(await sync(open(folder), known))[0]).toBe('exclude pages.jsonl (empty)');
  });
});

test('JSON lines of another kind are left out, but a failure when they were named', async () => {
  const folder = temporaryFolder();
  write(folder, { 'log.jsonl': '{"level":"info","message":"started"}\n{"level":"info","message":"ended"}\n' });
  expect(outline(await sync(open(folder)))).toEqual(['exclude log.jsonl (no-parser)']);
  expect(outline(await sync(open(join(folder, 'log.jsonl'))))).toEqual(['failure log.jsonl']);
});

test('a file of a git repository, too; its records keep their own addresses', async () => {
  const folder = repository({
    'data/pages.jsonl': lines({ title: 'A', text: 'a' }, { title: 'B', text: 'b' }),
    'x.db': 'x',
  });
  const definition = defineSource({ from: `git:${folder}` }, '/');
  if (definition.use !== 'git') throw new Error('no repository');
  const source = gitSource(definition, { cacheFolder: temporaryFolder() });
  const first = await sync(source);
  expect(outline(first)).toEqual(['upsert pages.jsonl#A', 'upsert pages.jsonl#B', 'exclude x.db (no-parser)']);
  expect(first.documents[1]!.uri).toBe(`git+${folder}:data/pages.jsonl#B`);
  commit(folder, { 'data/pages.jsonl': lines({ title: 'A', text: 'a' }, { title: 'B', text: 'c' }) });
  expect(outline(await sync(source, first.known)).slice(0, 2)).toEqual([
    'unchanged pages.jsonl#A',
    'upsert pages.jsonl#B',
  ]);
});

test('a large file is read piece by piece', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'pages.jsonl');
  writeFileSync(file, '');
  const body = 'word '.repeat(800);
  for (let part = 0; part < 20; part++) {
    appendFileSync(
      file,
      `${Array.from({ length: 1000 }, (_, i) => JSON.stringify({ title: `${part}-${i}`, text: body })).join('\n')}\n`,
    );
  }
  expect(statSync(file).size).toBeGreaterThan(80_000_000);
  const before = process.memoryUsage();
  let [records, most] = [0, 0];
  for await (const change of open(folder).changes(new Map())) {
    if (change.type !== 'upsert') continue;
    if (records++ % 2000 === 0) {
      const now = process.memoryUsage();
      most = Math.max(most, now.arrayBuffers + now.external - before.arrayBuffers - before.external);
    }
  }
  expect(records).toBe(20_000);
  expect(most).toBeLessThan(40_000_000);
});

test.runIf(haveCorpora)('the labels of the Bisq questions are addresses of its records (../shared)', async () => {
  const { documents, changes } = await sync(open(join(corpora, 'bisq')));
  expect(changes.filter(({ type }) => type === 'failure' || type === 'warning')).toEqual([]);
  const index = labelIndex(documents.map(({ uri }) => uri));
  const questions = readFileSync(join(corpora, '../questions/bisq-open.json'), 'utf8');
  const { queries } = JSON.parse(questions) as { queries: { relevant_docs: string[] }[] };
  for (const label of queries.flatMap(({ relevant_docs }) => relevant_docs)) {
    expect(index.match(label), label).toHaveLength(1);
  }
  const types = documents.map(({ mediaType }) => mediaType);
  expect(types.filter((type) => type === 'text/x-wiki')).toHaveLength(208);
  expect(types.filter((type) => type === 'text/plain').length).toBeGreaterThanOrEqual(18);
});
