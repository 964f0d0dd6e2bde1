/** `--as-designed`: a preset with the models, stores and services that its design names. */
import { RagError } from '../core/errors.ts';
import type { Preset } from '../core/settings.ts';

/** Drivers that designs name and this version does not have. A wrong name is not among them: the schema refuses it. */
const NOT_YET: Readonly<Record<string, { readonly what: string; readonly drivers: readonly string[] }>> = {
  'store.use': { what: 'store', drivers: ['qdrant', 'weaviate', 'pgvector', 'chroma', 'flat-file'] },
  'generate.use': { what: 'generator', drivers: ['anthropic', 'openai', 'ollama'] },
};

/** The design's own values, by dotted key. @throws RagError `setting-invalid` for a preset without a design */
export function designedValues(preset: Preset): ReadonlyMap<string, unknown> {
  if (preset.design !== undefined) return new Map(Object.entries(preset.design.settings));
  throw new RagError('setting-invalid', `the preset "${preset.name}" carries no design`, {
    hint: 'leave --as-designed out, or name a preset that has one: footnote preset list',
  });
}

/** @throws RagError `not-available`, naming everything of the design that this version has no driver for */
export function requireDesigned(preset: Preset): void {
  const missing = [...designedValues(preset)].flatMap(([key, value]) => {
    const planned = NOT_YET[key];
    return planned?.drivers.includes(String(value)) === true ? [`${planned.what} "${String(value)}"`] : [];
  });
  if (missing.length === 0) return;
  throw new RagError(
    'not-available',
    `as designed, ${preset.name} needs ${missing.join(' and ')}: this version has no such driver yet`,
    {
      hint: `footnote preset show ${preset.name} --as-designed prints the design; without --as-designed the preset runs here`,
    },
  );
}
