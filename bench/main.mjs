/** One size after the other: build every subject, question each beside X, start fresh processes, replace documents. */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, release, tmpdir, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { CHUNKS_PER_DOCUMENT } from './corpus.mjs';
import { readQueries } from './data.mjs';
import { median } from './measure.mjs';
import { runProcess } from './spawn.mjs';

/** What `--only` may name. */
export const SUBJECTS = {
  footnote: ['footnote-1', 'footnote-2'],
  'sqlite-vec': ['sqlite-vec'],
  langchain: ['langchain'],
};

/** Its memory store takes 16 GB and minutes for a million chunks. */
const LANGCHAIN_MOST = 100_000;
const LANGCHAIN_NODE = ['--max-old-space-size=12288'];

const ROUNDS = 15;
const FRESH_STARTS = 9;
const REPLACEMENTS = 60;

/**
 * @param chunks how many, a multiple of {@link CHUNKS_PER_DOCUMENT}
 * @param wanted names of {@link SUBJECTS}
 * @param log is told what happens
 */
export async function runSize(chunks, wanted, log) {
  const folder = mkdtempSync(join(tmpdir(), 'footnote-bench-'));
  try {
    return await measure(chunks, wanted, folder, (what) => log(`${chunks} chunks: ${what}`));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(chunks, wanted, folder, log) {
  const started = new Date().toISOString();
  const documents = chunks / CHUNKS_PER_DOCUMENT;
  const names = wanted.flatMap((name) => SUBJECTS[name]).filter((name) => name !== 'langchain');
  const indexOf = (name) => join(folder, name);
  const results = Object.fromEntries(names.map((name) => [name, {}]));

  log('vectors, questions, exact answers');
  await runProcess('prepare', { folder, documents });
  const query = { ...readQueries(folder)[0] };
  query.vector = Array.from(query.vector);

  for (const subject of names) {
    log(`building ${subject}`);
    results[subject].build = await runProcess('build', { subject, index: indexOf(subject), documents });
  }
  const ask = (subject, options) => {
    log(`questions to ${subject}`);
    const input = { subject, folder, index: indexOf(subject), documents, rounds: ROUNDS };
    return runProcess('query', input, options);
  };
  for (const subject of names) results[subject].query = await ask(subject);
  if (wanted.includes('langchain') && chunks <= LANGCHAIN_MOST) {
    const { build, ...asked } = await ask('langchain', LANGCHAIN_NODE);
    results.langchain = { build, query: asked };
  }

  log('fresh processes');
  const fresh = await freshStarts(names, indexOf, query);
  for (const subject of names) {
    log(`replacing documents in ${subject}`);
    results[subject].replace = await runProcess('replace', {
      subject,
      index: indexOf(subject),
      documents,
      times: Math.min(REPLACEMENTS, documents - 10),
    });
  }
  return { chunks, started, finished: new Date().toISOString(), load: loadavg()[0], results, fresh };
}

/** Each in its turn, so that a busy minute does not fall on one alone. */
async function freshStarts(names, indexOf, query) {
  const starts = {
    empty: () => runProcess('empty'),
    help: () => runProcess('help'),
    ...Object.fromEntries(
      names.map((name) => [name, () => runProcess('fresh-store', { subject: name, index: indexOf(name), query })]),
    ),
    ...(names.includes('footnote-2')
      ? { engine: () => runProcess('fresh-engine', { index: indexOf('footnote-2'), query }) }
      : {}),
  };
  const measured = Object.fromEntries(Object.keys(starts).map((name) => [name, []]));
  for (let i = 0; i < FRESH_STARTS; i++) {
    for (const [name, start] of Object.entries(starts)) measured[name].push(await start());
  }
  return Object.fromEntries(
    Object.entries(measured).map(([name, runs]) => [
      name,
      { wall: median(runs.map(({ startToReply }) => startToReply)), cpu: median(runs.map(({ cpu }) => cpu)) },
    ]),
  );
}

export function machine() {
  const processors = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `Node ${process.versions.node}, ${processors.length} × ${processors[0].model.trim()}, ${memory}, ${type()} ${release()}`;
}
