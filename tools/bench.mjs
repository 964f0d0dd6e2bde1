// `npm run bench [-- --million] [--only NAMES] [--json FILE] [--gate]`: the table of docs/performance.md, measured here.
// What it compares with is installed in bench/ only.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build, install, ROOT } from './setup.mjs';

const HELP = `npm run bench -- [--million] [--only NAMES] [--json FILE] [--gate]

Measures the embedded store at 10,000 and 100,000 chunks beside an exact scan (X), sqlite-vec + FTS5 and LangChain.js'
memory store, and prints a Markdown table for each size. Takes about ten minutes.

--million     also 1,000,000 chunks: perhaps an hour, 25 GB of disk, 8 GB of memory
--only NAMES  sizes (10k,100k,1m or any number of thousands) and subjects (footnote,sqlite-vec,langchain)
--json FILE   also writes all figures as JSON
--gate        exits 1 when a target is missed; otherwise a missed target is only said`;

const { values } = readArguments();
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
install();
install(join(ROOT, 'bench'));
build();

const { machine, runSize, SUBJECTS } = await import('../bench/main.mjs');
const { targetRows, toMarkdown } = await import('../bench/table.mjs');
const { sizes, subjects } = selection(values.only?.split(',') ?? [], Object.keys(SUBJECTS));

// The process at work ends with the same Ctrl-C; this one then removes what it has written.
process.once('SIGINT', () => undefined);

console.log(`${new Date().toISOString().slice(0, 10)}, ${machine()}\n`);
const measured = [];
for (const chunks of sizes) {
  const result = await runSize(chunks, subjects, (what) => console.error(what));
  measured.push(result);
  console.log(`${toMarkdown(result)}\n`);
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify({ machine: machine(), measured }, null, 2)}\n`);
}
const judged = measured.flatMap((result) => targetRows(result).map((row) => ({ chunks: result.chunks, ...row })));
const misses = judged.filter(({ met }) => !met);
for (const { chunks, label, footnote, target } of misses) {
  console.log(`MISSED at ${chunks} chunks: ${label}: ${footnote}, target ${target}`);
}
console.log(`${judged.length - misses.length} of ${judged.length} targets met.`);
process.exitCode = values.gate && misses.length > 0 ? 1 : 0;

function readArguments() {
  try {
    return parseArgs({
      options: {
        million: { type: 'boolean', default: false },
        only: { type: 'string' },
        json: { type: 'string' },
        gate: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    return refuse(error.message);
  }
}

/** Without a size both usual ones, without a subject all of them. */
function selection(names, known) {
  const sizes = [];
  const subjects = [];
  for (const name of names) {
    const [, number, unit] = /^(\d+)([km])$/i.exec(name) ?? [];
    if (number !== undefined && Number(number) > 0)
      sizes.push(Number(number) * (unit.toLowerCase() === 'k' ? 1e3 : 1e6));
    else if (known.includes(name)) subjects.push(name);
    else refuse(`--only does not know "${name}": it takes sizes such as 10k, and ${known.join(', ')}`);
  }
  const chosen = sizes.length > 0 ? sizes : [10_000, 100_000];
  if (values.million && !chosen.includes(1e6)) chosen.push(1e6);
  return { sizes: chosen, subjects: subjects.length > 0 ? subjects : known };
}

function refuse(message) {
  console.error(`bench: ${message}\n\n${HELP}`);
  process.exit(2);
}
