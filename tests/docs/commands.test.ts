/** Commands that the documentation shows exist, with their options. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { variables } from '../../src/config/variables.ts';
import { pages, readText, REPOSITORY, type Page } from './pages.ts';

const GENERATED = ['docs/cli.md', 'docs/configuration.md'];
const scripts = (JSON.parse(readText('package.json')) as { scripts: Record<string, string> }).scripts;
const program = createProgram(() => undefined);

/** `word`, `"two words"` and `'two words'`. */
const words = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/gu)].map(([, double, single, plain]) => double ?? single ?? plain ?? '');

/** What is wrong with a command line, or undefined. */
function problem(line: string): string | undefined {
  const [first = '', ...rest] = words(line);
  const assigned = /^(?<name>[A-Z_]+)=/u.exec(first)?.groups?.['name'];
  if (assigned !== undefined) return variables.has(assigned) ? problem(line.slice(first.length).trim()) : assigned;
  if (first === 'footnote' || first === 'bin/footnote') return footnoteProblem(rest, program);
  if (first === 'npm') return npmProblem(rest);
  if (first === 'node') return existsSync(join(REPOSITORY, rest[0] ?? '')) ? undefined : `no file ${rest[0]}`;
  return ['git', 'npx', 'cd'].includes(first) ? undefined : `unknown program ${first}`;
}

function npmProblem([command = '', script = '']: readonly string[]): string | undefined {
  if (command === 'test') return 'test' in scripts ? undefined : 'no script test';
  if (command === 'run') return script in scripts ? undefined : `no script ${script}`;
  return ['ci', 'link', 'unlink', 'pack'].includes(command) ? undefined : `unknown npm ${command}`;
}

function footnoteProblem(args: readonly string[], command: Command): string | undefined {
  const [first] = args;
  const inner = command.commands.find((candidate) => candidate.name() === first);
  if (inner !== undefined) return footnoteProblem(args.slice(1), inner);
  if (command === program && first !== undefined && !first.startsWith('-') && first !== 'COMMAND')
    return `no command ${first}`;
  const options = [...command.options, ...(command === program ? [] : program.options)].filter(({ hidden }) => !hidden);
  const unknown = args.filter(
    (arg) => /^--\w/u.test(arg) && arg !== '--help' && !options.some(({ long }) => long === arg),
  );
  if (unknown.length > 0) return `no option ${unknown.join(', ')}`;
  const later = options.find(
    ({ long, description }) => description.includes('not in this version') && args.includes(long ?? ''),
  );
  return later === undefined ? undefined : `${later.long} is not in this version`;
}

/** Lines of shell blocks, lines behind a prompt, and commands in running text. */
function commandsOf({ blocks, inlineCode }: Page): string[] {
  const shown = blocks.flatMap(({ language, code }) =>
    code
      .split('\n')
      .filter((line) => (language === 'sh' ? line.trim() !== '' && !line.startsWith('#') : line.startsWith('$ '))),
  );
  const mentioned = inlineCode.filter((code) => /^(?:bin\/footnote|footnote|npm run) [a-z]/u.test(code));
  return [...shown.map((line) => line.replace(/^\$ /u, '')), ...mentioned.flatMap((code) => code.split(' && '))];
}

const pagesWithCommands = pages
  .filter(({ path }) => !GENERATED.includes(path))
  .map((page) => ({ path: page.path, commands: commandsOf(page) }))
  .filter(({ commands }) => commands.length > 0);

test.each(pagesWithCommands)('$path: commands and options exist', ({ commands }) => {
  const wrong = commands.map((line) => ({ line, problem: problem(line) }));
  expect(wrong.filter((entry) => entry.problem !== undefined)).toEqual([]);
});

test('the check finds what is wrong', () => {
  expect(problem('bin/footnote serch "x"')).toBe('no command serch');
  expect(problem('footnote search "x --y" --topp 3')).toBe('no option --topp');
  expect(problem('footnote ask "x" --conversation 1')).toBe('--conversation is not in this version');
  expect(problem('FOOTNOTE_TOP=1 footnote status')).toBe('FOOTNOTE_TOP');
  expect(problem('npm run nothing')).toBe('no script nothing');
  expect(problem('footnote preset show default --json')).toBeUndefined();
});
