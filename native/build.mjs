/**
 * Compiles the kernels to wasm and writes them, as base64, into the sources that use them: all of them, or one.
 *
 *     cd native && npm ci && node build.mjs [--kernel NAME] [--out FILE]
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const KERNELS = {
  kernel: { out: '../src/stores/embedded/kernel.generated.ts', constant: 'KERNEL_WASM' },
  adaptation: { out: '../src/adaptation/kernel.generated.ts', constant: 'ADAPTATION_WASM' },
};

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const flag = (name) => {
  const at = process.argv.indexOf(name);
  return at === -1 ? undefined : process.argv[at + 1];
};

const options = ['-O3', '--runtime', 'stub', '--noAssert', '--enable', 'simd', '--importMemory', '--initialMemory', '1'];
const out = flag('--out');
const only = flag('--kernel') ?? (out === undefined ? undefined : 'kernel');
for (const [name, kernel] of Object.entries(KERNELS)) {
  if (only !== undefined && only !== name) continue;
  await writeFile(out ?? here(kernel.out), asSource(name, kernel.constant, await compile(`${name}.ts`)));
}

async function compile(source) {
  let wasm;
  const { error, stderr } = await asc.main([source, '--outFile', 'out.wasm', ...options], {
    readFile: (name) => readFile(here(name), 'utf8').catch(() => null),
    writeFile: (name, contents) => {
      if (name === 'out.wasm') wasm = contents;
    },
    listFiles: () => [],
  });
  if (error !== null || wasm === undefined) {
    process.stderr.write(stderr.toString());
    process.exit(1);
  }
  return wasm;
}

function asSource(name, constant, wasm) {
  const lines = Buffer.from(wasm).toString('base64').match(/.{1,110}/g);
  return `/** native/${name}.ts as wasm, ${wasm.length} bytes. Written by native/build.mjs; do not edit. */
export const ${constant}: string = [
${lines.map((line) => `  '${line}',`).join('\n')}
].join('');
`;
}
