/**
 * Compiles kernel.ts to wasm and writes it, as base64, into src/stores/embedded/kernel.generated.ts.
 *
 *     cd native && npm ci && node build.mjs [--out FILE]
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const flag = process.argv.indexOf('--out');
const out = flag === -1 ? here('../src/stores/embedded/kernel.generated.ts') : process.argv[flag + 1];

const options = ['-O3', '--runtime', 'stub', '--noAssert', '--enable', 'simd', '--importMemory', '--initialMemory', '1'];
let wasm;
const { error, stderr } = await asc.main(['kernel.ts', '--outFile', 'kernel.wasm', ...options], {
  readFile: (name) => readFile(here(name), 'utf8').catch(() => null),
  writeFile: (name, contents) => {
    if (name === 'kernel.wasm') wasm = contents;
  },
  listFiles: () => [],
});
if (error !== null || wasm === undefined) {
  process.stderr.write(stderr.toString());
  process.exit(1);
}

const lines = Buffer.from(wasm).toString('base64').match(/.{1,110}/g);
const text = `/** native/kernel.ts as wasm, ${wasm.length} bytes. Written by native/build.mjs; do not edit. */
export const KERNEL_WASM: string = [
${lines.map((line) => `  '${line}',`).join('\n')}
].join('');
`;
await writeFile(out, text);
