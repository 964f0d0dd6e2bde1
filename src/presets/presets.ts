import { RagError } from '../core/errors.ts';
import type { Preset } from '../core/settings.ts';
import { nearest } from '../text/nearest.ts';
import { defaultPreset } from './default.ts';
import { keywordPreset } from './keyword.ts';
import { notesPreset } from './notes.ts';
import { papersPreset } from './papers.ts';
import { productDocsPreset } from './product-docs.ts';
import { supportDeskPreset } from './support-desk.ts';
import { websitePreset } from './website.ts';

export const presets: readonly Preset[] = [
  defaultPreset,
  keywordPreset,
  productDocsPreset,
  papersPreset,
  notesPreset,
  supportDeskPreset,
  websitePreset,
];

/** @throws RagError `setting-invalid`, naming the nearest preset. */
export function presetNamed(name: string): Preset {
  const found = presets.find((preset) => preset.name === name);
  if (found !== undefined) return found;
  const names = presets.map((preset) => preset.name);
  const near = nearest(name, names);
  throw new RagError('setting-invalid', `there is no preset "${name}"`, {
    hint: near === undefined ? `presets: ${names.join(', ')}` : `did you mean ${near}?`,
  });
}
