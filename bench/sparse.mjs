// Learned sparse vectors in the embedded store, beside X (the exact float32 scan of as many dense vectors).
//
//   node bench/sparse.mjs [--chunks 100000] [--rounds 15]
//
// Needs the build (npm run build). A chunk has 120 entries of a vocabulary of 30,000, drawn by Zipf's law so that the
// commonest is in a quarter of all chunks; a question has 20 to 60, two thirds of them of one chunk. The chunks have
// next to no text, so building is what the sparse vectors cost. Legs are compared as in bench/main.mjs.
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import embeddedStore from '../dist/stores/embedded/index.js';
import { SPARSE_SCHEMA, sampleDocument, sampleOrigin, sparseVector } from '../dist/testing/index.js';
import { floatScan } from './float-scan.mjs';
import { machine } from './main.mjs';
import { interleaved, timed } from './measure.mjs';
import { random, zipf } from './random.mjs';

const [VOCABULARY, ENTRIES, DIMENSIONS, PER_DOCUMENT, CATEGORIES] = [30_000, 120, 384, 20, 10];
const [QUESTIONS, JUDGED, TOP] = [200, 20, 30];
const SEED = { chunk: 1, query: 2, vectors: 3 };
const draw = zipf(VOCABULARY, 65);

const { values } = parseArgs({
  options: { chunks: { type: 'string', default: '100000' }, rounds: { type: 'string', default: '15' } },
});
const chunks = Number(values.chunks);
const folder = mkdtempSync(join(tmpdir(), 'footnote-bench-'));
try {
  const path = join(folder, 'index-000001.sqlite');
  const built = await build(path);
  const reader = await open(path, 'read');
  const queries = Array.from({ length: QUESTIONS }, (_, number) => questionOf(number));
  const ask = async ({ vector, category }, filtered = false) =>
    (
      await reader.search({
        leg: 'sparse',
        space: 'sparse',
        vector,
        topK: TOP,
        ...(filtered && { filter: { category } }),
      })
    ).hits;
  const worst = await largestError(queries.slice(0, JUDGED), ask);
  const x = floatScan(vectorFile(), chunks, DIMENSIONS);
  const measured = await interleaved({
    x: ({ dense }) => x(dense, TOP),
    legs: { sparse: (query) => ask(query), 'sparse, filter keeps 10 %': (query) => ask(query, true) },
    queries,
    rounds: Number(values.rounds),
  });
  await reader.close();
  report(built, worst, measured);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function open(path, mode) {
  const store = embeddedStore({ path });
  await store.open({ ...SPARSE_SCHEMA, spaces: {} }, mode);
  return store;
}

async function build(path) {
  const store = await open(path, 'write');
  const spent = { wall: 0, cpu: 0 };
  const count = async (run) => {
    const { wall, cpu } = await timed(run);
    spent.wall += wall;
    spent.cpu += cpu;
  };
  for (let first = 0; first < chunks; first += PER_DOCUMENT) {
    const number = first / PER_DOCUMENT;
    const stored = sampleDocument({
      path: `page-${number}.md`,
      metadata: { category: number % CATEGORIES },
      sections: Array.from({ length: PER_DOCUMENT }, (_, i) => ({
        heading: '',
        text: `chunk ${first + i}`,
        sparse: { sparse: weightsOf(first + i) },
      })),
    });
    await count(() => store.replace(sampleOrigin(stored), [stored]));
  }
  await count(() => store.publish());
  await store.close();
  return { ...spent, bytes: statSync(path).size };
}

/** Entry → weight: mostly small, as a model's are (log(1 + x) of its outputs). */
function weightsOf(row) {
  const next = random(SEED.chunk, row);
  const weights = {};
  for (let left = ENTRIES; left > 0;) {
    const entry = draw(next);
    if (entry in weights) continue;
    weights[entry] = Math.log(1 + 4 * next() ** 2) + 0.01;
    left--;
  }
  return weights;
}

function questionOf(number) {
  const next = random(SEED.query, number);
  const size = 20 + Math.floor(next() * 41);
  const of = Object.keys(weightsOf(Math.floor(next() * chunks)));
  const weights = {};
  while (Object.keys(weights).length < size) {
    weights[next() < 0.67 ? of[Math.floor(next() * of.length)] : draw(next)] = 0.1 + 2 * next();
  }
  const dense = Float32Array.from({ length: DIMENSIONS }, () => next() - 0.5);
  return { vector: sparseVector(weights), dense, category: number % CATEGORIES };
}

/** Between the scores of the best and those that adding up the weights of every chunk gives. */
async function largestError(queries, ask) {
  const scores = queries.map(() => new Float64Array(chunks));
  const wanted = queries.map(
    ({ vector }) => new Map(Array.from(vector.indices, (entry, i) => [entry, vector.values[i]])),
  );
  for (let row = 0; row < chunks; row++) {
    const { indices, values: weights } = sparseVector(weightsOf(row));
    for (const [i, question] of wanted.entries()) {
      for (let at = 0; at < indices.length; at++) scores[i][row] += (question.get(indices[at]) ?? 0) * weights[at];
    }
  }
  let worst = 0;
  for (const [i, query] of queries.entries()) {
    const best = Array.from(scores[i].keys()).sort((a, b) => scores[i][b] - scores[i][a]);
    for (const [rank, { score }] of (await ask(query)).entries()) {
      worst = Math.max(worst, Math.abs(score - scores[i][best[rank]]));
    }
  }
  return worst;
}

function vectorFile() {
  const next = random(SEED.vectors);
  const path = join(folder, 'vectors.f32');
  const vectors = Float32Array.from({ length: chunks * DIMENSIONS }, () => next() - 0.5);
  writeFileSync(path, new Uint8Array(vectors.buffer));
  return path;
}

function report({ wall, cpu, bytes }, worst, { x, legs }) {
  const perSecond = (milliseconds) => Math.round((chunks / milliseconds) * 1000).toLocaleString('en-US');
  const rows = [
    ['X: exact float32 scan, CPU ms', x.toFixed(2)],
    ...Object.entries(legs).map(([name, { cpu: own, ratio }]) => [
      `${name}, CPU ms`,
      `${own.toFixed(2)} (${ratio.toFixed(2)} X)`,
    ]),
    ['largest error of a score', worst.toExponential(1)],
    ['build, chunks per second (per CPU second)', `${perSecond(wall)} (${perSecond(cpu)})`],
    ['on disk, MB', Math.round(bytes / 1e6)],
    ['peak memory, X included, MB', Math.round(process.resourceUsage().maxRSS / 1000)],
  ];
  console.log(
    `${machine()}; load average ${loadavg()[0].toFixed(1)}; ${chunks.toLocaleString('en-US')} chunks × ${ENTRIES}\n`,
  );
  console.log(['| | |', '|---|---|', ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n'));
}
