/** A question is text, never query syntax; and no page or folder is too odd to be read. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { beforeAll, describe, expect, test } from 'vitest';
import { createEngine } from '../../src/index.ts';
import { defaultPreset } from '../../src/presets/default.ts';
import { project, type Project } from '../cli/footnote.ts';

const SETTINGS = { ...defaultPreset, preset: 'default', sources: [] };
const DOCS = {
  'docs/ports.md': '# Ports\n\nThe gateway listens on port 8787 by default. Set `GATEWAY_PORT` to change it.\n',
  'docs/user.md':
    "# The user's guide\n\nDon't stop the gateway while it writes: it won't keep what it hasn't written.\n",
  'docs/build/out.md': '# Output\n\nThe folder of the quokka is called build.\n',
};

let here: Project;
beforeAll(async () => {
  here = await project(DOCS);
  expect((await here.run(['ingest', 'docs'])).code).toBe(0);
});

describe('questions', () => {
  test.each([
    "the gateway's port: which one doesn't it listen on?",
    'gateway "port',
    'gateway AND port OR NOT listens NEAR gateway',
    'NEAR(gateway port, 2)',
    'gateway* port^2 path:ports {gateway}',
    '(gateway port',
    'gateway; DROP TABLE chunks; --',
    "gateway' OR '1'='1",
    '-gateway +port ~listens',
    'gateway\\ port\\"',
    'port % _ gateway',
    '$gateway ${port} `listens`',
    'gateway\u0007 \u001b[31mport\u001b[0m',
    'gateway \u202eport',
    'gateway\nport\r\nlistens',
    'gateway\u0000port listens',
  ])('%j finds the page', async (query) => {
    const engine = await createEngine({ folder: join(here.folder, '.footnote'), settings: SETTINGS });
    try {
      for (const mode of ['keyword', 'dense', 'hybrid'] as const) {
        const { hits } = await engine.search({ query, mode });
        expect(hits[0]?.chunk.path, mode).toBe('ports.md');
      }
      const answer = await engine.ask({ question: query });
      expect(answer.question).toBe(query);
    } finally {
      await engine.close();
    }
  });

  test.each([
    ['stop words only', 'what is it and how is that with the'],
    ['one sign', '?'],
    ['operators only', 'AND OR NOT * ^ : ( ) " \' ; --'],
    ['emoji only', '👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪'],
    ['control characters only', '\u0001\u001b\u007f\u009b'],
    ['a lone surrogate', 'gateway \ud800 port'],
    ['a script that no page is in', 'データベースのポート'],
    ['one word without end', 'a'.repeat(50_000)],
    ['words without end', 'gateway port '.repeat(7600)],
  ])('%s: a result or none, never a failure', async (_, query) => {
    const engine = await createEngine({ folder: join(here.folder, '.footnote'), settings: SETTINGS });
    try {
      const started = performance.now();
      for (const mode of ['keyword', 'dense', 'hybrid'] as const) await engine.search({ query, mode, explain: true });
      const { outcome, citations } = await engine.ask({ question: query });
      expect(['answered', 'insufficient-context']).toContain(outcome);
      if (outcome === 'answered') expect(citations.length).toBeGreaterThan(0);
      expect(performance.now() - started).toBeLessThan(10_000);
    } finally {
      await engine.close();
    }
  });

  test('as arguments of the command: quotes, control characters and 100,000 characters', async () => {
    const long = `gateway port ${'word '.repeat(19_990)}`.slice(0, 100_000);
    for (const query of ['don\'t "AND" NEAR( * ^ ; --', '\u001b]0;owned\u0007 gateway', '👩‍👩‍👧‍👦', long]) {
      for (const args of [
        ['search', '--', query],
        ['search', '--json', '--', query],
        ['ask', '--', query],
      ]) {
        const { code, stdout, stderr } = await here.run(args);
        expect([0, 1]).toContain(code);
        expect(stdout + stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/u);
        if (args.includes('--json')) expect(JSON.parse(stdout).query).toBe(query.trim());
      }
    }
    const { code, stdout, stderr } = await here.run(['search', '--', `${'word '.repeat(20_000)}more`]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^footnote: the question has 100004 characters; at most 100000 are read\nhint: /u);
  });

  test('an address of --why-not and a filter are text as well', async () => {
    for (const args of [
      ['--why-not', "' OR 1=1 --"],
      ['--filter', "path=' OR '1'='1"],
      ['--filter-json', '{"__proto__": "x", "path": "ports.md"}'],
      ['--filter-json', `${'{"not":'.repeat(5000)}{"path":"x"}${'}'.repeat(5000)}`],
    ]) {
      const { code, stderr } = await here.run(['search', 'gateway', ...args]);
      expect([0, 1, 2]).toContain(code);
      expect(stderr).not.toMatch(/^\s+at /mu);
      expect(stderr.length).toBeLessThan(1000);
      if (code === 2) expect(stderr).toMatch(/^footnote: [^\n]+\nhint: [^\n]+\n$/u);
    }
  });
});

describe('pages and folders', () => {
  test('no folder is left out for its name', async () => {
    const { hits } = await here.json(['search', 'quokka', '--top', '1']);
    expect(hits[0].path).toBe('build/out.md');
  });

  test('a 700 kB page of release notes takes twice the time of 350 kB', async () => {
    const notes = (bytes: number): string => {
      let page = '# Release notes\n\n';
      for (let i = 0; page.length < bytes; i++) {
        page += `## ${i}.0.0 (2024-01-0${(i % 9) + 1})\n\n### Bug Fixes\n\n* **core:** keep \`option_${i}\` of *this* [#${i}](https://example.org/${i}), closes [#${i + 1}](https://example.org/${i + 1})\n* build: <b>more</b> of ${i}\n\n`;
      }
      return page;
    };
    const cost = async (bytes: number): Promise<number> => {
      const other = await project({ 'docs/notes.md': notes(bytes) });
      const engine = await createEngine({ folder: join(other.folder, '.footnote'), settings: SETTINGS });
      const before = process.cpuUsage();
      const report = await engine.ingest({
        sources: [{ use: 'folder', id: 'docs', from: 'docs', path: join(other.folder, 'docs') }],
      });
      const { user, system } = process.cpuUsage(before);
      await engine.close();
      expect(report.chunks).toBeGreaterThan(bytes / 2000);
      return (user + system) / 1000;
    };
    await cost(100_000);
    const [half, whole] = [await cost(350_000), await cost(700_000)];
    expect(whole / half).toBeLessThan(3);
    expect(whole).toBeLessThan(20_000);
  });

  test('an empty folder is told of, and so is one in which nothing can be read', async () => {
    const other = await project({ 'pictures/a.png': '\u0089PNG\r\n\u001a\n' });
    await other.shell('mkdir empty');
    const empty = await other.run(['ingest', 'empty']);
    expect(empty.code).toBe(0);
    expect(empty.stdout).toContain('nothing of empty is in the index: it holds no file');
    expect((await other.json(['ingest', 'pictures'])).sources[0]).toMatchObject({
      warnings: [
        { code: 'source-empty', message: 'nothing of pictures is in the index: everything in it was left out' },
      ],
      exclusions: [{ path: 'a.png' }],
    });
    expect(await other.run(['search', 'anything'])).toMatchObject({ code: 1, stdout: 'nothing found\n' });
    expect((await other.run(['ask', 'anything'])).code).toBe(1);
  });

  test('a device or a pipe is no source', async () => {
    for (const path of ['/dev/zero', '/dev/null']) {
      const { code, stderr } = await here.run(['ingest', path]);
      expect(code).toBe(2);
      expect(stderr).toMatch(/^footnote: \/dev\/\w+ is neither a folder nor a file\nhint: /u);
    }
    expect((await here.json(['status'])).sources).toHaveLength(1);
  });

  test('a configuration file may not reach outside its folder, nor run anything', async () => {
    const other = await project({
      'project/footnote.yaml': 'sources: [{ from: ../secret }]\n',
      'secret/a.md': '# Secret\n\nThe canary.\n',
      'evil/footnote.yaml': "sources: !!js/function \"function(){ require('fs').writeFileSync('owned', '') }()\"\n",
    });
    for (const folder of ['project', 'evil']) {
      const { code, stderr, stdout } = await other.shell(`cd ${folder} && "$BIN" ingest`);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^footnote: [^\n]+\nhint: [^\n]+\n$/u);
    }
    await expect(readFile(join(other.folder, 'evil/owned'))).rejects.toThrow('ENOENT');
  });
});
