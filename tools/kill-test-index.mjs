// What tools/kill-test.mjs looks at in an index: whether it is whole, and whether two of them say the same.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import openEmbedder from '../dist/embedders/built-in.js';
import { defaultPreset } from '../dist/presets/default.js';
import openStore from '../dist/stores/embedded/index.js';
import { openDatabase } from '../dist/stores/sqlite.js';
import { readManifest } from '../dist/workspace.js';

const QUERIES = [
  'How do I configure the server port?',
  'deploy the application',
  'plugin option for the build',
  'theme and style of a page',
  'test a module with a mock',
];
/** Scores are sums of floats, in an order that depends on what was written when. */
const TOLERANCE = 1e-6;
const DEPTH = 50;

/** Path → text of what readers see, and everything in it that does not fit together. */
export async function inspect(folder) {
  const path = await activeStore(folder);
  if (path === undefined) return { version: '', texts: new Map(), problems: [] };
  const problems = [];
  const { schema, integrity } = await readRaw(path);
  if (integrity !== 'ok') problems.push(`SQLite: ${integrity}`);
  // Killed before the tables were there.
  if (schema === undefined) return { version: '', texts: new Map(), problems };
  const store = openStore({ path });
  await store.open(schema, 'read');
  try {
    const statistics = await store.statistics();
    const texts = new Map();
    const counted = { documents: 0, chunks: 0, tokens: 0 };
    for (const summary of await store.documents()) {
      const document = await store.document(summary.id);
      const chunks = await store.neighbours(summary.id, 0, Number.MAX_SAFE_INTEGER);
      texts.set(summary.path, document.text);
      if (chunks.length !== summary.chunks)
        problems.push(`${summary.path} has ${chunks.length} of ${summary.chunks} chunks`);
      for (const { text, span, position } of chunks) {
        if (text !== document.text.slice(span.start, span.end))
          problems.push(`chunk ${position} of ${summary.path} is not its text`);
      }
      counted.documents++;
      counted.chunks += chunks.length;
      counted.tokens += chunks.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
    }
    for (const [name, count] of Object.entries(counted)) {
      if (statistics[name] !== count)
        problems.push(`the statistics say ${statistics[name]} ${name}, there are ${count}`);
    }
    await searchAll(store);
    return { version: statistics.generation === 0 ? '' : `${path} ${statistics.generation}`, texts, problems };
  } finally {
    await store.close();
  }
}

/** Whether a run was stopped between its first document and its end. */
export async function isWriting(folder) {
  const stores = existsSync(folder) ? readdirSync(folder).filter((name) => /^index-\d+\.sqlite$/u.test(name)) : [];
  for (const name of stores) {
    const db = await openDatabase(join(folder, name), { readOnly: true });
    try {
      const found = db.prepare(
        'SELECT 1 FROM documents, state WHERE from_generation > generation OR to_generation > generation',
      );
      if (found.get() !== undefined) return true;
    } catch {
      // Killed before the tables were there.
    } finally {
      db.close();
    }
  }
  return false;
}

/** One line for each thing in which two indexes of the same files differ. */
export async function differences(folder, other) {
  const [a, b] = [await contents(folder), await contents(other)];
  const found = [];
  for (const key of new Set([...a.chunks.keys(), ...b.chunks.keys()])) {
    if (a.chunks.get(key) !== b.chunks.get(key)) found.push(`chunk ${key}`);
  }
  if (a.statistics !== b.statistics) found.push(`statistics ${a.statistics} and ${b.statistics}`);
  for (const [i, { name, hits }] of a.runs.entries()) {
    const others = new Map(b.runs[i].hits.map(({ chunkId, score }) => [chunkId, score]));
    // Equal scores stand in the order of storage: the last ones of a list may differ.
    const floor = Math.max(hits.at(-1)?.score ?? 0, b.runs[i].hits.at(-1)?.score ?? 0) + TOLERANCE;
    for (const { chunkId, score } of hits) {
      if (score <= floor) continue;
      if (!(Math.abs((others.get(chunkId) ?? NaN) - score) <= TOLERANCE))
        found.push(`${name}: ${score}, ${others.get(chunkId)}`);
    }
    if (hits.length !== b.runs[i].hits.length) found.push(`${name}: ${hits.length} hits, ${b.runs[i].hits.length}`);
  }
  return found;
}

async function contents(folder) {
  const path = await activeStore(folder);
  const { schema } = await readRaw(path);
  const store = openStore({ path });
  await store.open(schema, 'read');
  try {
    const chunks = new Map();
    for (const { id, uri, revision } of await store.documents()) {
      for (const chunk of await store.neighbours(id, 0, Number.MAX_SAFE_INTEGER))
        chunks.set(`${uri} ${revision} ${chunk.position}`, `${chunk.id} ${chunk.text}`);
    }
    const { documents, chunks: count, tokens } = await store.statistics();
    return { chunks, statistics: JSON.stringify({ documents, count, tokens }), runs: await searchAll(store) };
  } finally {
    await store.close();
  }
}

async function searchAll(store) {
  const vectors = await (await openEmbedder()).embed(QUERIES, 'query');
  const runs = [];
  for (const [i, text] of QUERIES.entries()) {
    const keyword = { leg: 'keyword', text, ...defaultPreset.retrieve.bm25, topK: DEPTH };
    runs.push({ name: `keyword "${text}"`, ...(await store.search(keyword)) });
    for (const space of ['dense', 'heading']) {
      runs.push({
        name: `${space} "${text}"`,
        ...(await store.search({ leg: 'dense', space, vector: vectors[i], topK: DEPTH })),
      });
    }
  }
  return runs;
}

async function activeStore(folder) {
  const active = existsSync(folder) ? (await readManifest(folder))?.active : undefined;
  const path = active == null ? undefined : join(folder, active);
  return path !== undefined && existsSync(path) ? path : undefined;
}

async function readRaw(path) {
  const db = await openDatabase(path, { readOnly: true });
  try {
    const integrity = db.prepare('PRAGMA integrity_check').get().integrity_check;
    const tables = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'named_values'").get();
    const row = tables && db.prepare("SELECT value FROM named_values WHERE name = '.schema'").get();
    return { integrity, schema: row && JSON.parse(row.value) };
  } finally {
    db.close();
  }
}
