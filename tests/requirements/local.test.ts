/** What the designs say about where things run, as processes: nothing leaves the machine, nothing loads too early. */
import { cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { project, type Json, type Project } from '../cli/footnote.ts';

const PAGES = {
  'docs/guide/ports.md':
    '# Ports\n\n## Gateway\n\nThe gateway listens on port 8787 by default.\n\n## Database\n\nThe database listens on port 5432.\n',
  'docs/guide/logs.md': '# Logs\n\nThe gateway writes its log to `gateway.log`.\n',
};
const QUESTION = 'Which port does the gateway listen on?';

/** Node options that run a module before the program. */
const preload = (code: string): Record<string, string> => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code).replaceAll("'", '%27')}`,
});

const ingested = async (files: Readonly<Record<string, string>> = PAGES): Promise<Project> => {
  const here = await project(files);
  const { code, stderr } = await here.run(['ingest', 'docs']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return here;
};

// [S0-privacy-local] [S1-embedding-private] [S1-self-host] [S2-no-setup]
test('ingest, search and ask work without a network, and do not even try one', async () => {
  const noNetwork = preload(`
    import net from 'node:net';
    import dns from 'node:dns';
    import { syncBuiltinESMExports } from 'node:module';
    const refuse = (what) => function () { process.stderr.write('NETWORK ' + what + '\\n'); throw new Error('no network'); };
    net.Socket.prototype.connect = refuse('connect');
    dns.lookup = refuse('lookup');
    globalThis.fetch = refuse('fetch');
    syncBuiltinESMExports();
  `);
  const here = await project(PAGES);
  for (const args of [['ingest', 'docs'], ['search', QUESTION], ['ask', QUESTION], ['status'], ['doctor']]) {
    const { code, stderr } = await here.run(args, noNetwork);
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  }
  // An attempt would be seen.
  const attempt = await here.shell(`NODE_OPTIONS='${noNetwork['NODE_OPTIONS']}' node -e 'fetch("http://127.0.0.1")'`);
  expect(attempt.stderr).toContain('NETWORK fetch');
});

// [S0-lazy-loading]
test('the model is loaded when it is first needed', async () => {
  const watch = preload(`
    import files from 'node:fs/promises';
    import { syncBuiltinESMExports } from 'node:module';
    const { readFile } = files;
    files.readFile = (path, ...more) => {
      if (String(path).includes('static-docs-384')) process.stderr.write('MODEL\\n');
      return readFile(path, ...more);
    };
    syncBuiltinESMExports();
  `);
  const here = await ingested();
  const loads = async (args: readonly string[]): Promise<boolean> =>
    (await here.run(args, watch)).stderr.includes('MODEL');
  expect(await loads(['--help'])).toBe(false);
  expect(await loads(['preset', 'list'])).toBe(false);
  expect(await loads(['search', QUESTION])).toBe(true);
});

// [S4-portability] [S4-flat-index] [S4-metadata-jsonl]
test('an index is a folder of a few files, and works wherever it is put', async () => {
  const here = await ingested();
  const there = await project();
  await cp(join(here.folder, '.footnote'), join(there.folder, 'moved'), { recursive: true });
  const [before, after]: Json[] = [
    await here.json(['search', QUESTION]),
    await there.json(['search', QUESTION, '--index', 'moved']),
  ];
  expect(after.hits).toEqual(before.hits);
  expect((await readdir(join(there.folder, 'moved'))).length).toBeLessThan(12);
  await rm(join(here.folder, 'docs'), { recursive: true });
  expect((await here.json(['search', QUESTION])).hits).toEqual(before.hits);
});

// [S4-labels-to-urls] [S4-source-urls] [S0-payload-url] [S2-paths-cite] [S1-answer-citations]
test('each label of an answer leads to the address of its passage, headings included', async () => {
  const here = await project({
    ...PAGES,
    'footnote.yaml': 'sources: [{ from: docs, baseUrl: "https://docs.example.org/learn" }]',
  });
  expect((await here.run(['ingest'])).code).toBe(0);
  const { text, citations, passages }: Json = await here.json(['ask', QUESTION]);
  const labels = new Set([...text.matchAll(/\[(\d+)\]/gu)].map(([, label]) => Number(label)));
  expect(labels.size).toBeGreaterThan(0);
  for (const label of labels) {
    const cited: Json[] = citations.filter((citation: Json) => citation.label === label);
    expect(cited.length).toBeGreaterThan(0);
    const passage = passages.find((one: Json) => one.label === label);
    for (const { uri, url, quote } of cited) {
      expect(uri).toBe(passage.uri);
      expect(passage.text).toContain(quote);
      expect(url).toMatch(/^https:\/\/docs\.example\.org\/learn\/guide\/(?:ports#(?:ports|gateway|database)|logs)/u);
    }
  }
  const first: Json = citations.find(({ quote }: Json) => quote.includes('8787'));
  expect(first).toMatchObject({
    url: 'https://docs.example.org/learn/guide/ports#gateway',
    headingPath: ['Ports', 'Gateway'],
    lines: { start: 5, end: 5 },
  });
});
