// How often the comparisons of `eval` cry wolf. Usage, after the build:
//   footnote eval QUESTIONS --preset A,B --json --per-question > run.json
//   node tools/false-alarms.mjs run.json [A B] [--runs 100]
// Takes the results of two presets of a real run, and deals each question's two results at random to two made-up
// systems: whatever the presets are, the two systems differ by chance alone. That is compared as `eval` does, 100
// times, and what comes out with p < .05 is a false alarm. At most 5 % may: of the single tests for `p alone`, of the
// runs (with any alarm at all) for the corrected p. Seeded: the same file gives the same figures.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { comparePairs } from '../dist/evaluation/compare.js';
import { createRandom } from '../dist/evaluation/random.js';

const LEVEL = 0.05;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '100' } },
});
const [file, ...named] = positionals;
if (file === undefined) throw new Error('usage: node tools/false-alarms.mjs run.json [A B] [--runs 100]');
const report = JSON.parse(readFileSync(file, 'utf8'));
const names = named.length > 0 ? named : Object.keys(report.presets).slice(0, 2);
const [a, b] = names.map((name) => report.presets[name]?.perQuestion);
if (a === undefined || b === undefined) {
  throw new Error('the file needs two presets with their questions: footnote eval … --json --per-question');
}

const random = createRandom(1);
const runs = Array.from({ length: Number(values.runs) }, () => {
  const swaps = a.map(() => random() < 0.5);
  const dealt = (first, second) => swaps.map((swapped, index) => (swapped ? second : first)[index]);
  const results = new Map([
    ['one', dealt(a, b)],
    ['two', dealt(b, a)],
  ]);
  return comparePairs(results, [['one', 'two']]);
});

const share = (count, of) => `${count} of ${of} (${((100 * count) / of).toFixed(1)} %)`;
const tests = runs.flat();
const alarms = (key) => tests.filter((test) => test[key] < LEVEL).length;
const runsWith = (key) => runs.filter((run) => run.some((test) => test[key] < LEVEL)).length;
process.stdout.write(
  [
    `${names.join(' and ')}, ${a.length} questions dealt at random ${runs.length} times; p < ${LEVEL}:`,
    `p alone:     ${share(alarms('pRaw'), tests.length)} of the tests; a run has one in ${share(runsWith('pRaw'), runs.length)}`,
    `p corrected: ${share(alarms('p'), tests.length)} of the tests; a run has one in ${share(runsWith('p'), runs.length)}`,
    ...[...new Set(tests.map(({ metric }) => metric))].map((metric) => {
      const own = tests.filter((test) => test.metric === metric);
      return `  ${metric.padEnd(20)} ${share(own.filter(({ pRaw }) => pRaw < LEVEL).length, own.length)} alone`;
    }),
    '',
  ].join('\n'),
);
