import { describe, expect, test } from 'vitest';
import { formatIngest, isChange } from '../../src/cli/ingest-report.ts';
import { answerJson, eventJson, searchJson } from '../../src/cli/json.ts';
import { duration, progressLine } from '../../src/cli/progress.ts';
import { clip } from '../../src/cli/output.ts';
import type { IngestReport, SourceReport } from '../../src/core/results.ts';
import type { Answer, Citation, Hit } from '../../src/core/types.ts';

const hit: Hit = {
  chunk: {
    id: 'c1',
    documentId: 'd1',
    sourceId: 'docs',
    position: 0,
    span: { start: 0, end: 4 },
    text: 'text',
    context: 'Title',
    searchText: 'searched',
    uri: 'file:///a.md',
    path: 'a.md',
    title: 'Title',
    headingPath: ['Title'],
    type: 'markdown',
    language: 'en',
    tokenCount: 1,
    parentIds: [],
    metadata: { lineStart: 3, lineEnd: 4, keywords: ['x'] },
  },
  score: 0.5,
  scores: [{ stage: 'dense', rank: 3, score: 0.71 }],
  alsoAt: [],
};

const citation: Citation = {
  label: 1,
  answerSpan: { start: 0, end: 1 },
  documentId: 'd1',
  uri: 'file:///a.md',
  path: 'a.md',
  title: 'Title',
  headingPath: [],
  url: null,
  quote: 'text',
  span: { start: 0, end: 4 },
  lines: { start: 1, end: 1 },
  page: null,
  revision: 'r',
  commit: null,
  alsoAt: [],
  support: 'supported',
};

const answer: Answer = {
  id: 'i',
  conversationId: null,
  outcome: 'answered',
  question: 'q',
  text: 'text [1]',
  confidence: 0.5,
  citations: [citation],
  passages: [
    {
      label: 1,
      text: 'text',
      documentId: 'd1',
      span: { start: 0, end: 4 },
      uri: 'file:///a.md',
      path: 'a.md',
      title: 'Title',
      headingPath: [],
      alsoAt: [],
      hits: [hit],
    },
  ],
  verification: { unknownLabels: [], uncited: [], unsupported: [], contradicted: [] },
  conflicts: [],
  preset: 'default',
  generator: 'extractive',
  cache: 'miss',
  usage: { inputTokens: 0, outputTokens: 0, costUsd: null },
  timings: {},
  warnings: [],
};

const keys = (value: unknown): string[] => Object.keys(value as object);

describe('JSON has exactly the fields of the contract', () => {
  test('search', () => {
    const json = searchJson({ query: 'q', hits: [hit], timings: {}, warnings: [] });
    expect(keys(json)).toEqual(['query', 'hits', 'timings', 'warnings']);
    expect((json['hits'] as unknown[])[0]).toEqual({
      rank: 1,
      score: 0.5,
      chunkId: 'c1',
      documentId: 'd1',
      uri: 'file:///a.md',
      path: 'a.md',
      alsoAt: [],
      title: 'Title',
      headingPath: ['Title'],
      url: null,
      span: { start: 0, end: 4 },
      lines: { start: 3, end: 4 },
      page: null,
      text: 'text',
      metadata: { keywords: ['x'] },
      scores: [{ stage: 'dense', rank: 3, score: 0.71 }],
    });
  });

  test('ask', () => {
    const json = answerJson(answer);
    expect(keys(json)).toEqual(
      'id conversationId outcome question text confidence citations passages verification conflicts preset generator cache usage timings warnings'.split(
        ' ',
      ),
    );
    expect(keys((json['citations'] as unknown[])[0])).toEqual(
      'label answerSpan uri path title headingPath url quote span lines page revision commit alsoAt support'.split(' '),
    );
    expect(json['passages']).toEqual([{ label: 1, uri: 'file:///a.md', text: 'text' }]);
  });

  test('events carry the same', () => {
    expect(eventJson({ type: 'answer-end', answer })).toEqual({ type: 'answer-end', answer: answerJson(answer) });
    expect(eventJson({ type: 'citation-available', citation })['citation']).toEqual(
      (answerJson(answer)['citations'] as unknown[])[0],
    );
    expect(eventJson({ type: 'text-delta', text: 'x' })).toEqual({ type: 'text-delta', text: 'x' });
  });
});

describe('ingest', () => {
  const source: SourceReport = {
    source: 'docs',
    address: './docs',
    added: 2,
    updated: 1,
    unchanged: 3,
    deleted: 0,
    read: 3,
    failures: [{ path: 'b\u001b.md', message: 'cannot be read' }],
    exclusions: [
      { path: 'a.png', reason: 'binary' },
      { path: '.x', reason: 'hidden' },
      { path: 'b.png', reason: 'binary', detail: 'NUL' },
    ],
    warnings: Array.from({ length: 12 }, (_, i) => ({ code: 'w', message: `warning ${i}`, uri: 'file:///a.md' })),
  };
  const report: IngestReport = {
    generation: 1,
    sources: [source],
    removed: ['old'],
    documents: 6,
    chunks: 1,
    milliseconds: 1234,
    finishedAt: '2026-01-01T00:00:00.000Z',
  };

  test('everything left out, failed or warned is told', () => {
    const text = formatIngest(report, false);
    expect(text).toContain('old  taken out');
    expect(text).toContain('docs  2 added, 1 updated, 3 unchanged, 0 deleted  (./docs)');
    expect(text).toContain('left out: 2 binary, 1 hidden');
    expect(text).toContain('b.png: binary (NUL)');
    expect(text).toContain('failed b\\u001b.md: cannot be read');
    expect(text).toContain('2 more warnings (--verbose lists them)');
    expect(text).toContain('6 documents, 1 chunk, 1.2 s');
    expect(formatIngest(report, true)).toContain('warning 11');
  });

  test('long lists are counted until asked for', () => {
    const exclusions = Array.from({ length: 11 }, (_, i) => ({ path: `${i}.png`, reason: 'binary' as const }));
    const many = { ...report, sources: [{ ...source, exclusions }] };
    expect(formatIngest(many, false)).toContain('left out: 11 binary (--verbose lists them)');
    expect(formatIngest(many, false)).not.toContain('3.png');
    expect(formatIngest(many, true)).toContain('3.png: binary');
  });

  test('a sync that changed nothing and fails as before is not told again', () => {
    const quiet = { ...report, sources: [{ ...source, added: 0, updated: 0 }] };
    expect(isChange(quiet, report)).toBe(false);
    expect(isChange(report, quiet)).toBe(true);
    expect(isChange({ ...quiet, sources: [{ ...(quiet.sources[0] as SourceReport), failures: [] }] }, report)).toBe(
      true,
    );
  });
});

test.each([
  [0, 607, 0, 'docs: 0 of 607'],
  [120, undefined, 500, 'docs: 120'],
  [120, 607, 2000, 'docs: 120 of 607, 60/s, 8 s left'],
  [3, 10, 2000, 'docs: 3 of 10, 1.5/s, 5 s left'],
])('progress %s of %s after %s ms', (done, total, elapsed, line) =>
  expect(progressLine('docs', done, total, elapsed)).toBe(line),
);

test('durations', () => expect([0.4, 59, 61, 3700].map(duration)).toEqual(['0 s', '59 s', '1 min 1 s', '1 h 1 min']));

test('clipping cuts no character in two', () => {
  expect(clip('ab👩c', 3)).toBe('ab…');
  expect(clip('a👩', 2)).toBe('a👩');
  expect(clip('👩👩👩', 2)).toBe('👩…');
});
