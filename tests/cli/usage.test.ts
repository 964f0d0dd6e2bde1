import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { defaultPreset } from '../../src/presets/default.ts';
import { BIN, project, REPOSITORY } from './footnote.ts';

const here = await project({ 'docs/a.md': '# A\n\ntext\n' });

test('the help names every command, and those that are not there yet as such', async () => {
  const { code, stdout } = await here.run(['--help']);
  expect(code).toBe(0);
  for (const name of 'ingest search ask status doctor init preset eval trust'.split(' ')) {
    expect(stdout).toMatch(new RegExp(`^  ${name}\\b(?!.*not in this version)`, 'mu'));
    const help = await here.run([name, '--help']);
    expect(help.code, name).toBe(0);
    expect(help.stdout, name).toMatch(/--index <dir>[^]*--config <file>[^]*--preset <name>/u);
  }
  for (const name of 'chat serve mcp key queue snapshot'.split(' ')) {
    expect(stdout).toMatch(new RegExp(`^  ${name}\\b[^]*?not in\\s+this version`, 'mu'));
  }
});

describe('refusals are one line and a hint, exit 2, and leave stdout empty', () => {
  test.each([
    [['serch', 'x'], "unknown command 'serch'", 'Did you mean search?'],
    [['search', 'x', '--topp', '5'], "unknown option '--topp'", 'Did you mean --top?'],
    [['search', 'x', '--top', '0'], 'a whole number from 1 to 1000', 'footnote search --help'],
    [['search', 'x', '--top', '1001'], 'a whole number from 1 to 1000', 'footnote search --help'],
    [['search', 'x', '--top', '1e1'], 'a whole number from 1 to 1000', 'footnote search --help'],
    [['search', 'x', '--alpha', '1.1'], 'a number from 0 to 1', 'footnote search --help'],
    [['search', 'x', '--mode', 'hybird'], 'dense, keyword, hybrid', 'footnote search --help'],
    [['search', 'x', '--filter', 'nonsense'], 'cannot read the filter', '--filter key=value'],
    [['search', 'x', '--filter-json', '{'], 'not JSON', '--filter-json'],
    [['search'], "missing required argument 'query'", 'footnote search --help'],
    [['search', ''], 'the question is empty', 'footnote ask'],
    [['search', ' \t', '--json'], 'the question is empty', 'footnote ask'],
    [['ask', '\u3000'], 'the question is empty', 'footnote ask'],
    [['search', 'x', '--json'], 'there is no index here or above', 'footnote ingest PATH'],
    [['search', 'x', '--index', 'missing'], 'there is no index in', 'footnote ingest PATH'],
    [['status'], 'there is no index here or above', 'footnote ingest PATH'],
    [['ingest'], 'nothing to ingest', 'footnote ingest PATH'],
    [['ingest', 'docs', 'x', '--as', 'name'], '--as names one source', '--as NAME'],
    [['ask', 'x', '--agent'], 'ask --agent is not in this version', 'footnote --help'],
    [['ask', 'x', '--conversation', '1'], 'ask --conversation is not in this version', 'footnote --help'],
    [['ask', 'x', '--json', '--events'], 'cannot be used with', 'footnote ask --help'],
    [['eval', 'x', '--vary', 'fuse.kk=1,2'], 'there is no setting fuse.kk to vary', 'did you mean fuse.k?'],
    [['eval', 'x', '--gate', 'y'], 'The baseline y cannot be read', 'footnote eval FILE --json'],
    [['eval', 'x', '--per-question'], '--per-question is part of the JSON', '--json --per-question'],
    [['chat'], 'chat is not in this version', 'footnote --help'],
    [['serve', '--help'], 'serve is not in this version', 'footnote --help'],
    [['help', 'mcp'], 'mcp is not in this version', 'footnote --help'],
    [['key', 'create', '--name', 'x'], 'key is not in this version', 'footnote --help'],
    [['snapshot', 'list', '--json'], 'snapshot is not in this version', 'footnote --help'],
    [['preset', 'show', 'keywrd'], 'there is no preset "keywrd"', 'did you mean keyword?'],
    [['status', '--preset', 'defualt'], 'there is no index', 'footnote ingest'],
    [['init', '--preset', 'defualt'], 'there is no preset "defualt"', 'did you mean default?'],
    [['trust'], 'there is no configuration file', 'footnote init'],
    [['search', 'x', '--config', 'none.yaml', '--index', 'docs'], 'there is no', 'footnote'],
  ])('footnote %j', async (args, message, hint) => {
    const { code, stdout, stderr } = await here.run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    const lines = stderr.trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^footnote: /u);
    expect(lines[0]).toContain(message);
    expect(lines[1]).toMatch(/^hint: /u);
    expect(lines[1]).toContain(hint);
  });

  test('without a command: the help, on stderr', async () => {
    const { code, stdout, stderr } = await here.run([]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('Usage: footnote');
  });
});

test('presets are shown as the data they are', async () => {
  expect(await here.json(['preset', 'list'])).toMatchObject([
    { name: 'default' },
    { name: 'keyword' },
    { name: 'product-docs' },
    { name: 'papers' },
    { name: 'notes' },
    { name: 'support-desk' },
    { name: 'website' },
  ]);
  expect(await here.json(['preset', 'show', 'default'])).toEqual(defaultPreset);
  expect(parse((await here.run(['preset', 'show', 'default'])).stdout)).toEqual(defaultPreset);
});

test('init writes a file that loads, and never overwrites one', async () => {
  const fresh = await project();
  const { code, stdout } = await fresh.run(['init', '--preset', 'keyword']);
  expect(code).toBe(0);
  expect(stdout).toContain('footnote.yaml');
  const doctor = await fresh.json(['doctor']);
  expect(doctor['checks'].find(({ name }: { name: string }) => name === 'configuration').found).toContain(
    'preset keyword',
  );
  const again = await fresh.run(['init']);
  expect(again).toMatchObject({ code: 2, stdout: '' });
  expect(again.stderr).toContain('already there');
});

test('doctor finds what is wrong, and says the command', async () => {
  const fresh = await project({ 'footnote.yaml': 'sources: [{ from: .. }]\nretrive: {}\n' });
  const broken = await fresh.run(['doctor']);
  expect(broken.code).toBe(1);
  expect(broken.stdout).toMatch(
    /problem +configuration +footnote.yaml:2: there is no setting retrive\n +fix: did you mean retrieve\?/u,
  );
  await fresh.write({ 'footnote.yaml': 'sources: [{ from: .. }]\n' });
  expect((await fresh.json(['doctor'], 1))['checks']).toContainEqual(
    expect.objectContaining({ name: 'trust', ok: false, fix: 'footnote trust' }),
  );
  expect((await fresh.run(['trust'])).stdout).toContain('source outside the folder: ..');
  expect((await fresh.json(['doctor']))['checks'].every(({ ok }: { ok: boolean }) => ok)).toBe(true);
});

test('an unknown variable is a warning', async () => {
  const { stderr, code } = await here.run(['doctor'], { FOOTNOTE_RETRIEVE__TOPK: '3' });
  expect(code).toBe(0);
  expect(stderr).toBe(
    'warning: FOOTNOTE_RETRIEVE__TOPK is not a setting, and was ignored (did you mean FOOTNOTE_RETRIEVE__TOP_K?)\n',
  );
});

test('a checkout that is not built says how to build it', () => {
  const copy = mkdtempSync(join(tmpdir(), 'footnote-unbuilt-'));
  try {
    mkdirSync(join(copy, 'bin'));
    cpSync(BIN, join(copy, 'bin/footnote'));
    writeFileSync(join(copy, 'package.json'), '{"type":"module"}');
    const { status, stderr } = spawnSync(process.execPath, [join(copy, 'bin/footnote')], { encoding: 'utf8' });
    expect(status).toBe(2);
    expect(stderr).toContain('npm run build');
  } finally {
    rmSync(copy, { recursive: true });
  }
});

test('the generated pages are up to date (else: node tools/reference.mjs)', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(REPOSITORY, 'tools/reference.mjs'), '--check'], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});
