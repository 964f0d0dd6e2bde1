/**
 * The package as people get it: packed, installed into an empty project, and used there. Needs the npm registry for
 * the dependencies, and is skipped by name where it cannot be reached.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const MAX_BYTES = 25e6;

const root = mkdtempSync(join(tmpdir(), 'footnote-package-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const consumer = join(root, 'consumer');
mkdirSync(join(root, 'home'));
mkdirSync(consumer);

interface Result {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** With an empty home, as on a new machine; npm keeps the registry that it is configured with. */
function run(command: string, args: readonly string[], cwd: string): Result {
  const home = command === NPM ? process.env['HOME'] : join(root, 'home');
  const env = { ...process.env, HOME: home, NO_COLOR: '1' };
  return spawnSync(command, [...args], { cwd, env, encoding: 'utf8', maxBuffer: 1 << 26 });
}

const registryAnswers =
  run(NPM, ['view', 'commander', 'version', '--fetch-retries=0', '--fetch-timeout=15000'], root).status === 0;

/** The paths in a tarball, as npm says them. */
let packed: readonly string[] = [];

beforeAll(() => {
  if (!existsSync(join(REPOSITORY, 'dist/index.d.ts'))) throw new Error('this test needs the build: npm run build');
  const { status, stdout, stderr } = run(
    NPM,
    ['pack', '--json', '--ignore-scripts', '--pack-destination', root],
    REPOSITORY,
  );
  if (status !== 0) throw new Error(stderr);
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  packed = files.map(({ path }) => path);
});

const tarball = (): string => join(root, readdirSync(root).find((name) => name.endsWith('.tgz')) ?? '');

describe('the tarball', () => {
  test('is small, and holds what is needed and nothing else', () => {
    expect(statSync(tarball()).size).toBeLessThan(MAX_BYTES);
    expect(packed).toEqual(
      expect.arrayContaining([
        ...['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE', 'NOTICE', 'bin/footnote'],
        ...['dist/index.js', 'dist/index.d.ts', 'dist/testing/index.d.ts', 'dist/cli/main.js'],
        ...['models/static-docs-384/model.i8', 'models/static-docs-384/vocab.txt', 'schema/footnote.schema.json'],
        ...['docs/citations.md', 'docs/configuration.md'],
      ]),
    );
    expect(packed.filter((path) => /^(?:tests|src|bench|tools|native|examples|node_modules|\.)/u.test(path))).toEqual(
      [],
    );
    expect(packed.filter((path) => /\.(?:test|spec)\./u.test(path))).toEqual([]);
  });

  test('names no place of the machine it was built on', () => {
    const text = packed.filter((path) => /\.(?:js|ts|json|md)$/u.test(path) || path === 'bin/footnote');
    const telling = text.filter((path) => {
      const content = readFileSync(join(REPOSITORY, path), 'utf8');
      return content.includes('../shared') || content.includes(REPOSITORY);
    });
    // CONTRIBUTING, which tells of the folder beside a checkout, is not in the package.
    expect(telling).toEqual([]);
  });
});

describe.skipIf(!registryAnswers)('installed from the tarball (needs the npm registry)', () => {
  beforeAll(() => {
    writeFileSync(join(consumer, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
    cpSync(join(REPOSITORY, 'examples/library'), consumer, { recursive: true });
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
    const { status, stderr } = run(NPM, ['install', ...options, tarball()], consumer);
    if (status !== 0) throw new Error(stderr);
  }, 240_000);

  const footnote = (...args: string[]): Result => run(join(consumer, 'node_modules/.bin/footnote'), args, consumer);

  // [S1-self-host] [S2-no-setup]
  test('the command works', () => {
    expect(footnote('--help')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('Usage: footnote') as string,
    });
    expect(footnote('ingest', 'handbook')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('2 added') as string,
    });
    const asked = footnote('ask', 'How do I roll back a release?', '--json');
    expect(asked).toMatchObject({ status: 0 });
    const [citation] = (
      JSON.parse(asked.stdout) as { citations: { path: string; quote: string; span: { start: number; end: number } }[] }
    ).citations;
    const file = readFileSync(join(consumer, 'handbook/deploy.md'), 'utf8');
    expect(citation).toMatchObject({ path: 'deploy.md', quote: file.slice(citation?.span.start, citation?.span.end) });
    const { status, stdout } = footnote('doctor');
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.not.stringContaining('problem') as string });
  });

  test('the library works: the example runs as it is', () => {
    const { status, stdout, stderr } = run(process.execPath, ['main.mjs'], consumer);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('deploy.md:5: ');
  });

  test('what is exported can be imported, and nothing else', () => {
    const script = `
      import * as library from 'footnote-docs';
      import * as testing from 'footnote-docs/testing';
      import manifest from 'footnote-docs/package.json' with { type: 'json' };
      const hidden = await import('footnote-docs/dist/engine.js').catch((error) => error.code);
      console.log(JSON.stringify({ library: Object.keys(library), testing: Object.keys(testing), name: manifest.name, hidden }));`;
    const { status, stdout, stderr } = run(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script],
      consumer,
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const found = JSON.parse(stdout) as { library: string[]; testing: string[]; name: string; hidden: string };
    expect(found.library).toEqual(
      expect.arrayContaining(['createEngine', 'parseSource', 'presetSettings', 'isRagError']),
    );
    expect(found.testing).toContain('storeContract');
    expect(found).toMatchObject({ name: 'footnote-docs', hidden: 'ERR_PACKAGE_PATH_NOT_EXPORTED' });
  });

  test('its types stand on their own', () => {
    writeFileSync(
      join(consumer, 'typed.ts'),
      `import { createEngine, presetSettings, type Answer, type Citation, type Settings } from 'footnote-docs';
import { storeContract, type StoreContractOptions } from 'footnote-docs/testing';
const settings: Settings = { ...presetSettings('default'), store: { use: 'memory' } };
export const ask = async (question: string): Promise<Answer> => (await createEngine({ folder: 'x', settings })).ask({ question });
export const quotes = (answer: Answer): readonly Citation['quote'][] => answer.citations.map(({ quote }) => quote);
export const check = (options: StoreContractOptions): void => storeContract(options);
// @ts-expect-error a question is text
export const wrong = ask(1);
`,
    );
    // Without the types of any dependency, not even those of Node.
    const compilerOptions = { noEmit: true, strict: true, module: 'NodeNext', target: 'ES2023', types: [] };
    writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['typed.ts'] }));
    const tsc = join(REPOSITORY, 'node_modules/typescript/bin/tsc');
    const { status, stdout } = run(process.execPath, [tsc, '--project', '.'], consumer);
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });
});
