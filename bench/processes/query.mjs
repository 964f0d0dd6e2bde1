/** Opens an index, answers questions (peak memory is read here, before X is loaded), then measures beside X. */
import { CHUNKS_PER_DOCUMENT, createCorpus, DIMENSIONS } from '../corpus.mjs';
import { readQueries, readTruth, vectorFile } from '../data.mjs';
import { floatScan } from '../float-scan.mjs';
import { cpuOf, interleaved, median, timed } from '../measure.mjs';
import { openSubject } from '../subjects/index.mjs';
import { input, reply } from './io.mjs';

const REFERENCE_ROWS = 100_000;
const TOP = 30;

const { subject: name, folder, index, documents, rounds } = input;
const subject = await openSubject(name);
const queries = readQueries(folder);
const built = subject.persistent ? undefined : await load(subject.openMemory());
const { legs } = built?.reader ?? (await subject.openReader(index));

for (const query of queries.slice(0, 20)) await (legs.hybrid ?? legs.dense)(query);
const peakBytes = process.resourceUsage().maxRSS * 1024;

const recall = {};
const truths = readTruth(folder);
for (const leg of Object.keys(truths[0])) {
  const shares = [];
  for (const [i, truth] of truths.entries()) {
    if (truth[leg].length === 0) continue;
    const found = new Set((await legs[leg](queries[i])).map(subject.rowOf));
    shares.push(truth[leg].filter((row) => found.has(row)).length / truth[leg].length);
  }
  recall[leg] = shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

const rows = documents * CHUNKS_PER_DOCUMENT;
const scan = floatScan(vectorFile(folder), rows, DIMENSIONS);
const among = Math.min(rows, REFERENCE_ROWS);
const measured = await interleaved({ x: ({ vector }) => scan(vector, TOP, among), legs, queries, rounds });
const whole = [];
for (const query of queries.slice(0, 15)) whole.push(await cpuOf(() => scan(query.vector, TOP)));
reply({ ...measured, xOfAll: median(whole), recall, peakBytes, ...(built && { build: built.spent }) });

/** A store that lives in the process that asks. */
async function load(reader) {
  const corpus = createCorpus();
  const spent = { wall: 0, cpu: 0 };
  const count = async (run) => {
    const { wall, cpu } = await timed(run);
    spent.wall += wall;
    spent.cpu += cpu;
  };
  for (let i = 0; i < documents; i++) {
    const prepared = reader.prepare(corpus.document(i), corpus.vectors(i));
    await count(() => reader.add(prepared));
  }
  await count(() => reader.finish());
  return { reader, spent };
}
