// `npm test`: installs what the tests need, builds, and runs every test. Arguments go to vitest (`npm test -- stores`).
// The last line is `N passed, N failed, N skipped`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, install, ROOT } from './setup.mjs';

install();
install(join(ROOT, 'tests'));
// One test compiles the wasm kernel anew and compares it with the one in the repository.
install(join(ROOT, 'native'));
build();

const folder = mkdtempSync(join(tmpdir(), 'footnote-test-'));
const output = join(folder, 'results.json');
const { status } = spawnSync(
  process.execPath,
  [
    join(ROOT, 'tests', 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${output}`,
    ...process.argv.slice(2),
  ],
  { cwd: join(ROOT, 'tests'), stdio: ['ignore', 'inherit', 'inherit'] },
);
let results = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, testResults: [] };
try {
  results = JSON.parse(readFileSync(output, 'utf8'));
} catch {
  // vitest itself failed; its own message stands above.
}
rmSync(folder, { recursive: true, force: true });
for (const file of results.testResults) {
  for (const test of file.assertionResults)
    if (test.status === 'pending' || test.status === 'skipped') console.log(`skipped: ${test.fullName}`);
}
// A file that cannot be loaded has no tests of its own: it counts as one failure.
const broken = results.testResults.filter(
  (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
).length;
const failed = results.numFailedTests + broken;
console.log(`${results.numPassedTests} passed, ${failed} failed, ${results.numPendingTests} skipped`);
process.exitCode = status !== 0 || failed > 0 || results.numPassedTests === 0 ? 1 : 0;
