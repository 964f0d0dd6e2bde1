// Embedding with a local ONNX model: Footnote's processes beside the plain loop over one session.
//
//   node bench/embedding.mjs --model FOLDER --documents FOLDER [--chunks 2600] [--threads N] [--rounds 3]
//
// Needs the build (npm run build) and the packages of tests/ (npm ci there). The chunks are those of the default preset,
// evenly drawn from all documents, none longer than the model reads. The subjects take turns, so that a busy minute does not fall on one alone; the table
// has the median of all rounds. On a machine that others use, processor time tells more than chunks/s.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import onnxEmbedder from '../dist/embedders/onnx/index.js';
import { feedsOf } from '../dist/onnx/sequences.js';
import { recipeOf } from '../dist/embedders/onnx/recipe.js';
import { openModel } from '../dist/onnx/locate.js';
import { openTokenizer } from '../dist/onnx/tokenizer.js';
import { presets } from '../dist/presets/presets.js';
import { openChunker, openParsers, openSource } from '../dist/registry.js';
import { machine } from './main.mjs';
import { median } from './measure.mjs';

const MILLISECONDS_PER_TICK = 10;
const BYTES_PER_PAGE = 4096;
const TESTS = fileURLToPath(new URL('../tests/', import.meta.url));
const { values } = parseArgs({
  options: {
    model: { type: 'string' },
    documents: { type: 'string' },
    chunks: { type: 'string', default: '2600' },
    threads: { type: 'string', default: String(availableParallelism()) },
    rounds: { type: 'string', default: '3' },
  },
});
if (values.model === undefined || values.documents === undefined) {
  console.error('node bench/embedding.mjs --model FOLDER --documents FOLDER [--chunks N] [--threads N] [--rounds N]');
  process.exit(2);
}
const threads = Number(values.threads);
const openEmbedder = (count) =>
  onnxEmbedder({ model: values.model, device: 'cpu', threads: count, packagesFrom: [TESTS] });
const texts = await chunksOf(values.documents, Number(values.chunks), await openEmbedder(1));
const folder = await openModel({ model: values.model, device: 'cpu' });
const { maxTokens } = await recipeOf(folder);
const tokenizer = openTokenizer(folder, [TESTS]);
const onnx = createRequire(join(TESTS, 'bench.js'))('onnxruntime-node');

const PLAIN = 'plain loop, one thread';
const subjects = {
  [PLAIN]: () => plainLoop(1, 1),
  'plain loop, one thread, batches of 8': () => plainLoop(1, 8),
  [`plain loop, ${threads} threads in the session`]: () => plainLoop(threads, 1),
  'Footnote, 1 thread': () => footnote(1),
  [`Footnote, ${threads} threads`]: () => footnote(threads),
};
const measured = new Map(Object.keys(subjects).map((name) => [name, []]));
for (let round = 0; round < Number(values.rounds); round++) {
  for (const [name, open] of Object.entries(subjects)) {
    console.error(`round ${round + 1}: ${name}`);
    const { run, close } = await open();
    measured.get(name).push(await timed(run));
    await close();
  }
}

const tokens = texts.map((text) => tokenizer.count(text));
const mean = Math.round(tokens.reduce((sum, count) => sum + count, 0) / tokens.length);
const row = (cells) => console.log(`| ${cells.join(' | ')} |`);
const wallOf = (name) => median(measured.get(name).map(({ wall }) => wall));
const base = wallOf(PLAIN);
console.log(
  `${new Date().toISOString().slice(0, 10)}, ${machine()}, load ${loadavg()[0].toFixed(1)}; ${folder.name}, ${texts.length} chunks of ${mean} tokens\n`,
);
row([' ', 'chunks/s', 'against the plain loop', 'processor ms a chunk', 'memory MB']);
row(['---', '---', '---', '---', '---']);
for (const [name, runs] of measured) {
  const cpu = median(runs.map((run) => run.cpu)) / texts.length;
  const megabytes = Math.max(...runs.map(({ memory }) => memory)) / 1e6;
  row([name, (texts.length / wallOf(name)) * 1000, base / wallOf(name), cpu, megabytes].map(shown));
}

/** What everybody writes first: tokenise, run, pool, one after the other, in the order of the documents. */
async function plainLoop(intraOpNumThreads, size) {
  const session = await onnx.InferenceSession.create(folder.weights, { intraOpNumThreads, interOpNumThreads: 1 });
  const run = async () => {
    for (let start = 0; start < texts.length; start += size) {
      const batch = texts.slice(start, start + size).map((text) => {
        const ids = tokenizer.ids(text).slice(0, maxTokens - 2);
        return [...tokenizer.before, ...ids, ...tokenizer.after];
      });
      const feeds = {};
      for (const [name, { type, data, dims }] of Object.entries(feedsOf(batch.map((ids) => ({ ids }))))) {
        feeds[name] = new onnx.Tensor(type, data, dims);
      }
      const { last_hidden_state: output } = await session.run(feeds);
      meanOf(output);
    }
  };
  return { run, close: () => session.release() };
}

function meanOf({ data, dims: [rows, width, dimensions] }) {
  const sums = new Float32Array(rows * dimensions);
  for (let row = 0; row < rows; row++) {
    for (let token = 0; token < width; token++) {
      const at = (row * width + token) * dimensions;
      for (let i = 0; i < dimensions; i++) sums[row * dimensions + i] += data[at + i];
    }
  }
  return sums;
}

async function footnote(count) {
  const embedder = await openEmbedder(count);
  await embedder.warm();
  const run = async () => {
    for (let start = 0; start < texts.length; start += embedder.maxBatch) {
      await embedder.embed(texts.slice(start, start + embedder.maxBatch), 'passage');
    }
  };
  return { run, close: () => embedder.close() };
}

async function timed(run) {
  const before = usage();
  const started = performance.now();
  await run();
  const { cpu, memory } = usage();
  return { wall: performance.now() - started, cpu: cpu - before.cpu, memory };
}

/** Processor milliseconds and resident bytes of this process and of those of the model (on Linux; elsewhere of this one). */
function usage() {
  const { user, system } = process.cpuUsage();
  const sum = { cpu: (user + system) / 1000, memory: process.memoryUsage.rss() };
  const children = `/proc/${process.pid}/task/${process.pid}/children`;
  const pids = existsSync(children) ? readFileSync(children, 'utf8').split(' ').filter(Boolean) : [];
  for (const pid of pids) {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    sum.cpu += (Number(fields[11]) + Number(fields[12])) * MILLISECONDS_PER_TICK;
    sum.memory += Number(fields[21]) * BYTES_PER_PAGE;
  }
  return sum;
}

async function chunksOf(path, wanted, embedder) {
  const [settings] = presets;
  const source = await openSource({ use: 'folder', id: 'bench', path }, settings, '');
  const [parsers, chunker] = [await openParsers(settings), await openChunker(settings, embedder)];
  const all = [];
  for await (const change of source.changes(new Map())) {
    if (change.type !== 'upsert') continue;
    const raw = await change.read();
    const parser = parsers.find(({ mediaTypes }) => mediaTypes.includes(raw.mediaType));
    if (parser === undefined) continue;
    for await (const document of parser.parse(raw, source.siblings(change.uri))) {
      for (const chunk of chunker.chunk(document)) all.push(`${chunk.context}\n${chunk.searchText ?? chunk.text}`);
    }
  }
  if (all.length <= wanted) return all;
  return Array.from({ length: wanted }, (_, i) => all[Math.floor((i * all.length) / wanted)]);
}

function shown(cell) {
  return typeof cell === 'number' ? cell.toFixed(cell < 10 ? 2 : 0) : cell;
}
