// `npm run build`: src/ to dist/, from nothing, so that a deleted source leaves no trace.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { install, ROOT, run } from './setup.mjs';

install();
rmSync(join(ROOT, 'dist'), { recursive: true, force: true });
run(process.execPath, [join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', ROOT]);
writeFileSync(join(ROOT, 'dist', '.built'), '');
