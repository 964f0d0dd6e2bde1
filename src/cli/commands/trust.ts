import { basename } from 'node:path';
import { findConfigFile } from '../../config/file.ts';
import { addressesIn, sourcesOutside, trust } from '../../config/trust.ts';
import { RagError } from '../../core/errors.ts';
import { printableLine } from '../../text/printable.ts';
import type { GlobalOptions } from '../options.ts';
import { writeOut } from '../output.ts';

export async function trustCommand(options: GlobalOptions): Promise<number> {
  if (options.config !== undefined) {
    throw new RagError('setting-invalid', 'a file that is named by --config needs no trust');
  }
  const file = await findConfigFile(process.cwd());
  if (file === undefined) {
    throw new RagError('file-invalid', 'there is no configuration file in this folder', {
      hint: 'footnote init writes one',
    });
  }
  await trust(file, process.env);
  const outside = sourcesOutside(file).map(({ from }) => `  source outside the folder: ${printableLine(from)}`);
  const addresses = [...addressesIn(file.values)].map(([key, value]) => `  ${key}: ${printableLine(value)}`);
  const reach = [...outside, ...addresses];
  if (reach.length === 0) reach.push('  it reaches nothing outside the folder now');
  await writeOut(
    `trusted until it changes: ${basename(file.path)} in ${printableLine(file.folder)}\n${reach.join('\n')}\n`,
  );
  return 0;
}
