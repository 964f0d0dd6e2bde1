import type { Settings } from '../core/settings.ts';
import { presetNamed } from './presets.ts';

/** The settings of a preset as an engine takes them, without sources. @throws RagError `setting-invalid` */
export function presetSettings(name: string): Settings {
  const { name: preset, description, design, larger, ...settings } = presetNamed(name);
  return { preset, sources: [], ...settings };
}
