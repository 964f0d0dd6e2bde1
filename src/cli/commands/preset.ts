import { stringify } from 'yaml';
import { flatten, unflatten } from '../../config/flat.ts';
import type { Preset } from '../../core/settings.ts';
import { designedValues } from '../../presets/as-designed.ts';
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
  const shown = options.asDesigned === true ? asDesigned(preset) : preset;
  await (options.json === true ? writeJson(shown) : writeOut(stringify(shown)));
  return 0;
}

/** The preset's settings with the design's laid over them, and what waits for later versions. */
function asDesigned(preset: Preset): Record<string, unknown> {
  const { name, description, design, larger, ...settings } = preset;
  const values = unflatten(new Map([...flatten(settings), ...designedValues(preset)]));
  return {
    name,
    description,
    ...values,
    design: { of: design?.of, later: design?.later, deviations: design?.deviations },
  };
}
