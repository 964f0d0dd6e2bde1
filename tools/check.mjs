// `npm run check`: types, lint, format, dead code, duplicates. Their tools live in tools/checks/.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { install, ROOT } from './setup.mjs';

const CHECKS = join(ROOT, 'tools', 'checks');
const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';

install();
install(join(ROOT, 'tests'));
// Not `npm ci`: knip's optional platform binaries are not all served everywhere, and npm 11 then rejects its own lock.
spawnSync(NPM, ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
  cwd: CHECKS,
  stdio: ['ignore', 'ignore', 'inherit'],
});

const bin = (name) => join(CHECKS, 'node_modules', '.bin', name);
const checks = [
  ['types', bin('tsc'), ['--noEmit', '-p', '.']],
  ['types of the tests', bin('tsc'), ['--noEmit', '-p', 'tests']],
  ['lint', bin('eslint'), ['--config', 'tools/checks/eslint.config.mjs', 'src']],
  ['format', bin('prettier'), ['--check', '--log-level=warn', 'src', 'tests/**/*.ts', 'tools/*.mjs']],
  ['dead code', bin('knip'), ['--config', 'tools/checks/knip.json']],
  ['duplicates', bin('jscpd'), ['--config', 'tools/checks/jscpd.json', 'src']],
];
let failed = 0;
for (const [name, command, args] of checks) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: ROOT, encoding: 'utf8' });
  const ok = status === 0;
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${name}`);
  if (!ok) {
    failed++;
    console.log(stdout, stderr);
  }
}
process.exitCode = failed === 0 ? 0 : 1;
