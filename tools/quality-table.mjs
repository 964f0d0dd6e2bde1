// The table of docs/quality.md: sets of questions × presets × embedders, with 95 % intervals.
//
//   node tools/quality-table.mjs --index DIR [--models built-in,FOLDER,FOLDER+FOLDER] [--presets A,B] SET…
//
// SET is NAME=QUESTIONS.json@CORPUS or NAME=BEIR_FOLDER. A model is `built-in`, or a folder or hub name of a local
// model; `A+B` has B beside A in one index. Vectors are kept in DIR, so that a second run is quick. One JSON line per
// cell goes to stdout as it is measured (`> cells.jsonl`), the table to stderr at the end.
import { createEngine, presetSettings } from '../dist/index.js';
import { evaluatePresets } from '../dist/evaluate-presets.js';
import { presetNamed, presets } from '../dist/presets/presets.js';
import { defineSource } from '../dist/sources/address.js';
import { checkSettings } from '../dist/config/check.js';
import { flatten, unflatten } from '../dist/config/flat.js';
import { basename, resolve } from 'node:path';
import { mkdirSync } from 'node:fs';

const options = { index: undefined, models: 'built-in', presets: presets.map(({ name }) => name).join(',') };
const sets = [];
const args = process.argv.slice(2);
while (args.length > 0) {
  const next = args.shift();
  const flag = /^--(index|models|presets)$/u.exec(next)?.[1];
  if (flag === undefined) sets.push(next);
  else options[flag] = args.shift();
}
if (options.index === undefined || sets.length === 0) {
  console.error(
    'usage: node tools/quality-table.mjs --index DIR [--models A,B] [--presets A,B] NAME=QUESTIONS@CORPUS…',
  );
  process.exit(2);
}

/** A preset with another embedder; a larger one counts more, as the command line has it. */
function settingsWith(name, model) {
  const { larger } = presetNamed(name);
  if (model === 'built-in' || name === 'keyword') return presetSettings(name);
  const [first, ...also] = model.split('+');
  const flat = new Map([
    ...flatten(presetSettings(name)),
    ...Object.entries(larger?.[first === 'built-in' ? 'beside' : 'instead'] ?? {}),
    ...(first === 'built-in'
      ? []
      : [
          ['embed.use', 'onnx'],
          ['embed.model', first],
        ]),
    [
      'embed.also',
      also.map((other) => ({
        name: `also-${basename(other)
          .toLowerCase()
          .slice(0, 20)
          .replace(/[^a-z0-9-]/gu, '-')}`,
        use: 'onnx',
        model: other,
        baseUrl: null,
        keyVariable: null,
        dimensions: null,
      })),
    ],
  ]);
  return checkSettings({ ...unflatten(flat), preset: name, sources: [] });
}

const METRICS = ['ndcg@10', 'recall@30', 'mrr@10'];
const rows = [];
for (const set of sets) {
  const [, name, target, corpus] = /^([^=]+)=([^@]+)(?:@(.+))?$/u.exec(set);
  const folder = resolve(options.index, name);
  mkdirSync(folder, { recursive: true });
  if (corpus !== undefined) {
    const engine = await createEngine({ folder, settings: presetSettings('default') });
    await engine.ingest({
      sources: [
        defineSource({ from: corpus, exclude: ['SOURCE.md', 'LICENSE*', 'COPYING*', 'COPYRIGHT*'] }, process.cwd()),
      ],
    });
    await engine.close();
  }
  for (const model of options.models.split(',')) {
    for (const preset of options.presets.split(',')) {
      if (preset === 'keyword' && model !== 'built-in') continue;
      const { report } = await evaluatePresets({
        target,
        folder,
        presets: [{ name: preset, settings: settingsWith(preset, model) }],
      });
      const { retrieval, intervals, byKind, latencyMs } = report.presets[preset];
      const cell = {
        set: name,
        preset,
        model:
          model === 'built-in'
            ? model
            : model
                .split('+')
                .map((part) => basename(part))
                .join('+'),
        retrieval,
        intervals,
        paraphrase: byKind.paraphrase ?? null,
        latencyMs,
      };
      console.log(JSON.stringify(cell));
      rows.push(cell);
    }
  }
}

const figure = (value) => (value === null || value === undefined ? '–' : value.toFixed(3).replace(/^0/u, ''));
const range = (interval) =>
  interval === undefined ? '' : ` (${interval.map((end) => end.toFixed(2).replace(/^0/u, '')).join('–')})`;
console.error(`| set | preset | model | ${METRICS.join(' | ')} | paraphrases MRR@10 | p50 · p95 ms |`);
console.error(`|---|---|---|${'---|'.repeat(METRICS.length + 2)}`);
for (const { set, preset, model, retrieval, intervals, paraphrase, latencyMs } of rows) {
  const cells = METRICS.map((metric) => figure(retrieval[metric]) + range(intervals[metric]));
  const hard = paraphrase === null ? '–' : figure(paraphrase['mrr@10']) + range(paraphrase.intervals?.['mrr@10']);
  const time = `${latencyMs.p50.toFixed(0)} · ${latencyMs.p95.toFixed(0)}`;
  console.error(`| ${[set, preset, model, ...cells, hard, time].join(' | ')} |`);
}
