import type { Preset } from '../core/settings.ts';
import { defaultPreset } from './default.ts';

/**
 * BM25 alone: what every other setting has to beat. The index is the default's, vectors included, so that both can
 * be asked of the same one.
 */
export const keywordPreset: Preset = {
  ...defaultPreset,
  name: 'keyword',
  description: 'BM25 alone, on the same index as the default: a baseline, and exact words first',
  retrieve: { ...defaultPreset.retrieve, mode: 'keyword' },
};
