import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { KnownRevision, SourceChange } from '../../src/core/contracts.ts';
import { sha256 } from '../../src/core/identity.ts';
import { beirUri, readBeir } from '../../src/evaluation/beir.ts';
import { beirSource } from '../../src/evaluation/beir-source.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'footnote-beir-'));
});
afterEach(() => rm(folder, { recursive: true }));

const write = (file: string, ...lines: string[]): Promise<void> => writeFile(join(folder, file), lines.join('\n'));

async function changesOf(known: ReadonlyMap<string, KnownRevision> = new Map()): Promise<SourceChange[]> {
  const changes: SourceChange[] = [];
  for await (const change of beirSource(folder).changes(known)) changes.push(change);
  return changes;
}

const WEB_ID = 'https://example.org/docs/a b#part';

describe('judged queries', () => {
  beforeEach(() => write('corpus.jsonl', '{"_id":"d1","text":"x"}'));

  test('are read with their grades, unjudged ones left out, from either place of the qrels', async () => {
    await write(
      'queries.jsonl',
      '{"_id":"q1","text":"What?"}',
      '{"_id":2,"text":"Where?"}',
      '{"_id":"q3","text":"unjudged"}',
      '',
    );
    const qrels = ['query-id\tcorpus-id\tscore', `q1\t${WEB_ID}\t4`, 'q1\td1\t0', '2\td1\t1\r', ''];
    await mkdir(join(folder, 'qrels'));
    await write('qrels/test.tsv', ...qrels);
    const read = await readBeir(folder);
    expect(read.warnings).toEqual([]);
    expect(read.beirFolder).toBe(folder);
    const gradesOfFirst = new Map([
      [beirUri(folder, WEB_ID), 4],
      [beirUri(folder, 'd1'), 0],
    ]);
    expect(read.questions.map(({ id, query, judgments }) => ({ id, query, judgments }))).toEqual(
      [
        { id: '2', query: 'Where?', judgments: { by: 'uri', grades: new Map([[beirUri(folder, 'd1'), 1]]) } },
        { id: 'q1', query: 'What?', judgments: { by: 'uri', grades: gradesOfFirst } },
      ].reverse(),
    );

    await write('qrels.tsv', 'q1\td1\t1');
    expect((await readBeir(folder)).questions.map((question) => question.id)).toEqual(['q1']);
  });

  test('bad lines are warnings with their number', async () => {
    await write('queries.jsonl', '{"_id":"q1","text":"What?"}', '{broken', '{"_id":"q2"}');
    await write(
      'qrels.tsv',
      'query-id\tcorpus-id\tscore',
      'q1\td1\t1',
      'q1 d1 1',
      'q1\td1\thigh',
      'q9\td1\t1',
      'q1\td2',
    );
    const { warnings } = await readBeir(folder);
    const messages = warnings.map((warning) => warning.message);
    expect(messages.map((message) => message.split(': ')[0])).toEqual([
      'queries.jsonl:2',
      'queries.jsonl:3',
      'qrels.tsv:3',
      'qrels.tsv:4',
      'qrels.tsv:6',
      'qrels.tsv',
    ]);
    expect(messages[1]).toContain('text');
    expect(messages[5]).toContain('q9');
  });

  test('many bad lines are counted', async () => {
    await write('queries.jsonl', '{"_id":"q1","text":"What?"}', ...new Array<string>(100).fill('{'));
    await write('qrels.tsv', 'q1\td1\t1');
    const { warnings } = await readBeir(folder);
    expect(warnings).toHaveLength(21);
    expect(warnings[20]?.message).toContain('80 more');
  });

  test('a missing file, or no judged query, is an error', async () => {
    await expect(readBeir(folder)).rejects.toMatchObject({
      code: 'file-invalid',
      message: expect.stringMatching(/queries\.jsonl/),
    });
    await write('queries.jsonl', '{"_id":"q1","text":"What?"}');
    await expect(readBeir(folder)).rejects.toMatchObject({
      code: 'file-invalid',
      message: expect.stringMatching(/qrels\/test\.tsv/),
    });
    await write('qrels.tsv', 'q1\td1\t0');
    await expect(readBeir(folder)).rejects.toMatchObject({
      code: 'file-invalid',
      message: expect.stringMatching(/q1 has no relevant document/),
    });
  });
});

describe('corpus', () => {
  test('each line is a document: its text alone, the title beside it, the id in the address', async () => {
    const line = JSON.stringify({ _id: WEB_ID, title: 'Part', text: 'Words\u2028and more.', metadata: {} });
    await write('corpus.jsonl', line, '{"_id":7,"title":"Only a title","text":""}');
    const [first, second] = await changesOf();
    if (first?.type !== 'upsert' || second?.type !== 'upsert') throw new Error('expected two documents');
    expect(first.uri).toBe(`${beirUri(folder, '').slice(0, -1)}#https%3A%2F%2Fexample.org%2Fdocs%2Fa%20b%23part`);
    const raw = await first.read();
    expect(new TextDecoder().decode(raw.body)).toBe('Words\u2028and more.');
    expect(raw).toMatchObject({
      uri: first.uri,
      revision: sha256(line),
      mediaType: 'text/plain',
      metadata: { title: 'Part' },
    });
    expect(first.stamp).toBe(sha256(line));
    expect(new TextDecoder().decode((await second.read()).body)).toBe('Only a title');
  });

  test('a second run sees what is unchanged, changed and gone', async () => {
    await write('corpus.jsonl', '{"_id":"a","text":"1"}', '{"_id":"b","text":"2"}', '{"_id":"c","text":"3"}');
    const known = new Map(
      (await changesOf()).flatMap((change) =>
        change.type === 'upsert' ? [[change.uri, { revision: change.stamp, stamp: change.stamp }] as const] : [],
      ),
    );
    await write('corpus.jsonl', '{"_id":"a","text":"1"}', '{"_id":"b","text":"two"}');
    const again = await changesOf(known);
    expect(again.map((change) => [change.type, 'uri' in change && change.uri])).toEqual([
      ['unchanged', beirUri(folder, 'a')],
      ['upsert', beirUri(folder, 'b')],
      ['delete', beirUri(folder, 'c')],
    ]);
  });

  test('a bad line fails alone, with its number; an id counts once', async () => {
    await write(
      'corpus.jsonl',
      '{"_id":"a","text":"1"}',
      '',
      'null',
      '{"_id":"a","text":"2"}',
      '{"_id":"\\ud800","text":"3"}',
      '{"_id":"b","text":"4"}',
    );
    const changes = await changesOf();
    expect(changes.map((change) => (change.type === 'failure' ? change.path : change.type))).toEqual([
      'upsert',
      'corpus.jsonl:3',
      'corpus.jsonl:4',
      'corpus.jsonl:5',
      'upsert',
    ]);
  });

  test('lines longer than a read of the disk arrive whole', async () => {
    const long = 'é'.repeat(300_000);
    await write('corpus.jsonl', JSON.stringify({ _id: 'a', text: long }), JSON.stringify({ _id: 'b', text: long }));
    const bodies = await Promise.all(
      (await changesOf()).map(async (change) => (change.type === 'upsert' ? (await change.read()).body : null)),
    );
    expect(bodies.map((body) => (body === null ? '' : new TextDecoder().decode(body)))).toEqual([long, long]);
  });

  test('a folder without corpus fails before the first change', async () => {
    await expect(changesOf()).rejects.toMatchObject({ code: 'source-missing' });
  });
});

const shared = fileURLToPath(new URL('../../../shared/data/beir', import.meta.url));

describe.skipIf(!existsSync(shared))('shared collections (needs ../shared)', () => {
  test.each([
    ['claudedocs', 100, 232],
    ['codebase', 248, 737],
    ['cranfield', 225, 1400],
    ['xquad-en', 1190, 240],
  ])('%s: %i queries, %i documents, every judgment names one of them', async (name, queries, documents) => {
    const { questions, warnings } = await readBeir(join(shared, name));
    expect(warnings).toEqual([]);
    expect(questions).toHaveLength(queries);
    const uris = new Set<string>();
    for await (const change of beirSource(join(shared, name)).changes(new Map()))
      if (change.type === 'upsert') uris.add(change.uri);
    expect(uris.size).toBe(documents);
    const judged = questions.flatMap(({ judgments }) => (judgments.by === 'uri' ? [...judgments.grades.keys()] : []));
    expect(judged.filter((uri) => !uris.has(uri))).toEqual([]);
  });
});
