/** Code that the documentation shows compiles against the published types, and runs; data that it shows is valid. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { fileSchema } from '../../src/config/schema.ts';
import { parseFilter } from '../../src/core/filter.ts';
import { parseQuestions } from '../../src/evaluation/questions.ts';
import { pageNamed, pages, readText, REPOSITORY } from './pages.ts';

if (!existsSync(join(REPOSITORY, 'dist/index.d.ts'))) throw new Error('these tests need the build: npm run build');

const snippets = pages.flatMap(({ path, blocks }) =>
  blocks
    .filter(({ language }) => language === 'ts')
    .map(({ code }, index) => ({ name: `${path} snippet ${index + 1}`, code })),
);

/** Strict flags of the repository itself, and the package by its name. */
const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  isolatedDeclarations: true,
  declaration: true,
  noEmit: true,
  types: ['node'],
  typeRoots: [join(REPOSITORY, 'node_modules/@types')],
  paths: {
    'footnote-docs': [join(REPOSITORY, 'dist/index.d.ts')],
    'footnote-docs/testing': [join(REPOSITORY, 'dist/testing/index.d.ts')],
  },
};

/** Problems of files that exist only here, in a folder of the package so that its module format holds. */
function problemsOf(sources: ReadonlyMap<string, string>): string[] {
  const host = ts.createCompilerHost(OPTIONS);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (file) => sources.has(file) || fileExists(file);
  host.readFile = (file) => sources.get(file) ?? readFile(file);
  host.getSourceFile = (file, ...rest) => {
    const text = sources.get(file);
    return text === undefined ? getSourceFile(file, ...rest) : ts.createSourceFile(file, text, ts.ScriptTarget.ES2023);
  };
  const program = ts.createProgram({ rootNames: [...sources.keys()], options: OPTIONS, host });
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const line = file === undefined || start === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1;
    return `${file?.fileName ?? ''}:${line} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
}

const fileOf = (index: number): string => join(REPOSITORY, `src/snippet-${index}.ts`);

describe('TypeScript', () => {
  test('every snippet compiles, and one that does not fit the types would be found', () => {
    expect(snippets.length).toBeGreaterThan(8);
    const wrong =
      "import { createEngine } from 'footnote-docs';\nexport const engine: number = createEngine({ folder: 1 });\n";
    const named = snippets.map(({ name, code }, index) => [fileOf(index), `// ${name}\n${code}`] as const);
    const problems = problemsOf(new Map([...named, [fileOf(-1), wrong]]));
    expect(problems.filter((problem) => !problem.startsWith(fileOf(-1)))).toEqual([]);
    expect(problems).not.toEqual([]);
  });

  test('a driver fits on a screen', () => {
    const page = pageNamed('docs/extending.md');
    const long = page.blocks.filter(({ language, code }) => language === 'ts' && code.split('\n').length > 50);
    expect(long).toEqual([]);
  });
});

describe('the library example', () => {
  const page = pageNamed('docs/library.md');

  test('is shown as it is', () => {
    const shown = page.blocks.find(({ language }) => language === 'js')?.code;
    expect(shown).toBe(readText('examples/library/main.mjs'));
  });

  test('runs, and prints what is shown', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(REPOSITORY, 'examples/library/main.mjs')], {
      cwd: REPOSITORY,
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(page.blocks.find(({ language }) => language === 'text')?.code).toBe(stdout);
  });
});

describe('data', () => {
  const blocks = pages.flatMap(({ path, blocks }) => blocks.map((block) => ({ path, ...block })));

  test('configuration files pass the schema', () => {
    const yaml = blocks.filter(({ language }) => language === 'yaml');
    expect(yaml.length).toBeGreaterThan(1);
    for (const { path, code } of yaml) expect(fileSchema.safeParse(parse(code)), path).toMatchObject({ success: true });
  });

  test('JSON is a question file or a filter', () => {
    const json = blocks.filter(({ language }) => language === 'json');
    expect(json.length).toBeGreaterThan(1);
    for (const { path, code } of json) {
      const value: unknown = JSON.parse(code);
      if (path === 'docs/evaluation.md') expect(parseQuestions(code, path).questions.length).toBeGreaterThan(0);
      else expect(parseFilter(value)).toBe(value);
    }
  });
});
