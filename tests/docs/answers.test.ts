/** Footnote answers from its own documentation: what the README shows and the demo asks. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEngine, parseSource, presetSettings } from '../../src/index.ts';
import { pageNamed, readText, REPOSITORY } from './pages.ts';

const folder = mkdtempSync(join(tmpdir(), 'footnote-docs-'));
const engine = await createEngine({ folder, settings: presetSettings('default') });
beforeAll(() => engine.ingest({ sources: [parseSource('docs', { cwd: REPOSITORY })] }));
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

test('what the README shows is what is printed (else: node tools/samples.mjs)', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(REPOSITORY, 'tools/samples.mjs'), '--check'], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const samples = pageNamed('README.md').blocks.filter(({ code }) => code.startsWith('$ bin/footnote'));
  expect(samples.length).toBeGreaterThan(1);
});

describe('the demo', () => {
  const [checks = '', settings = '', unanswerable = ''] = [...readText('tools/demo.mjs').matchAll(/'([A-Z][^']+\?)'/gu)]
    .map(([, question = '']) => question)
    .sort((a, b) => Number(a.startsWith('Which wine')) - Number(b.startsWith('Which wine')));

  test('says how a citation is checked', async () => {
    const { outcome, citations, text } = await engine.ask({ question: checks });
    expect(outcome).toBe('answered');
    expect(citations[0]?.path).toBe('citations.md');
    expect(text).toMatch(/reads the quote back from the stored document/u);
  });

  test('says which file holds the settings', async () => {
    const { outcome, citations, text } = await engine.ask({ question: settings });
    expect(outcome).toBe('answered');
    expect(citations[0]?.path).toBe('settings.md');
    expect(text).toMatch(/`footnote\.yaml`[^]*`footnote init`/u);
  });

  test('refuses what the documents do not say', async () => {
    const { outcome, citations } = await engine.ask({ question: unanswerable });
    expect({ outcome, citations }).toEqual({ outcome: 'insufficient-context', citations: [] });
  });
});

test.each([
  ['What does the warning source-newer mean?', ['citations.md', 'troubleshooting.md']],
  ['How do I remove a source?', ['sources.md']],
  ['Can it read PDF files?', ['formats.md']],
  ['What does exit code 1 mean?', ['json.md']],
  ['How do I filter by date?', ['search.md']],
  ['Does Footnote send my documents anywhere?', ['security.md']],
  ['How do I measure the quality on my own questions?', ['evaluation.md']],
  ['What is the index-locked error?', ['troubleshooting.md']],
])('%s is answered from %j', async (question, expected) => {
  const { outcome, citations } = await engine.ask({ question });
  expect(outcome).toBe('answered');
  expect(citations.map(({ path }) => path).filter((path) => expected.includes(path))).not.toEqual([]);
});
