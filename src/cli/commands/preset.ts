import { stringify } from 'yaml';
import { presetNamed, presets } from '../../presets/presets.ts';
import type { GlobalOptions } from '../options.ts';
import { table, writeJson, writeOut } from '../output.ts';

export async function listPresets(options: GlobalOptions): Promise<number> {
  const listed = presets.map(({ name, description }) => ({ name, description }));
  await (options.json === true
    ? writeJson(listed)
    : writeOut(`${table(listed.map(({ name, description }) => [name, description]))}\n`));
  return 0;
}

export async function showPreset(name: string, options: GlobalOptions): Promise<number> {
  const preset = presetNamed(name);
  await (options.json === true ? writeJson(preset) : writeOut(stringify(preset)));
  return 0;
}
