// `npm run build`: src/ to dist/, from nothing, so that a deleted source leaves no trace. The new build takes the old
// one's place at the end: who runs Footnote meanwhile never meets half of one.
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { install, ROOT, run } from './setup.mjs';

install();
const built = join(ROOT, 'dist');
const fresh = join(ROOT, `dist.new-${process.pid}`);
const old = join(ROOT, `dist.old-${process.pid}`);
process.once('exit', () => [fresh, old].forEach((folder) => rmSync(folder, { recursive: true, force: true })));
run(process.execPath, [join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', ROOT, '--outDir', fresh]);
writeFileSync(join(fresh, '.built'), '');
try {
  renameSync(built, old);
} catch (error) {
  if (error.code !== 'ENOENT') throw error;
}
renameSync(fresh, built);
