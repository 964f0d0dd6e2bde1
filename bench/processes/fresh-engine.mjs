/** The same through the library: the engine opens index and model, embeds the question and gives ten hits. */
import { createEngine } from '../../dist/index.js';
import { defaultPreset } from '../../dist/presets/default.js';
import { input, reply } from './io.mjs';

const { index: folder, query } = input;
const { name: preset, description: _, ...settings } = defaultPreset;
const engine = await createEngine({ folder, settings: { preset, sources: [], ...settings } });
const { hits } = await engine.search({ query: query.text });
const { user, system } = process.cpuUsage();
reply({ shown: hits.length, cpu: (user + system) / 1000 });
