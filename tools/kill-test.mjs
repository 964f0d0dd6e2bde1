// Kills `footnote ingest` at random moments and looks at what is left: `node tools/kill-test.mjs [N] [--seed S]`.
// After every kill the index must hold exactly the last published run or the one that was being written, whole; after
// a completed run it must equal an index that was built in one go. The last line is `N kills: 0 lost, 0 partial`.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { build, install, ROOT } from './setup.mjs';
import { differences, inspect, isWriting } from './kill-test-index.mjs';

const { values, positionals } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, pages: { type: 'string', default: '80' } },
  allowPositionals: true,
});
const kills = Number(positionals[0] ?? 100);
/** So many pages make a run of one to two seconds. */
const PAGES = Number(values.pages);
const random = randomFrom(Number(values.seed));
const BIN = join(ROOT, 'bin', 'footnote');
const CORPORA = join(ROOT, '..', 'shared', 'data', 'corpora');

install();
build();
const root = mkdtempSync(join(tmpdir(), 'footnote-kill-'));
const [docs, index, fresh] = ['docs', 'index', 'fresh'].map((name) => join(root, name));
/** How long a run of each kind takes here, in milliseconds; learnt from those that end. */
const duration = { first: 2500, change: 1500, rebuild: 2500 };
const counts = { killed: 0, ended: 0, writing: 0, switched: 0, lost: 0, partial: 0, first: 0, change: 0, rebuild: 0 };
/** What readers must see: the files as they were when the last run was published. */
let published = new Map();

fillDocs();
while (counts.killed < kills) await round();
console.log(`${counts.killed} kills: ${counts.lost} lost, ${counts.partial} partial`);
if (counts.lost + counts.partial === 0) rmSync(root, { recursive: true });
else console.log(`kept for inspection: ${root}`);
process.exitCode = counts.lost + counts.partial === 0 ? 0 : 1;

async function round() {
  const kind = pick(['first', 'change', 'change', 'rebuild']);
  if (kind === 'first') {
    rmSync(index, { recursive: true, force: true });
    published = new Map();
  } else if (published.size === 0) return;
  if (kind !== 'rebuild' || random() < 0.5) changeDocs();
  const before = published.size === 0 ? undefined : await inspect(index);
  const next = readDocs();

  const started = performance.now();
  const args = kind === 'rebuild' ? ['--rebuild'] : kind === 'first' ? [docs] : [];
  if (!(await killed(args, duration[kind] * (0.1 + random())))) {
    duration[kind] = performance.now() - started;
    counts.ended++;
    published = next;
    return;
  }
  counts.killed++;
  counts[kind]++;
  if (await isWriting(index)) counts.writing++;

  const after = await inspect(index);
  const switched = after.version !== (before?.version ?? '');
  if (switched) counts.switched++;
  judge(after, switched ? next : published, `after a kill (${kind})`);

  const { code, stderr } = await run([]);
  // A first run that was killed before it knew its source has to be told again.
  if (code !== 0 && (await run([docs])).code !== 0) return fail('lost', `the next run fails: ${stderr}`);
  published = next;
  const complete = await inspect(index);
  judge(complete, next, 'after the next run');
  const stores = readdirSync(index).filter((name) => /^index-\d+\.sqlite$/u.test(name));
  if (stores.length !== 1) fail('partial', `${stores.length} stores are left`);

  rmSync(fresh, { recursive: true, force: true });
  await run([docs], fresh);
  for (const difference of await differences(index, fresh)) fail('partial', `not as a fresh index: ${difference}`);
  if (counts.killed % 10 === 0) {
    const { first, change, rebuild, writing, switched, ended } = counts;
    console.log(
      `${counts.killed} kills: ${counts.lost} lost, ${counts.partial} partial` +
        ` (${first} first runs, ${change} changes, ${rebuild} rebuilds; ${writing} amid writing, ${switched} after the switch; ${ended} runs ended before their kill)`,
    );
  }
}

/** Compares what readers see with the files that they should see. */
function judge(found, files, when) {
  for (const problem of found.problems) fail('partial', `${when}: ${problem}`);
  for (const [path, text] of files) {
    if (!found.texts.has(path)) fail('lost', `${when}: ${path} is missing`);
    else if (found.texts.get(path) !== text) fail('lost', `${when}: ${path} has another text`);
  }
  for (const path of found.texts.keys()) if (!files.has(path)) fail('partial', `${when}: ${path} is still there`);
}

function fail(what, message) {
  counts[what]++;
  console.log(`  ${what}: ${message}`);
}

/** Whether the run was still going when its time had come. */
function killed(args, afterMilliseconds) {
  return new Promise((resolve) => {
    const child = start(args, index);
    const timer = setTimeout(() => child.kill('SIGKILL'), afterMilliseconds);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (code !== null && code !== 0) fail('lost', `exit ${code}`);
      resolve(signal === 'SIGKILL');
    });
  });
}

function run(args, folder = index) {
  return new Promise((resolve) => {
    const child = start(args, folder);
    let stderr = '';
    child.stderr.on('data', (part) => (stderr += part));
    child.on('close', (code) => resolve({ code, stderr }));
  });
}

function start(args, folder) {
  const env = { PATH: process.env.PATH ?? '', HOME: root };
  return spawn(process.execPath, [BIN, 'ingest', ...args, '--index', folder], {
    cwd: root,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/** Real pages where the shared corpora are beside the repository, else made-up ones. */
function fillDocs() {
  mkdirSync(docs);
  for (const corpus of existsSync(CORPORA) ? ['md-vite', 'md-wavemaker'] : []) {
    for (const path of pagesBelow(join(CORPORA, corpus, 'docs'))) {
      if (pagesBelow(docs).length >= PAGES) return;
      cpSync(path, join(docs, corpus, relative(join(CORPORA, corpus, 'docs'), path)));
    }
  }
  while (pagesBelow(docs).length < PAGES) writeFileSync(join(docs, newName()), page());
}

/** Some pages are edited, deleted, renamed or new; sometimes many. */
function changeDocs() {
  const paths = pagesBelow(docs);
  const many = Math.max(1, Math.round(paths.length * pick([0.02, 0.2, 0.6])));
  for (let i = 0; i < many; i++) {
    const path = pick(paths);
    if (!existsSync(path)) continue;
    const action = paths.length < PAGES / 2 ? 'new' : pick(['edit', 'edit', 'edit', 'new', 'delete', 'rename']);
    const text = readFileSync(path, 'utf8');
    if (action === 'delete' || action === 'rename') rmSync(path);
    if (action === 'edit') writeFileSync(path, `${text}\n\n## Added ${i}\n\n${sentence()}\n`);
    if (action === 'rename') writeFileSync(join(docs, newName()), text);
    if (action === 'new') writeFileSync(join(docs, newName()), page());
  }
}

function pagesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.mdx?$/u.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Path → text, as a document has it. */
function readDocs() {
  const texts = pagesBelow(docs).map((path) => [
    relative(docs, path),
    readFileSync(path, 'utf8').replace(/^\uFEFF/u, ''),
  ]);
  return new Map(texts);
}

function newName() {
  return `page-${Math.floor(random() * 1e9)}.md`;
}

function page() {
  const sections = Array.from(
    { length: 12 },
    (_, i) => `## Section ${i}\n\n${Array.from({ length: 15 }, sentence).join(' ')}\n`,
  );
  return `# ${sentence()}\n\n${sections.join('\n')}`;
}

function sentence() {
  const words = 'server port plugin build option page route theme module cache test deploy config path asset'.split(
    ' ',
  );
  return `The ${Array.from({ length: 9 }, () => pick(words)).join(' ')} ${Math.floor(random() * 1000)}.`;
}

function pick(values) {
  return values[Math.floor(random() * values.length)];
}

/** mulberry32: small, seeded, good enough to choose with. */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
