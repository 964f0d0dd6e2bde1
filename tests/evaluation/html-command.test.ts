/** `eval --html` and `eval generate` as users run them. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { project, type Project } from '../cli/footnote.ts';

let here: Project;
beforeAll(async () => {
  here = await project({
    'docs/berths.md': '# Renting a berth\n\nThe warden rents berths to captains on Mondays.\n',
    'docs/tolls.md': '# Paying the toll\n\nThe toll is paid in coins at the northern gate.\n',
    'questions.json': JSON.stringify({
      queries: [
        { query: 'When are berths rented?', relevant_docs: ['berths.md'] },
        { query: 'Where is the toll paid?', relevant_docs: ['tolls.md'] },
      ],
    }),
  });
  expect((await here.run(['ingest', 'docs'])).code).toBe(0);
});

describe('--html', () => {
  test('writes the page beside what is printed', async () => {
    const report = await here.json(['eval', 'questions.json', '--preset', 'default,keyword', '--html', 'page.html']);
    const page = await readFile(join(here.folder, 'page.html'), 'utf8');
    expect(page).toMatch(/^<!doctype html>/);
    for (const name of Object.keys(report.presets)) expect(page).toContain(`<bdi>${name}</bdi>`);
    expect((await readdir(here.folder)).filter((name) => name.startsWith('.page'))).toEqual([]);
  });

  test('the command on the page shows the same search', async () => {
    await here.run(['eval', 'questions.json', '--vary', 'fuse.k=7', '--html', 'vary.html']);
    const page = await readFile(join(here.folder, 'vary.html'), 'utf8');
    const commands = [...page.matchAll(/<code>((?:FOOTNOTE_\w+=\S+ )?footnote search [^<]*)<\/code>/g)].map(
      ([, command = '']) => command.replaceAll('&#39;', "'"),
    );
    const varied = commands.filter((command) => command.startsWith('FOOTNOTE_FUSE__K=7 '));
    expect(varied).toHaveLength(2);
    const { code, stdout } = await here.shell((varied[0] ?? '').replace('footnote search', '"$BIN" search'));
    expect(code).toBe(0);
    expect(stdout).toContain('"k":7');
  });

  test('a file that cannot be written is said before anything is measured', async () => {
    const { code, stdout, stderr } = await here.run(['eval', 'no-such-questions.json', '--html', 'none/page.html']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('none/page.html cannot be written: its folder does not exist');
  });
});

describe('generate', () => {
  test('drafts what eval reads at once, and never writes over a file', async () => {
    const made = await here.run(['eval', 'generate', '--out', 'drafts.json', '--count', '5']);
    expect(made).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('questions from 2 of 2 documents'),
    });
    const drafts = JSON.parse(await readFile(join(here.folder, 'drafts.json'), 'utf8'));
    expect(drafts).toMatchObject({ generated: true, by: 'rules' });
    const report = await here.json(['eval', 'drafts.json']);
    expect(report).toMatchObject({ questions: drafts.queries.length, warnings: [] });
    const again = await here.run(['eval', 'generate', '--out', 'drafts.json']);
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('drafts.json is there already') });
    expect(await here.json(['eval', 'generate', '--count', '5'])).toEqual(drafts);
  });

  test('exit 1 without a question, 2 for a generator that is not there', async () => {
    const empty = await project({ 'docs/a.md': 'Ahoy.\n' });
    await empty.run(['ingest', 'docs']);
    expect(await empty.run(['eval', 'generate'])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('"queries": []'),
    });
    expect(await empty.run(['eval', 'generate', '--out', 'none.json'])).toMatchObject({ code: 1, stdout: '' });
    expect(await readdir(empty.folder)).not.toContain('none.json');
    expect(await here.run(['eval', 'generate', '--html', 'x.html'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('it has no --html'),
    });
    const refused = await here.run(['eval', 'generate', '--generator', 'some-model']);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('no generator that writes questions') });
  });
});
