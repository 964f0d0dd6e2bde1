/** What the code has, the documentation has: codes, commands, options, settings, presets, drivers, folders. */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { FLAG_VARIABLES } from '../../src/config/environment.ts';
import { variables } from '../../src/config/variables.ts';
import { createProgram } from '../../src/cli/program.ts';
import { presets } from '../../src/presets/presets.ts';
import { filesBelow, pageNamed, pages, readText, REPOSITORY } from './pages.ts';

const unionMembers = (file: string, name: string): string[] => {
  const declaration = new RegExp(`export type ${name} =([^;]+);`, 'u').exec(readText(file))?.[1] ?? '';
  return [...declaration.matchAll(/\| '([\w-]+)'/gu)].map(([, member = '']) => member);
};

test('every error code has a section of its own, and no other has one', () => {
  const codes = unionMembers('src/core/errors.ts', 'ErrorCode');
  const sections = pageNamed('docs/troubleshooting.md')
    .headings.map((heading) => /^(?<code>[a-z-]+): /u.exec(heading)?.groups?.['code'])
    .filter((code) => code !== undefined);
  expect(codes.length).toBeGreaterThan(15);
  expect(sections).toEqual(codes);
});

test('every warning that is written anywhere is listed', () => {
  const written = filesBelow('src', '.ts')
    .filter((file) => !file.startsWith('src/testing/'))
    .flatMap((file) => [...readText(file).matchAll(/\bcode: '([a-z-]+)'(?=,)/gu)].map(([, code = '']) => code))
    .filter((code) => code.includes('-'));
  const listed = [...pageNamed('docs/troubleshooting.md').text.matchAll(/^\| `([a-z-]+)` \|/gmu)];
  expect([...new Set(listed.map(([, code = '']) => code))].sort()).toEqual([...new Set(written)].sort());
});

test('every reason to leave a file out is listed', () => {
  const { text } = pageNamed('docs/sources.md');
  const reasons = unionMembers('src/core/types.ts', 'ExclusionReason');
  expect(reasons.length).toBeGreaterThan(10);
  for (const reason of reasons) expect(text).toContain(`\`${reason}\``);
});

test('every command and option is in the reference', () => {
  const { text } = pageNamed('docs/cli.md');
  const walk = (command: ReturnType<typeof createProgram>): void => {
    for (const option of command.options.filter(({ hidden }) => !hidden)) expect(text).toContain(option.long);
    for (const inner of command.commands) {
      expect(text).toContain(inner.name());
      walk(inner);
    }
  };
  walk(createProgram(() => undefined));
});

test('every setting and its variable can be looked up', () => {
  const reference = pageNamed('docs/configuration.md').text;
  for (const { path } of variables.values()) expect(reference).toContain(`\`${path}\``);
  for (const name of FLAG_VARIABLES) expect(pageNamed('docs/settings.md').text).toContain(`\`${name}\``);
});

test('no page names a variable that is not there', () => {
  const known = new Set<string>([...variables.keys(), ...FLAG_VARIABLES]);
  const unknown = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\bFOOTNOTE_[A-Z][A-Z0-9_]+/gu)]
      .filter(([name]) => !known.has(name))
      .map(([name]) => `${path}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

test('every preset is described as it describes itself', () => {
  const { text } = pageNamed('docs/presets.md');
  for (const { name, description } of presets) expect(text).toContain(`| \`${name}\` | ${description} |`);
});

test('the architecture names every folder of the source, and every driver', () => {
  const { headings, text } = pageNamed('docs/architecture.md');
  const folders = readdirSync(join(REPOSITORY, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of folders) expect(headings.filter((h) => h.startsWith(`src/${name}: `))).toHaveLength(1);
  for (const heading of headings.filter((h) => h.startsWith('src/'))) expect(heading).toMatch(/\?$/u);

  const opened = [...readText('src/registry.ts').matchAll(/import\('\.\/([\w/-]+)\.ts'\)/gu)].map(
    ([, path = '']) => path,
  );
  expect(opened.length).toBeGreaterThan(5);
  for (const path of opened.filter((driver) => !driver.startsWith('evaluation/'))) {
    const [, folder = '', file = ''] = path.split('/');
    expect(text, path).toContain(file === 'index' ? `\`${folder}/\`` : `\`${basename(path)}.ts\``);
  }
});

test('the library page names every method of an engine', () => {
  const declaration = /export interface Engine \{([^]*?)^\}/mu.exec(readText('src/engine.ts'))?.[1] ?? '';
  const methods = [...declaration.matchAll(/^ {2}(\w+)\(/gmu)].map(([, name = '']) => name);
  expect(methods.length).toBeGreaterThan(5);
  for (const method of methods) expect(pageNamed('docs/library.md').text).toContain(`| \`${method}(`);
});
