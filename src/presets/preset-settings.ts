import type { Settings } from '../core/settings.ts';
import { presetNamed } from './presets.ts';

/** The settings of a preset as an engine takes them, without sources. @throws RagError `setting-invalid` */
export function presetSettings(name: string): Settings {
  const { parse, chunk, embed, analyze, store, retrieve, fuse, context, generate, confidence } = presetNamed(name);
  return {
    preset: name,
    sources: [],
    parse,
    chunk,
    embed,
    analyze,
    store,
    retrieve,
    fuse,
    context,
    generate,
    confidence,
  };
}
