// Writes docs/seeds.md from tests/requirements.ts and from the tests that cite it. Usage: node tools/seeds.mjs
// Node 20 reads no TypeScript: the catalogue is translated into a temporary folder first.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { ROOT } from './setup.mjs';

const tests = join(ROOT, 'tests');
const folder = mkdtempSync(join(tmpdir(), 'footnote-seeds-'));
try {
  const parts = readdirSync(join(tests, 'requirements')).filter((name) => /^[\w-]+\.ts$/u.test(name));
  for (const file of ['requirements.ts', ...parts.map((name) => `requirements/${name}`)]) {
    const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
    const { outputText } = ts.transpileModule(readFileSync(join(tests, file), 'utf8'), { compilerOptions });
    const translated = join(folder, file.replace(/\.ts$/u, '.mjs'));
    mkdirSync(dirname(translated), { recursive: true });
    writeFileSync(translated, outputText.replaceAll(/(from '\.[^']*)\.ts'/gu, "$1.mjs'"));
  }
  const load = (name) => import(pathToFileURL(join(folder, 'requirements', `${name}.mjs`)).href);
  const [{ citations }, { seedsPage }] = await Promise.all([load('citations'), load('page')]);
  writeFileSync(join(ROOT, 'docs', 'seeds.md'), seedsPage(citations(tests)));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
