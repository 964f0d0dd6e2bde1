// The hostile corpus as a table: what each file must do, and what came out. `node tools/hostile-table.mjs > table.md`
// The checks are those of tests/hostile, which `npm test` runs too.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, install, ROOT } from './setup.mjs';

const TESTS = join(ROOT, 'tests');
install();
install(TESTS);
build();

const folder = mkdtempSync(join(tmpdir(), 'footnote-hostile-'));
try {
  const output = join(folder, 'results.json');
  const vitest = join(TESTS, 'node_modules', 'vitest', 'vitest.mjs');
  spawnSync(process.execPath, [vitest, 'run', 'hostile/corpus', '--reporter=json', `--outputFile=${output}`], {
    cwd: TESTS,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const tests = JSON.parse(readFileSync(output, 'utf8')).testResults.flatMap((file) => file.assertionResults);
  if (tests.every(({ status }) => status === 'skipped' || status === 'pending')) {
    throw new Error('the shared corpora are not beside the repository: ../shared/data/corpora/hostile');
  }
  console.log('| entry | expectation | outcome |\n|---|---|---|');
  for (const test of tests) console.log(row(test));
  process.exitCode = tests.every(({ status }) => status === 'passed') ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}

function row({ title, status, meta, failureMessages }) {
  const { entry, expectation, outcome } = meta?.hostile ?? { entry: 'all of it', expectation: title, outcome: 'so' };
  const shown = status === 'passed' ? outcome : `FAILED: ${failureMessages[0]?.split('\n')[0] ?? status}`;
  return `| ${[shortened(entry), expectation, shown].map(cell).join(' | ')} |`;
}

/** One of the names is as long as a file system allows. */
function shortened(name) {
  return name.length > 60 ? `${name.slice(0, 40)}…${name.slice(-10)}` : name;
}

function cell(text) {
  return text.replace(/\s+/gu, ' ').replaceAll('|', '\\|');
}
