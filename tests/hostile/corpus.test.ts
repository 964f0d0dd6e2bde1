/** Every entry of the shared hostile corpus: what it must do, and that nothing of the good documents is lost. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import builtIn from '../../src/embedders/built-in.ts';
import { project } from '../cli/footnote.ts';
import { CONTROLS, sourceReport } from './check-kinds.ts';
import { checkOf } from './checks.ts';
import { copyCorpus, expectations, haveCorpus, ingestCorpus, type Ingested } from './corpus.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** For the table of tools/hostile-table.mjs. */
    hostile?: { readonly entry: string; readonly expectation: string; readonly outcome: string };
  }
}

const MOST_TOKENS = 512;
/** The whole corpus takes 4 s on two slow cores; a hang or quadratic time takes minutes. */
const MOST_SECONDS = 60;

const here = await project();
const corpus = haveCorpus ? copyCorpus(here) : { folder: '', made: new Map<string, string>() };

describe.skipIf(!haveCorpus)('the hostile corpus (needs the shared corpora beside the repository)', () => {
  let ingested: Ingested;
  beforeAll(async () => {
    ingested = await ingestCorpus(here);
  });
  afterAll(() => ingested.close());

  test.for([...Object.entries(expectations), ...corpus.made])('%s: %s', async ([entry, expectation], { task }) => {
    const check = checkOf(entry);
    if (check === undefined) throw new Error(`no check for ${entry}`);
    task.meta.hostile = { entry, expectation, outcome: await check(ingested, entry) };
  });

  // [S2-assume-structure]
  test('every file is in the index, or listed, once', () => {
    const files = readdirSync(corpus.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(corpus.folder.length + 1));
    const { exclusions, failures } = sourceReport(ingested);
    // A document without words is in the index, and listed as empty.
    const filled = ingested.index.summaries.filter(({ chunks }) => chunks > 0);
    // A file of records is as many documents.
    const told = new Set(
      [...filled, ...exclusions, ...failures].map(({ path }) => path.replace(/(\.jsonl)#.*$/u, '$1')),
    );
    expect([...told].sort()).toEqual(files.sort());
  });

  test('chunks are the text at their place, within the limit, and cut no character in two', async () => {
    const embedder = await builtIn();
    for (const { path } of ingested.index.summaries) {
      const { document, chunks } = await ingested.index.document(path);
      for (const { text, span, context } of chunks) {
        expect(text === document.text.slice(span.start, span.end), path).toBe(true);
        expect(embedder.countTokens(`${context}\n${text}`), path).toBeLessThanOrEqual(MOST_TOKENS);
        expect(text, path).not.toMatch(/\p{Surrogate}/u);
      }
    }
  });

  test('every character that is not blank is in a chunk, or in a listed exclusion', async () => {
    for (const { path } of ingested.index.summaries) {
      const { document, chunks } = await ingested.index.document(path);
      const spans = [...chunks, ...document.exclusions].map(({ span }) => span).sort((a, b) => a.start - b.start);
      let end = 0;
      let left = '';
      for (const span of [...spans, { start: document.text.length, end: document.text.length }]) {
        left += document.text.slice(end, Math.max(end, span.start));
        end = Math.max(end, span.end);
      }
      expect(left.trim(), path).toBe('');
    }
  });

  test('what is printed for people has no control character of a document', async () => {
    const outputs = [
      ingested.human,
      await here.run(['search', 'terminal escapes', '--explain']),
      await here.run(['search', 'access_level', '--filter', 'path=enc/bidi.md']),
      await here.run(['ask', 'Must terminal escapes reach a terminal raw?']),
      await here.run(['status']),
    ];
    for (const { code, stdout, stderr } of outputs) {
      expect([0, 1]).toContain(code);
      expect(stdout + stderr).not.toMatch(CONTROLS);
      expect(stderr).not.toMatch(/^\s+at .*:\d+/mu);
    }
    expect(outputs[1]?.stdout).toContain('\\u001b');
  });

  test('the JSON of a search gives the text as it is', async () => {
    const { hits } = await here.json(['search', 'terminal escapes', '--filter', 'path=enc/controls.md']);
    expect(hits[0].text).toContain('Bell \u0007 and ESC \u001b[31mred');
  });

  test('CRLF and LF give the same sections and chunks', async () => {
    const { document, chunks } = await ingested.index.document('enc/crlf.md');
    const other = await project({ 'lf/crlf.md': document.text.replaceAll('\r\n', '\n') });
    const { hits } = await other.run(['ingest', 'lf']).then(() => other.json(['search', 'const a', '--top', '9']));
    expect(hits.map(({ text }: { text: string }) => text).sort()).toEqual(
      chunks.map(({ text }) => text.replaceAll('\r\n', '\n')).sort(),
    );
  });

  test('the whole corpus in linear time', () => {
    expect(ingested.milliseconds).toBeLessThan(MOST_SECONDS * 1000);
  });
});
