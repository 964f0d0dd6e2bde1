// What every script of package.json needs first: dependencies and an up-to-date build. Plain Node, nothing installed.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';

/** Runs a program to its end; leaves with its exit code when it fails. */
export function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', ...options });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 2);
}

/** `npm ci` in a folder with a lock file, unless what is there was installed from this very lock file. */
export function install(folder = ROOT) {
  const lock = join(folder, 'package-lock.json');
  const marker = join(folder, 'node_modules', '.package-lock.json');
  if (existsSync(marker) && statSync(marker).mtimeMs >= statSync(lock).mtimeMs) return;
  console.error(`Installing ${folder === ROOT ? 'Footnote' : folder.slice(ROOT.length + 1)} …`);
  run(NPM, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** Compiles `src/` to `dist/` when a source is newer than the last build. */
export function build() {
  const built = join(ROOT, 'dist', '.built');
  const last = existsSync(built) ? statSync(built).mtimeMs : 0;
  if (newest(join(ROOT, 'src')) < last && statSync(join(ROOT, 'tsconfig.json')).mtimeMs < last) return;
  console.error('Building …');
  run(process.execPath, [join(ROOT, 'tools', 'build.mjs')]);
}

function newest(folder) {
  let latest = statSync(folder).mtimeMs;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    latest = Math.max(latest, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return latest;
}
