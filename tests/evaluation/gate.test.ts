import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { evaluate } from '../../src/evaluation/evaluate.ts';
import { gateAgainst, gateDesign, readBaseline } from '../../src/evaluation/gate.ts';
import { formatEvaluation } from '../../src/evaluation/table.ts';
import type { EvaluationReport, GateResult } from '../../src/evaluation/types.ts';
import { answer, citation, fakeEngine } from './fake-engine.ts';

const RIGHT = 'file:///docs/right.md';
const WRONG = 'file:///docs/wrong.md';
const names = Array.from({ length: 100 }, (_, index) => `question ${index}`);

/** An engine that has the right document second, instead of first, for so many of 100 questions. */
const degraded = (count: number): ReturnType<typeof fakeEngine> =>
  fakeEngine(
    { [RIGHT]: 'It is so.', [WRONG]: 'It is not.' },
    Object.fromEntries(
      names.map((name, index) => [
        name,
        {
          hits: index < count ? [WRONG, RIGHT] : [RIGHT, WRONG],
          answer: answer('It is so.', [citation(RIGHT, 'It is so.')], { confidence: 0.9 }),
        },
      ]),
    ),
  );

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'footnote-gate-'));
  const queries = names.map((query, index) => ({
    query,
    kind: index < 50 ? 'first' : 'second',
    relevant_docs: ['right.md'],
    answer_quote: 'It is so.',
  }));
  await writeFile(join(folder, 'questions.json'), JSON.stringify({ queries }));
});
afterAll(() => rm(folder, { recursive: true }));

async function measure(count: number, presets: readonly string[] = ['default']): Promise<EvaluationReport> {
  const openEngine = (): Promise<ReturnType<typeof degraded> & { close(): Promise<void> }> =>
    Promise.resolve({ ...degraded(count), close: () => Promise.resolve() });
  return (await evaluate({ target: join(folder, 'questions.json'), presets, openEngine })).report;
}

async function baselineFile(content: unknown): Promise<string> {
  const path = join(folder, `baseline-${Math.random().toString(36).slice(2)}.json`);
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

async function gated(baseline: unknown, now: EvaluationReport): Promise<GateResult> {
  return gateAgainst(await readBaseline(await baselineFile(baseline)), now);
}

const failing = ({ checks }: GateResult): string[] =>
  checks.filter(({ passed }) => !passed).map(({ preset, metric }) => `${preset} ${metric}`);

describe('a gate against a baseline', () => {
  test('passes what is as it was', async () => {
    const result = await gated(await measure(0), await measure(0));
    expect(result).toMatchObject({ passed: true });
    expect(result.checks.map(({ metric }) => metric)).toEqual(
      expect.arrayContaining(['mrr@10', 'quoteHit', 'citationsExact', 'latencyMs.p95']),
    );
  });

  test('catches a planted drop of three points, and tells each figure', async () => {
    const now = await measure(6);
    expect(now.presets['default']?.retrieval['mrr@10']).toBeCloseTo(0.97, 12);
    const result = await gated(await measure(0), now);
    expect(result.passed).toBe(false);
    expect(failing(result)).toEqual(['default mrr@10', 'default ndcg@5', 'default ndcg@10', 'default hit@1']);
    expect(result.checks.find(({ metric }) => metric === 'mrr@10')).toMatchObject({
      baseline: 1,
      now: 0.97,
      tolerance: 0.01,
      message: 'fell',
    });
    const text = formatEvaluation({ ...now, gate: result });
    expect(text).toMatch(/gate \S+: failed, 4 of \d+ figures/);
    expect(text).toMatch(/default +mrr@10 +1\.000 +0\.970 +0\.01 +fell/);
  });

  test('lets pass what fell within its tolerance, and what rose', async () => {
    // One of 100 at rank 2: MRR .995, hit@1 .99.
    expect(await gated(await measure(0), await measure(1))).toMatchObject({ passed: true });
    expect(await gated(await measure(6), await measure(0))).toMatchObject({ passed: true });
  });

  test('takes tolerances from the baseline, also for a kind of question', async () => {
    const [before, now] = [await measure(0), await measure(6)];
    const wide = { 'mrr@10': 0.03, 'ndcg@5': 0.03, 'ndcg@10': 0.03, 'hit@1': 0.06 };
    expect(await gated({ ...before, tolerances: wide }, now)).toMatchObject({ passed: true });
    expect(failing(await gated({ ...before, tolerances: { ...wide, 'hit@1': 0.05 } }, now))).toEqual(['default hit@1']);
    // All six are of the first fifty: .94 there.
    const kinds = { ...wide, 'byKind.first.mrr@10': 0.05, 'byKind.second.mrr@10': 0 };
    expect(failing(await gated({ ...before, tolerances: kinds }, now))).toEqual(['default byKind.first.mrr@10']);
  });

  test('fails for a preset, a figure or questions that are missing now', async () => {
    const before = await measure(0, ['default', 'keyword']);
    const without = await gated(before, await measure(0));
    expect(without.checks.filter(({ passed }) => !passed).every(({ preset }) => preset === 'keyword')).toBe(true);
    expect(without.checks.find(({ passed }) => !passed)?.message).toBe('keyword was not measured');
    expect(formatEvaluation({ ...before, gate: without })).toMatch(/keyword +all +was not measured/);

    const now = await measure(0);
    const { default: preset } = now.presets;
    if (preset === undefined) throw new Error('not measured');
    const unasked = { ...now, presets: { default: { ...preset, answers: { ...preset.answers, quoteHit: null } } } };
    const result = await gated(now, unasked);
    expect(failing(result)).toEqual(['default quoteHit']);
    expect(result.checks.find(({ passed }) => !passed)).toMatchObject({
      now: null,
      message: 'quoteHit was not measured',
    });
    expect(failing(await gated({ ...now, questions: 99 }, now))).toEqual([' questions']);
  });

  test('does not judge what the baseline did not measure', async () => {
    const before = { presets: { default: { retrieval: { 'mrr@10': null, 'ndcg@10': 0.5 } } } };
    const result = await gated(before, await measure(0));
    expect(result.checks.map(({ metric }) => metric)).toEqual(['ndcg@10']);
  });

  test('latency may double, and may rise by 100 ms', async () => {
    const at = async (p95: number): Promise<EvaluationReport> => {
      const report = await measure(0);
      const { default: preset } = report.presets;
      return {
        ...report,
        presets: { default: { ...(preset as NonNullable<typeof preset>), latencyMs: { p50: 1, p95 } } },
      };
    };
    expect(await gated(await at(200), await at(399))).toMatchObject({ passed: true });
    expect(await gated(await at(10), await at(105))).toMatchObject({ passed: true });
    expect(failing(await gated(await at(200), await at(401)))).toEqual(['default latencyMs.p95']);
    const strict = { ...(await at(200)), tolerances: { 'latencyMs.p95': 0.5 } };
    expect(failing(await gated(strict, await at(320)))).toEqual(['default latencyMs.p95']);
  });

  test('a citation that is not equal to its source has no tolerance', async () => {
    const [before, now] = [await measure(0), await measure(0)];
    const { default: preset } = now.presets;
    const one = { ...preset?.answers, citationsExact: { checked: 1000, equal: 999 } };
    const worse = { ...now, presets: { default: { ...preset, answers: one } } } as unknown as EvaluationReport;
    expect(failing(await gated(before, worse))).toEqual(['default citationsExact']);
  });
});

describe('a baseline file', () => {
  test.each([
    ['not JSON', '{', /is not JSON/],
    ['no presets', {}, /presets/],
    ['none in it', { presets: {} }, /holds no preset/],
    ['a preset without figures', { presets: { default: 1 } }, /presets\.default/],
    ['a negative tolerance', { presets: { default: { retrieval: {} } }, tolerances: { x: -1 } }, /tolerances\.x/],
    ['a list', [], /is no baseline/],
  ])('%s', async (_, content, message) => {
    const path = await baselineFile(content);
    await expect(readBaseline(path)).rejects.toMatchObject({
      code: 'file-invalid',
      message: expect.stringMatching(message),
    });
  });

  test('that does not exist, or tolerates what is not in it', async () => {
    await expect(readBaseline(join(folder, 'none.json'))).rejects.toMatchObject({ code: 'file-invalid' });
    const path = await baselineFile({ presets: { p: { retrieval: { 'mrr@10': 1 } } }, tolerances: { 'mrr@1': 0.1 } });
    await expect(readBaseline(path)).rejects.toMatchObject({ code: 'file-invalid', hint: 'Did you mean mrr@10?' });
  });
});

describe('the targets of the design', () => {
  // [S0-target-cache-hits]
  test('pass, with cache hits not judged', async () => {
    const report = await measure(6);
    const result = gateDesign(report);
    expect(result).toMatchObject({ name: 'design', passed: true });
    expect(result.checks.map(({ metric, baseline }) => [metric, baseline])).toEqual([
      ['recall@30', 0.9],
      ['mrr@10', 0.7],
      ['ndcg@5', 0.8],
      ['latencyMs.p95', 5000],
      ['cacheHitRate', 0.4],
    ]);
    expect(formatEvaluation({ ...report, gate: result })).toMatch(/cacheHitRate +0\.400 +– +not judged/);
  });

  // [S0-target-recall] [S0-target-mrr] [S0-target-ndcg] [S0-target-latency]
  test('have to be passed, not only reached, by every preset', async () => {
    // 60 of 100 at rank 2: MRR is .7.
    const report = await measure(60, ['default', 'keyword']);
    expect(report.presets['default']?.retrieval['mrr@10']).toBeCloseTo(0.7, 12);
    expect(report.presets['default']?.retrieval['ndcg@5']).toBeCloseTo(0.4 + 0.6 / Math.log2(3), 12);
    expect(failing(gateDesign(report))).toEqual([
      'default mrr@10',
      'default ndcg@5',
      'keyword mrr@10',
      'keyword ndcg@5',
    ]);
    const { default: preset } = report.presets;
    const cached = { ...report, presets: { default: { ...preset, cacheHitRate: 0.1 } } } as unknown as EvaluationReport;
    expect(failing(gateDesign(cached))).toContain('default cacheHitRate');
  });
});
