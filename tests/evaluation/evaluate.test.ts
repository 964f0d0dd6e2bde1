import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RagError } from '../../src/core/errors.ts';
import { beirUri } from '../../src/evaluation/beir.ts';
import { evaluate } from '../../src/evaluation/evaluate.ts';
import { reportPreset } from '../../src/evaluation/report.ts';
import { evaluateQuestions } from '../../src/evaluation/run.ts';
import { formatEvaluation } from '../../src/evaluation/table.ts';
import {
  RETRIEVAL_METRICS,
  type Dataset,
  type EvaluatedEngine,
  type EvaluationReport,
} from '../../src/evaluation/types.ts';
import { answer, citation, fakeEngine, refusal } from './fake-engine.ts';

const A = 'file:///docs/a.md';
const B = 'file:///docs/b.md';
const C = 'file:///docs/c.md';
const documents: Readonly<Record<string, string>> = { [A]: 'Alpha is first.', [B]: 'Beta is second.', [C]: 'Gamma.' };

const questions = [
  {
    query: 'alpha?',
    kind: 'how-to',
    relevant_docs: ['docs/a.md'],
    answer_quote: 'Alpha is first.',
    ideal_answer_keywords: ['first'],
  },
  { query: 'beta?', kind: 'how-to', relevant_docs: ['b.md', 'gone.md'], answer_quote: 'Beta is second.' },
  { query: 'gamma?', kind: 'paraphrase', relevant_docs: ['c.md'], equivalent_docs: ['a.md'], answer_quote: 'Gamma.' },
  { query: 'delta?', kind: 'unanswerable', relevant_docs: [] },
  { query: 'epsilon?', kind: 'unanswerable', relevant_docs: [] },
];

const engine = fakeEngine(documents, {
  'alpha?': {
    hits: [A, A, B],
    answer: answer('Alpha is first.', [citation(A, 'Alpha is first.', { answerSpan: { start: 0, end: 15 } })], {
      confidence: 0.9,
    }),
  },
  'beta?': {
    hits: [A, A, C, A, B],
    answer: answer('Gamma, I think.', [citation(C, 'Gammon.')], { confidence: 0.4, cache: 'exact' }),
  },
  'gamma?': { hits: [], answer: refusal(0.3) },
  'delta?': { hits: [B], answer: refusal(0.1) },
  'epsilon?': { hits: [B], answer: answer('Beta is second.', [citation(B, 'Beta is second.')], { confidence: 0.4 }) },
});

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'footnote-eval-'));
  await writeFile(join(folder, 'questions.json'), JSON.stringify({ queries: questions }));
  await writeFile(join(folder, 'corpus.jsonl'), '{"_id":"d1","text":"one"}\n{"_id":"d2","text":"two"}\n');
  await writeFile(join(folder, 'queries.jsonl'), '{"_id":"q1","text":"one?"}\n');
  await writeFile(join(folder, 'qrels.tsv'), 'query-id\tcorpus-id\tscore\nq1\td1\t3\nq1\td2\t1\n');
});
afterAll(() => rm(folder, { recursive: true }));

const lent = (
  evaluated: EvaluatedEngine,
  onClose: () => void = () => undefined,
): EvaluatedEngine & { close(): Promise<void> } => ({
  ...evaluated,
  close: () => Promise.resolve(onClose()),
});

async function evaluateFile(): Promise<EvaluationReport> {
  const target = join(folder, 'questions.json');
  return (await evaluate({ target, presets: ['plain'], openEngine: () => Promise.resolve(lent(engine)) })).report;
}

describe('a question file', () => {
  test('counts questions and warns once about a label without a document', async () => {
    const report = await evaluateFile();
    expect(report).toMatchObject({ questions: 5, answerable: 3, comparisons: [] });
    expect(report.warnings.map(({ code, message }) => [code, message.includes('gone.md')])).toEqual([
      ['label-unmatched', true],
    ]);
  });

  test('retrieval is a mean over the answerable questions, empty runs included', async () => {
    const { retrieval } = (await evaluateFile()).presets['plain'] ?? {};
    // alpha: rank 1 of 1. beta: B is the third document, one of two labels. gamma: nothing found.
    const ndcgOfBeta = 1 / Math.log2(4) / (1 + 1 / Math.log2(3));
    expect(retrieval).toEqual({
      'recall@5': (1 + 0.5 + 0) / 3,
      'recall@30': (1 + 0.5 + 0) / 3,
      'mrr@10': (1 + 1 / 3 + 0) / 3,
      'ndcg@5': (1 + ndcgOfBeta) / 3,
      'ndcg@10': (1 + ndcgOfBeta) / 3,
      'hit@1': 1 / 3,
      'precision@5': expect.closeTo(0.4 / 3, 12),
    });
  });

  test('answers, refusals, kinds and lengths', async () => {
    const { answers, byKind, answerWords, cacheHitRate, intervals } = (await evaluateFile()).presets['plain'] ?? {};
    expect(answers).toEqual({
      quoteHit: 1 / 3,
      keywordRecall: 1,
      citationPrecision: 0.5,
      citationRecall: 0.5,
      citesRelevant: 1 / 3,
      answeredAnswerable: 2 / 3,
      citationsExact: { checked: 3, equal: 2 },
      // Refused: gamma and delta; unanswerable: delta and epsilon. Confidence: .9 against .4, .3, .1 and .4.
      abstention: { precision: 0.5, recall: 0.5, auroc: 1 },
    });
    expect(byKind).toMatchObject({
      'how-to': { questions: 2, 'mrr@10': (1 + 1 / 3) / 2, quoteHit: 0.5, refused: 0 },
      paraphrase: { questions: 1, 'mrr@10': 0, 'ndcg@10': 0, citesRelevant: 0, refused: 1 },
      unanswerable: { questions: 2, 'mrr@10': null, quoteHit: null, citesRelevant: null, refused: 0.5 },
    });
    expect(answerWords).toEqual({ p50: 3, p95: 3 });
    // There is no cache yet, whatever an answer says of itself.
    expect(cacheHitRate).toBeNull();
    expect(Object.keys(intervals ?? {}).sort()).toEqual(
      [
        ...RETRIEVAL_METRICS,
        'quoteHit',
        'citationPrecision',
        'citationRecall',
        'citesRelevant',
        'answeredAnswerable',
        'abstention.precision',
        'abstention.recall',
        'abstention.auroc',
      ].sort(),
    );
    for (const [lower, upper] of Object.values(intervals ?? {})) expect(lower).toBeLessThanOrEqual(upper);
    expect(intervals?.['quoteHit']).toEqual([0, 1]);
    expect(Object.keys(byKind?.['how-to']?.intervals ?? {})).toEqual(['mrr@10', 'ndcg@10']);
    expect(byKind?.['paraphrase']?.intervals).toEqual({});
  });

  test('an engine that cannot read back has no count of exact citations, and a changed revision is not exact', async () => {
    const { search, ask, uris } = engine;
    const { questions: read } = await datasetOf();
    const report = async (evaluated: EvaluatedEngine): Promise<unknown> =>
      reportPreset((await evaluateQuestions(evaluated, read, { ask: true })).results).answers.citationsExact;
    expect(await report({ search, ask, uris })).toBeNull();
    const newer: EvaluatedEngine = {
      ...engine,
      document: (id) => Promise.resolve({ text: documents[id] ?? '', revision: 'r2' }),
    };
    expect(await report(newer)).toEqual({ checked: 3, equal: 0 });
  });

  async function datasetOf(): Promise<Dataset> {
    let seen: Dataset | undefined;
    const openEngine = (_: string, dataset: Dataset): Promise<ReturnType<typeof lent>> => {
      seen = dataset;
      return Promise.resolve(lent(engine));
    };
    await evaluate({ target: join(folder, 'questions.json'), presets: ['plain'], openEngine });
    if (seen === undefined) throw new Error('no engine was opened');
    return seen;
  }
});

describe('a run', () => {
  const beta = {
    id: '1',
    query: 'beta?',
    kind: null,
    protocol: 'bisq_easy',
    judgments: { by: 'label', labels: ['b.md'], equivalents: [] },
    quotes: [],
    keywords: [],
  } as const;

  test('searches as deep as 30 distinct documents, and times the answer alone', async () => {
    const asked: unknown[] = [];
    let time = 0;
    const timed: EvaluatedEngine = {
      ...engine,
      search: (request) => ((time += 5), asked.push(request), engine.search(request)),
      ask: (request) => ((time += 100), engine.ask(request)),
    };
    const run = await evaluateQuestions(timed, [beta], { ask: true, now: () => time });
    expect(asked).toEqual([{ query: 'beta?', distinctDocuments: 30, explain: false }]);
    expect(run.results[0]).toMatchObject({ documents: [A, C, B], protocol: 'bisq_easy', latencyMs: 100 });
    const searched = await evaluateQuestions(timed, [beta], { ask: false, now: () => time });
    expect(searched.results[0]).toMatchObject({ answer: null, latencyMs: 5 });
  });

  test('documents below rank 30 do not count', async () => {
    const uris = Array.from({ length: 31 }, (_, index) => `file:///${index}.md`);
    const deep = fakeEngine(Object.fromEntries(uris.map((uri) => [uri, ''])), { 'beta?': { hits: uris } });
    const question = { ...beta, judgments: { by: 'label', labels: ['29.md', '30.md'], equivalents: [] } } as const;
    const [result] = (await evaluateQuestions(deep, [question], { ask: false })).results;
    expect(result?.documents).toHaveLength(30);
    expect(result?.retrieval).toMatchObject({ 'recall@30': 0.5, 'recall@5': 0 });
  });

  test('stops between questions when it is told to', async () => {
    const controller = new AbortController();
    const onProgress = (): void => controller.abort();
    const run = evaluateQuestions(engine, [beta, beta], { ask: true, signal: controller.signal, onProgress });
    await expect(run).rejects.toMatchObject({ code: 'aborted' });
  });
});

describe('a BEIR folder', () => {
  test('is searched only: grades count, answers are null, and the caller is told which corpus to index', async () => {
    const [d1, d2] = [beirUri(folder, 'd1'), beirUri(folder, 'd2')];
    const beir = fakeEngine({ [d1]: 'one', [d2]: 'two' }, { 'one?': { hits: [d2, d1] } });
    const unasked: EvaluatedEngine = { ...beir, ask: () => Promise.reject(new Error('was asked')) };
    const folders: (string | null)[] = [];
    const { report, results } = await evaluate({
      target: folder,
      presets: ['x', 'y', 'x'],
      openEngine: (_, dataset) => (folders.push(dataset.beirFolder), Promise.resolve(lent(unasked))),
    });
    expect(folders).toEqual([folder, folder]);
    expect(Object.keys(report.presets)).toEqual(['x', 'y']);
    expect(results.get('y')?.[0]?.documents).toEqual([d2, d1]);
    const { retrieval, answers, cacheHitRate, byKind } = report.presets['x'] ?? {};
    expect(retrieval?.['ndcg@10']).toBeCloseTo((1 + 3 / Math.log2(3)) / (3 + 1 / Math.log2(3)), 12);
    expect(answers).toMatchObject({
      quoteHit: null,
      citationsExact: null,
      abstention: { precision: null, recall: null, auroc: null },
    });
    expect([cacheHitRate, byKind]).toEqual([null, {}]);
  });
});

describe('several presets', () => {
  const other = fakeEngine(
    { [A]: 'Alpha is first.', [C]: 'Gamma.' },
    Object.fromEntries(questions.map(({ query }) => [query, { hits: [C], answer: refusal() }])),
  );
  const open = (preset: string): Promise<ReturnType<typeof lent>> => {
    if (preset === 'refused') return Promise.reject(new RagError('setting-invalid', 'chunks are too long'));
    return Promise.resolve(lent(preset === 'other' ? other : engine));
  };
  const target = (): string => join(folder, 'questions.json');

  test('are compared each with each, or as told; other documents are a warning', async () => {
    const presets = ['one', 'two', 'other'];
    const { report } = await evaluate({ target: target(), presets, openEngine: open });
    const pairs = new Set(report.comparisons.map(({ a, b }) => `${a} ${b}`));
    expect([...pairs]).toEqual(['one two', 'one other', 'two other']);
    const mrr = report.comparisons.find(({ a, b, metric }) => a === 'one' && b === 'other' && metric === 'mrr@10');
    // 1, 1/3, 0 against 0, 0, 1.
    expect(mrr).toMatchObject({ difference: expect.closeTo(1 / 9, 12), questions: 3, pRaw: 1, p: 1 });
    expect(report.comparisons.filter(({ a, b }) => a === 'one' && b === 'two').every(({ p }) => p === 1)).toBe(true);
    expect(report.comparisons.some(({ metric }) => metric === 'citationPrecision')).toBe(false);
    expect(report.warnings.filter(({ code }) => code === 'documents-differ').map(({ message }) => message)).toEqual([
      'other searched other documents (2) than one (3).',
    ]);
    const told = await evaluate({ target: target(), presets, openEngine: open, pairs: [['two', 'one']] });
    expect(new Set(told.report.comparisons.map(({ a, b }) => `${a} ${b}`))).toEqual(new Set(['two one']));
  });

  test('one that is optional, and refused for its settings, is left out with a warning', async () => {
    const request = { target: target(), presets: ['one', 'refused'], openEngine: open };
    await expect(evaluate(request)).rejects.toMatchObject({ code: 'setting-invalid' });
    const { report } = await evaluate({ ...request, optional: new Set(['refused']) });
    expect(Object.keys(report.presets)).toEqual(['one']);
    expect(report.comparisons).toEqual([]);
    expect(report.warnings.map(({ code }) => code)).toContain('point-invalid');
  });
});

test('every engine is closed, also when a question fails', async () => {
  const closed: string[] = [];
  const broken: EvaluatedEngine = { ...engine, ask: () => Promise.reject(new Error('boom')) };
  const openEngine = (preset: string): Promise<ReturnType<typeof lent>> =>
    Promise.resolve(lent(preset === 'good' ? engine : broken, () => closed.push(preset)));
  const target = join(folder, 'questions.json');
  await expect(evaluate({ target, presets: ['good', 'bad'], openEngine })).rejects.toThrow('boom');
  expect(closed).toEqual(['good', 'bad']);
});

describe('the table', () => {
  test('shows every figure in at most 100 columns, and no control character', async () => {
    const report = await evaluateFile();
    const plain = report.presets['plain'];
    if (plain === undefined) throw new Error('not evaluated');
    const kinds = {
      ...plain.byKind,
      ['very-long-kind-of-question-\u001b[31m']: plain.byKind['how-to'],
    } as typeof plain.byKind;
    const name = 'a-preset-with-quite-a-long-name';
    const text = formatEvaluation({ ...report, presets: { [name]: { ...plain, byKind: kinds }, plain } });
    const lines = text.split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(text).not.toMatch(/[^\P{Cc}\n]/u);
    expect(lines[0]).toBe('5 questions, 3 of them answerable; ranges are 95 % intervals');
    expect(lines.find((line) => line.startsWith('plain '))).toMatch(
      /^plain +0\.444 +0\.436 +0\.436 +0\.500 +0\.500 +0\.333 +0\.133$/,
    );
    expect(lines).toContainEqual(expect.stringMatching(/^how-to +2 +0\.667 0\.33–1\.00 +0\.653 0\.31–1\.00 /));
    expect(lines).toContainEqual(
      expect.stringMatching(/^paraphrase +1 +0\.000 +0\.000 +0\.000 +0\.000 +0\.000 +1\.000$/),
    );
    expect(lines).toContainEqual(expect.stringMatching(/^unanswerable +2 +– +– +– +– +– +0\.500$/));
    expect(lines).toContain('plain: 2 of 3 citations equal their source');
  });

  test('stays within 100 columns with its differences, and shows all metrics of a difference that is no chance', async () => {
    const report = await evaluateFile();
    const of = (a: string, b: string): EvaluationReport['comparisons'] =>
      ['ndcg@10', 'mrr@10', 'hit@1', 'keywordRecall'].map((metric) => ({
        ...{ a, b, metric, difference: -0.05, interval: [-0.1, 0] as const, questions: 9 },
        ...(metric === 'hit@1' ? { p: 0.04, pRaw: 0.0001 } : { p: 0.5, pRaw: 0.3 }),
      }));
    const long = 'a-preset-with-quite-a-long-name chunk.maxTokens=256 fuse.weights.dense=0.25';
    const few = formatEvaluation({ ...report, comparisons: of('plain', long) }).split('\n');
    expect(Math.max(...few.map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(few).toContainEqual(expect.stringMatching(/^ {2}hit@1 +−0\.050 +−0\.100 to 0\.000 +0\.040 +<0\.001$/));
    expect(few).toContainEqual(expect.stringMatching(/^ {2}mrr@10 /));
    expect(few.some((line) => line.startsWith('  keywordRecall'))).toBe(false);
    const many = formatEvaluation({
      ...report,
      comparisons: ['a', 'b', 'c', 'd'].flatMap((name) => of(name, 'plain')),
    });
    expect(many).not.toMatch(/^ {2}mrr@10 /mu);
    expect(many).toContain('corrected for the 16 comparisons of this run');
  });

  test('leaves out what was not measured', async () => {
    const report = await evaluateFile();
    const empty = formatEvaluation({ ...report, presets: { plain: reportPreset([]) } });
    expect(empty).not.toMatch(/abstention|quoteHit|kind/);
    expect(empty).toMatch(/retrieval/);
  });
});
