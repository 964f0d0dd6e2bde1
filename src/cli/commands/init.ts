import { writeFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { flagVariable } from '../../config/environment.ts';
import { CONFIG_NAMES, findConfigFile } from '../../config/file.ts';
import { configTemplate } from '../../config/template.ts';
import { RagError } from '../../core/errors.ts';
import { presetNamed } from '../../presets/presets.ts';
import type { GlobalOptions } from '../options.ts';
import { writeOut } from '../output.ts';

/** Never overwrites: a file that is there was written by somebody. */
export async function init(options: GlobalOptions): Promise<number> {
  const cwd = process.cwd();
  const preset = presetNamed(options.preset ?? flagVariable(process.env, 'FOOTNOTE_PRESET') ?? 'default');
  const path = resolve(cwd, options.config ?? 'footnote.yaml');
  const shown = relative(cwd, path);
  const beside = options.config === undefined ? await findConfigFile(cwd) : undefined;
  if (beside !== undefined) throw alreadyThere(relative(cwd, beside.path));
  try {
    await writeFile(path, configTemplate(preset), { flag: 'wx' });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EEXIST') throw alreadyThere(shown);
    throw new RagError('storage-failed', `cannot write ${shown} (${code})`, { cause: error });
  }
  const named = CONFIG_NAMES.includes(shown) ? '' : ` --config ${shown}`;
  await writeOut(`wrote ${shown} (preset ${preset.name})\nnext: footnote ingest PATH${named}\n`);
  return 0;
}

const alreadyThere = (name: string): RagError =>
  new RagError('file-invalid', `${name} is already there`, { hint: 'edit it, or write another: --config FILE' });
