/** `footnote eval` as users run it, on a small corpus and on a real one. */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { project, type Json, type Project } from '../cli/footnote.ts';

const SHARED = fileURLToPath(new URL('../../../shared', import.meta.url));
const TOPICS = ['kettle', 'anchor', 'lantern', 'compass', 'barrel', 'rudder'];

describe('on a small corpus', () => {
  let here: Project;
  beforeAll(async () => {
    const pages = TOPICS.map((topic): [string, string] => [
      `docs/${topic}.md`,
      `# The ${topic}\n\nThe ${topic} is kept in the hold. It weighs ${topic.length} pounds and is cleaned on Sundays.\n`,
    ]);
    const queries = TOPICS.map((topic) => ({
      query: `Where is the ${topic} kept?`,
      kind: 'where',
      protocol: 'sea',
      relevant_docs: [`${topic}.md`],
    }));
    here = await project({ ...Object.fromEntries(pages), 'questions.json': JSON.stringify({ queries }) });
    expect((await here.run(['ingest', 'docs'])).code).toBe(0);
  });

  test('--json has intervals, comparisons and, when asked, every question', async () => {
    const plain = await here.json(['eval', 'questions.json', '--preset', 'default,keyword']);
    expect(plain.presets.default.intervals['mrr@10']).toEqual([1, 1]);
    expect(plain.presets.default.cacheHitRate).toBeNull();
    expect(plain.presets.default.perQuestion).toBeUndefined();
    expect(plain.comparisons[0]).toMatchObject({ a: 'default', b: 'keyword', difference: 0, interval: [0, 0], p: 1 });
    const full = await here.json(['eval', 'questions.json', '--per-question']);
    expect(full.presets.default.perQuestion).toHaveLength(TOPICS.length);
    expect(full.presets.default.perQuestion[0]).toMatchObject({
      id: '#1',
      query: 'Where is the kettle kept?',
      kind: 'where',
      protocol: 'sea',
      documents: expect.arrayContaining([expect.stringMatching(/\/docs\/kettle\.md$/)]),
      retrieval: { 'mrr@10': 1 },
      answer: { outcome: 'answered' },
    });
  });

  test('--vary measures each value, and names the best and what sets it', async () => {
    const report = await here.json(['eval', 'questions.json', '--vary', 'chunk.maxTokens=64,512']);
    expect(Object.keys(report.presets)).toEqual(['default chunk.maxTokens=64', 'default chunk.maxTokens=512']);
    expect(report.warnings.map(({ code }: Json) => code)).toEqual(['setting-follows']);
    expect(report.vary).toEqual([
      expect.objectContaining({
        baseline: 'default chunk.maxTokens=512',
        best: 'default chunk.maxTokens=512',
        withinNoise: true,
        yaml: ['chunk: { maxTokens: 512 }'],
        environment: ['FOOTNOTE_CHUNK__MAX_TOKENS=512'],
      }),
    ]);
    const { code, stdout, stderr } = await here.run(['eval', 'questions.json', '--vary', 'fuse.k=1,2']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^fuse\.k=2 +1\.000 /mu);
    expect(stdout).toContain('best by ndcg@10: default (1.000)\nwhich is the preset as it is: nothing to change');
    expect(stderr).toBe('');
  });

  test('--gate: exit 1 when it fails, 2 when the baseline is none', async () => {
    const baseline = await here.json(['eval', 'questions.json']);
    await here.write({ 'baseline.json': JSON.stringify(baseline) });
    const same = await here.run(['eval', 'questions.json', '--gate', 'baseline.json']);
    expect(same).toMatchObject({ code: 0, stdout: expect.stringMatching(/^gate baseline\.json: passed/mu) });
    const { retrieval } = baseline.presets.default;
    baseline.presets.default.retrieval = { ...retrieval, 'precision@5': retrieval['precision@5'] + 0.03 };
    await here.write({ 'better.json': JSON.stringify(baseline) });
    const worse = await here.json(['eval', 'questions.json', '--gate', 'better.json'], 1);
    expect(worse.gate.checks.filter(({ passed }: Json) => !passed)).toEqual([
      expect.objectContaining({ preset: 'default', metric: 'precision@5', tolerance: 0.01, message: 'fell' }),
    ]);
    expect((await here.run(['eval', 'questions.json', '--gate', 'design'])).code).toBe(0);
    const none = await here.run(['eval', 'questions.json', '--gate', 'questions.json']);
    expect(none).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/is no baseline.*\nhint: /u) });
  });
});

describe('on real documentation', () => {
  const corpus = join(SHARED, 'data/corpora/md-wavemaker');
  test.skipIf(!existsSync(corpus))('WaveMaker: the gate catches what keyword search alone loses', async () => {
    const here = await project();
    expect((await here.run(['ingest', corpus])).code).toBeLessThan(2);
    const questions = join(SHARED, 'data/questions/md-wavemaker.json');
    const baseline = join(here.folder, 'baseline.json');
    await writeFile(baseline, (await here.run(['eval', questions, '--json'])).stdout);
    const before = JSON.parse(await readFile(baseline, 'utf8')).presets.default.retrieval;
    const { code, stdout } = await here.run(['eval', questions, '--gate', baseline, '--json'], {
      FOOTNOTE_RETRIEVE__MODE: 'keyword',
    });
    expect(code).toBe(1);
    const report = JSON.parse(stdout);
    const lost = before['mrr@10'] - report.presets.default.retrieval['mrr@10'];
    expect(lost).toBeGreaterThan(0.02);
    expect(report.gate.checks.filter(({ passed }: Json) => !passed).map(({ metric }: Json) => metric)).toContain(
      'mrr@10',
    );
  });
});
