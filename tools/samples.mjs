// Runs the samples of README.md: code blocks that begin with `$ bin/footnote …`. Each is asked of an index of docs/,
// and what is printed replaces what stood below the command. Usage, after the build: node tools/samples.mjs [--check];
// with --check it writes nothing, and exits 1 when a sample is out of date.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './setup.mjs';

const SAMPLE = /^```text\n\$ bin\/footnote (?<command>.+)\n[^]*?^```$/gmu;
const page = join(ROOT, 'README.md');
const index = mkdtempSync(join(tmpdir(), 'footnote-samples-'));
try {
  footnote(['ingest', 'docs']);
  const before = readFileSync(page, 'utf8');
  const after = before.replace(SAMPLE, (_, command) => {
    const args = [...command.matchAll(/"([^"]*)"|(\S+)/gu)].map(([, quoted, plain]) => quoted ?? plain);
    return `\`\`\`text\n$ bin/footnote ${command}\n${footnote(args)}\n\`\`\``;
  });
  if (!process.argv.includes('--check')) writeFileSync(page, after);
  else if (after !== before) {
    process.stderr.write('the samples of README.md are out of date: npm run build && node tools/samples.mjs\n');
    process.exitCode = 1;
  }
} finally {
  rmSync(index, { recursive: true });
}

/** What is printed, without our own options and variables of the environment that change it. */
function footnote(args) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('FOOTNOTE_')));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, 'bin', 'footnote'), ...args, '--index', index],
    { cwd: ROOT, env: { ...env, NO_COLOR: '1' }, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`footnote ${args.join(' ')}: exit ${status}\n${stderr}`);
  return stdout.trimEnd();
}
