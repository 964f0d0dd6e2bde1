/** The commands on a real index, as processes. */
import { appendFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { outcome, project, type Json, type Project } from './footnote.ts';

const DOCS = {
  'docs/guide/install.md':
    '# Install\n\nRun `npm run demo` to build and install Footnote.\n\n## Requirements\n\nFootnote needs Node 20.19.5 or later.\n',
  'docs/guide/ports.md': '# Ports\n\nThe gateway listens on port 8787 by default. Set `GATEWAY_PORT` to change it.\n',
  'docs/hostile.md':
    '# Escape\u001b]0;owned\u0007\n\nThe zebra\u001b[31m is red\u009b31m and \u202egnirts\u202c reversed.\n',
  'docs/logo.png': '\u0089PNG\r\n\u001a\n\u0000\u0000',
};

let here: Project;
beforeAll(async () => {
  here = await project(DOCS);
  const { code, stderr } = await here.run(['ingest', 'docs']);
  expect(stderr).toBe('');
  expect(code).toBe(0);
});

describe('ingest', () => {
  test('again, changed, deleted, renamed: exactly those', async () => {
    const other = await project(DOCS);
    const counts = async (args: readonly string[]): Promise<Json> => {
      const { sources } = await other.json(['ingest', ...args]);
      const { added, updated, unchanged, deleted, read } = sources[0];
      return { added, updated, unchanged, deleted, read };
    };
    expect(await counts(['docs'])).toEqual({ added: 3, updated: 0, unchanged: 0, deleted: 0, read: 3 });
    expect(await counts([])).toEqual({ added: 0, updated: 0, unchanged: 3, deleted: 0, read: 0 });
    await appendFile(join(other.folder, 'docs/guide/ports.md'), '\nMore.\n');
    await rename(join(other.folder, 'docs/hostile.md'), join(other.folder, 'docs/renamed.md'));
    expect(await counts(['./docs/'])).toEqual({ added: 1, updated: 1, unchanged: 1, deleted: 1, read: 2 });
    expect((await other.json(['status'])).sources).toHaveLength(1);
  });

  test('what is left out is listed, and no failure', async () => {
    const { stdout, code } = await here.run(['ingest']);
    expect(code).toBe(0);
    expect(stdout).toContain('3 unchanged');
    expect(stdout).toMatch(/logo\.png: \S+/u);
  });

  test('names, and taking out', async () => {
    const other = await project({ 'a/docs/x.md': '# X\n\nalpha\n', 'b/docs/y.md': '# Y\n\nbeta\n' });
    await other.run(['ingest', 'a/docs']);
    const taken = await other.run(['ingest', 'b/docs']);
    expect(taken.code).toBe(2);
    expect(taken.stderr).toContain('the name "docs" already stands for');
    expect(taken.stderr).toContain('--as NAME');
    expect((await other.run(['ingest', 'b/docs', '--as', 'second'])).code).toBe(0);
    expect((await other.json(['status'])).sources.map(({ id }: Json) => id)).toEqual(['docs', 'second']);
    await rm(join(other.folder, 'a'), { recursive: true });
    expect((await other.run(['ingest', 'b/docs'])).stdout).toContain('1 unchanged');
    expect((await other.json(['ingest', '--remove', 'a/docs'])).removed).toEqual(['docs']);
    expect((await other.json(['status'])).sources.map(({ id }: Json) => id)).toEqual(['second']);
    const unknown = await other.run(['ingest', '--remove', 'docs']);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('second');
  });

  test('sources of a configuration file, relative to it, and only when it may', async () => {
    const other = await project({
      'docs/x.md': '# X\n\nalpha\n',
      'docs/y.txt': 'beta\n',
      'footnote.yaml': 'sources: [{ from: docs, as: manual, include: ["*.md"] }]',
    });
    expect((await other.json(['ingest'])).sources).toMatchObject([{ source: 'manual', added: 1 }]);
    await other.write({ 'footnote.yaml': 'sources: [{ from: docs, as: manual }, { from: .., as: up }]' });
    const refused = await other.run(['ingest']);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('hint: read footnote.yaml; if it may do that: footnote trust');
    // Asking adds no source.
    expect((await other.run(['search', 'alpha'])).code).toBe(0);
  });

  test('an index remembers its settings, and refuses others but for --rebuild', async () => {
    const other = await project({ 'docs/x.md': '# X\n\nalpha\n' });
    await other.run(['ingest', 'docs']);
    const env = { FOOTNOTE_CHUNK__MAX_TOKENS: '400' };
    for (const args of [['ingest'], ['search', 'alpha'], ['ask', 'alpha']]) {
      const { code, stderr } = await other.run(args, env);
      expect(code, args.join(' ')).toBe(2);
      expect(stderr).toContain('chunk.maxTokens is 512 there, 400 here');
      expect(stderr).toContain('footnote ingest --rebuild');
    }
    expect((await other.run(['ingest', '--rebuild'], env)).code).toBe(0);
    expect((await other.run(['search', 'alpha'], env)).code).toBe(0);
    expect((await other.run(['search', 'alpha'], { FOOTNOTE_CHUNK__MAX_TOKENS: '512' })).code).toBe(2);
    expect((await other.run(['search', 'alpha'])).code).toBe(0);
  });

  test('Ctrl-C keeps what was done, and the next run goes on', async () => {
    const text = Array.from({ length: 150 }, (_, i) => `word${i % 97} in the sentence ${i}.`).join(' ');
    const many = Object.fromEntries(
      Array.from({ length: 600 }, (_, i) => [`docs/${i}.md`, `# Page ${i}\n\n${text}\n`]),
    );
    const other = await project(many);
    const child = other.start(['ingest', 'docs']);
    const ended = outcome(child);
    // Some megabytes: some dozens of the documents.
    const written = join(other.folder, '.footnote/index-000001.sqlite-wal');
    while (((await stat(written).catch(() => undefined))?.size ?? 0) < 3_000_000) await sleep(20);
    child.kill('SIGINT');
    const { code, stdout, stderr } = await ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^footnote: stopped; what was read so far is kept[^\n]*\n$/u);
    const report = await other.json(['ingest']);
    expect(report.documents).toBe(600);
    expect(report.sources[0].unchanged).toBeGreaterThan(0);
    expect(report.sources[0].added + report.sources[0].unchanged).toBe(600);
  });

  test('--watch syncs what changes, until Ctrl-C', async () => {
    const other = await project({ 'docs/x.md': '# X\n\nalpha\n' });
    const child = other.start(['ingest', 'docs', '--watch']);
    const ended = outcome(child);
    let seen = '';
    child.stdout?.on('data', (part: Buffer) => (seen += part.toString()));
    while (!seen.includes('1 added')) await sleep(50);
    await other.write({ 'docs/y.md': '# Y\n\nomega\n' });
    while (!seen.includes('1 added, 0 updated, 1 unchanged')) await sleep(50);
    expect((await other.json(['search', 'omega'])).hits[0].path).toBe('y.md');
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 0 });
  }, 30_000);
});

describe('search', () => {
  test('JSON as in the contract', async () => {
    const result = await here.json(['search', 'Which port does the gateway listen on?', '--top', '2']);
    expect(Object.keys(result)).toEqual(['query', 'hits', 'timings', 'warnings']);
    expect(result.hits.length).toBeLessThanOrEqual(2);
    const [hit] = result.hits;
    expect(hit).toMatchObject({
      rank: 1,
      path: 'guide/ports.md',
      title: 'Ports',
      alsoAt: [],
      page: null,
      lines: { start: 1, end: 3 },
    });
    expect(hit.uri).toMatch(/^file:\/\/\/.*\/docs\/guide\/ports\.md$/u);
    expect(hit.text).toBe(DOCS['docs/guide/ports.md'].slice(hit.span.start, hit.span.end));
    expect(hit.scores.length).toBeGreaterThan(0);
    expect(hit.metadata).not.toHaveProperty('lineStart');
  });

  test.each([
    ['--mode', 'keyword'],
    ['--mode', 'dense'],
    ['--alpha', '0.5'],
    ['--filter', 'path=guide/ports.md'],
    ['--filter-json', '{"and":[{"type":"markdown"},{"path":"guide/ports.md"}]}'],
    ['--preset', 'keyword'],
  ])('%s %s', async (...args) => {
    const { hits } = await here.json(['search', 'gateway port', ...args]);
    expect(hits[0].path).toBe('guide/ports.md');
  });

  test('several filters must all hold; no hit is exit 1', async () => {
    const args = ['search', 'gateway', '--filter', 'type=markdown', '--filter', 'path=guide/install.md,docs/none.md'];
    expect((await here.json(args)).hits.map(({ path }: Json) => path)).not.toContain('guide/ports.md');
    const none = await here.run(['search', 'gateway', '--filter', 'source=nothing']);
    expect(none).toMatchObject({ code: 1, stdout: 'nothing found\n' });
    expect((await here.json(['search', 'gateway', '--filter', 'source=nothing'], 1)).hits).toEqual([]);
  });

  test.each(['-x', '--top', 'don\'t "AND" OR NEAR( * ^', '; drop table', '%_', '\\'])(
    'a query is text: %s',
    async (query) => {
      const { code, stderr } = await here.run(['search', '--json', '--', query]);
      expect(stderr).toBe('');
      expect([0, 1]).toContain(code);
    },
  );

  test('for people: rank, score, place, heading and a snippet', async () => {
    const { stdout } = await here.run(['search', 'gateway', 'port']);
    expect(stdout).toMatch(/^ 1 {2}\d\.\d{3} {2}guide\/ports\.md:1-3 {2}Ports\n {4}The gateway listens on port 8787/u);
  });

  test('--explain and --why-not', async () => {
    const { stdout } = await here.run(['search', 'gateway port', '--explain', '--why-not', 'guide/install.md']);
    expect(stdout).toMatch(/^keyword +[\d.]+ ms/mu);
    expect(stdout).toMatch(/^hit .*keyword.*score +chunk$/mu);
    expect(stdout).toMatch(/install\.md: (returned|lost)/u);
    const json = await here.json(['search', 'gateway port', '--explain', '--why-not', 'nowhere.md']);
    expect(json.explanation.stages.length).toBeGreaterThan(2);
    expect(json.whyNot).toMatchObject({ uri: 'nowhere.md', verdict: 'not-indexed' });
  });

  test('control characters of documents are shown, never sent to the terminal', async () => {
    for (const args of [
      ['search', 'zebra'],
      ['search', 'zebra', '--explain'],
      ['search', 'zebra', '--json'],
      ['ask', 'Is the zebra red?'],
      ['ask', 'Is the zebra red?', '--json'],
      ['ask', 'zebra', '--events'],
      ['ingest', '--verbose'],
      ['status'],
    ]) {
      const { stdout, stderr } = await here.run(args);
      expect(stdout + stderr, args.join(' ')).not.toMatch(
        /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u,
      );
    }
    expect((await here.run(['search', 'zebra'])).stdout).toContain('\\u001b');
  });
});

describe('ask', () => {
  const QUESTION = 'Which port does the gateway listen on?';

  // [S2-logging] [S2-future-integration] [S1-tests-end-to-end]
  test('JSON as in the contract, with quotes that are the text of their span', async () => {
    const answer = await here.json(['ask', QUESTION]);
    expect(Object.keys(answer)).toEqual(
      'id conversationId outcome question text confidence citations passages verification conflicts preset generator cache usage timings warnings'.split(
        ' ',
      ),
    );
    expect(answer).toMatchObject({
      outcome: 'answered',
      question: QUESTION,
      generator: 'extractive',
      preset: 'default',
    });
    expect(answer.text).toContain('8787');
    expect(answer.citations.length).toBeGreaterThan(0);
    for (const { path, span, quote, label } of answer.citations) {
      expect(quote).toBe(DOCS[`docs/${path}` as keyof typeof DOCS].slice(span.start, span.end));
      expect(answer.text).toContain(`[${label}]`);
    }
  });

  test('for people: the text, then its footnotes', async () => {
    const { code, stdout } = await here.run(['ask', ...QUESTION.split(' ')]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/8787[^]*\n\n\[1\] guide\/ports\.md:\d+(-\d+)? › Ports — "[^"]*8787/u);
    // It is told where one was fitted for the preset and embedder.
    const { confidence } = await here.json(['ask', QUESTION]);
    expect(stdout.includes(`confidence ${Number(confidence).toFixed(2)}`)).toBe(confidence !== null);
  });

  test('the same twice, but for id and timings', async () => {
    const same = (answer: Json): Json => ({ ...answer, id: '', timings: {}, usage: {}, cache: '' });
    expect(same(await here.json(['ask', QUESTION]))).toEqual(same(await here.json(['ask', QUESTION])));
  });

  test('--events: one JSON value a line, one terminal event, last', async () => {
    const { code, stdout } = await here.run(['ask', QUESTION, '--events']);
    expect(code).toBe(0);
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; answer: Json });
    const types = events.map(({ type }) => type);
    expect(types[0]).toBe('answer-start');
    expect(types.filter((type) => type === 'answer-end' || type === 'answer-error')).toEqual(['answer-end']);
    expect(types.at(-1)).toBe('answer-end');
    expect(events.at(-1)?.answer.text).toContain('8787');
  });

  test('what the documents do not answer is refused: exit 1', async () => {
    const args = ['ask', QUESTION, '--filter', 'source=nothing'];
    const { code, stdout } = await here.run(args);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^The documents do not answer this question\.$/mu);
    expect(stdout).not.toMatch(/^\s*\n/u);
    expect(await here.json(args, 1)).toMatchObject({ outcome: 'insufficient-context', citations: [] });
  });

  test('generators', async () => {
    expect((await here.run(['ask', QUESTION, '--generator', 'extractive'])).code).toBe(0);
    const later = await here.run(['ask', QUESTION, '--generator', 'openai']);
    expect(later).toMatchObject({ code: 2, stdout: '' });
    expect(later.stderr).toContain('openai is not in this version');
    expect((await here.run(['ask', QUESTION, '--generator', 'extractve'])).stderr).toContain(
      'did you mean extractive?',
    );
  });
});

test('status', async () => {
  const found = await here.json(['status']);
  expect(found).toMatchObject({
    preset: 'default',
    documents: 3,
    store: 'embedded',
    sources: [{ id: 'docs', documents: 3 }],
  });
  expect(found.lastSync.documents).toBe(3);
  const { stdout } = await here.run(['status']);
  expect(stdout).toContain('3 documents');
  expect(((await stat(join(here.folder, '.footnote'))).mode & 0o777).toString(8)).toBe('700');
});

test('the index is found from below, and by --index and FOOTNOTE_INDEX', async () => {
  const index = join(here.folder, '.footnote');
  const elsewhere = await project();
  expect((await elsewhere.run(['search', 'gateway', '--index', index])).code).toBe(0);
  expect((await elsewhere.run(['--index', index, 'search', 'gateway'])).code).toBe(0);
  expect((await elsewhere.run(['search', 'gateway'], { FOOTNOTE_INDEX: index })).code).toBe(0);
  expect((await here.shell('cd docs/guide && "$BIN" search gateway')).code).toBe(0);
});

test('eval measures the index, and presets on indexes of their own', async () => {
  await here.write({
    'questions.json': JSON.stringify({
      queries: [
        {
          query: 'Which port does the gateway listen on?',
          relevant_docs: ['guide/ports.md'],
          answer_quote: 'The gateway listens on port 8787 by default.',
        },
        { query: 'Who won the chess olympiad of 1972 in Skopje?', relevant_docs: [] },
      ],
    }),
  });
  const report = await here.json(['eval', 'questions.json']);
  expect(report).toMatchObject({ questions: 2, answerable: 1, comparisons: [] });
  expect(report.presets.default.retrieval['mrr@10']).toBe(1);
  const both = await here.run(['eval', 'questions.json', '--preset', 'default,keyword']);
  expect(both.code).toBe(0);
  expect(both.stdout).toMatch(/^default .*1\.000/mu);
  expect(both.stdout).toMatch(/^keyword .*1\.000/mu);
  expect((await here.run(['eval', 'none.json'])).code).toBe(2);
  expect((await here.run(['eval', 'questions.json', '--preset', 'default,none'])).stderr).toContain(
    'there is no preset "none"',
  );
});

describe('output longer than the buffer of a pipe', () => {
  let long: Project;
  beforeAll(async () => {
    const text = 'The needle lies in the haystack of many words. '.repeat(700);
    long = await project(
      Object.fromEntries(Array.from({ length: 160 }, (_, i) => [`docs/${i}.md`, `# Needle ${i}\n\n${i}: ${text}\n`])),
    );
    const large = { FOOTNOTE_CHUNK__MAX_TOKENS: '8192', FOOTNOTE_CHUNK__TARGET_TOKENS: '8000' };
    expect((await long.run(['ingest', 'docs'], large)).code).toBe(0);
  });

  test('arrives whole, however slowly it is read', async () => {
    const child = long.start(['search', 'needle', '--top', '1000', '--json']);
    const exit = new Promise((resolve) => child.on('close', resolve));
    await sleep(1000);
    const parts: Buffer[] = [];
    for await (const part of child.stdout as AsyncIterable<Buffer>) {
      parts.push(part);
      await sleep(5);
    }
    expect(await exit).toBe(0);
    const text = Buffer.concat(parts).toString();
    expect(text.length).toBeGreaterThan(5_000_000);
    expect(JSON.parse(text).hits.length).toBeGreaterThanOrEqual(160);
  });

  test('ends quietly when nobody reads on', async () => {
    const { stdout, stderr } = await long.shell('"$BIN" search needle --top 1000 --json | head -c 10');
    expect(stdout).toBe('{\n  "query');
    expect(stderr).toBe('');
  });
});
