// `npm run demo [-- PATH [QUESTION]]`: from a fresh clone to a cited answer. Installs and builds what is missing, ingests
// Footnote's own documentation (or PATH), and asks three questions, one of which the documents cannot answer.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build, install, ROOT } from './setup.mjs';

const started = Date.now();
install();
build();

const [path, question] = process.argv.slice(2);
const target = path === undefined ? undefined : resolve(process.env.INIT_CWD ?? process.cwd(), path);
if (target !== undefined && !existsSync(target)) {
  console.error(`footnote: ${target} does not exist\nhint: npm run demo -- PATH takes a folder or a file`);
  process.exit(2);
}
const index = join(ROOT, '.footnote-demo');
rmSync(index, { recursive: true, force: true });

const footnote = (args, options = {}) => {
  console.log(`\n$ footnote ${args.map((arg) => (/^[\w./:-]+$/.test(arg) ? arg : `"${arg}"`)).join(' ')}`);
  return spawnSync(process.execPath, [join(ROOT, 'bin', 'footnote'), ...args, '--index', index], {
    cwd: ROOT,
    stdio: 'inherit',
    ...options,
  });
};

// Not the README: it shows an answer, and would be cited for it.
const sources = target === undefined ? ['docs'] : [target];
const ingested = footnote(['ingest', ...sources]);
if (ingested.status === 2) process.exit(2);

const headings = target === undefined ? [] : someHeadings();
for (const asked of question === undefined ? questions() : [question]) {
  const { status } = footnote(['ask', asked]);
  if (status === 2) process.exit(2);
}

console.log(`
Done in ${Math.round((Date.now() - started) / 1000)} s. Everything ran on this machine; nothing was sent anywhere.
Search the same index:        bin/footnote search "${headings[0] ?? 'fusion weights'}" --explain --index .footnote-demo
Measure it on your questions: bin/footnote eval questions.json --index .footnote-demo
Now your own documents:       npm run demo -- PATH`);

/** Of the user's own documents: two of their headings, and one thing that no documentation says. */
function questions() {
  const unanswerable = 'Which wine goes with grilled octopus?';
  if (target !== undefined)
    return [...headings.map((heading) => `What do the documents say about ${heading}?`), unanswerable];
  return [
    'How does Footnote check a citation before it shows it?',
    'Which file holds the settings, and how do I make one?',
    unanswerable,
  ];
}

/** Two headings of several plain words, from two documents. */
function someHeadings() {
  const search = ['search', 'introduction overview how to', '--json', '--top', '100', '--index', index];
  const { stdout } = spawnSync(process.execPath, [join(ROOT, 'bin', 'footnote'), ...search], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  let hits = [];
  try {
    hits = JSON.parse(stdout).hits;
  } catch {
    // Nothing indexed: the search has said so itself.
  }
  const byDocument = new Map();
  for (const { documentId, headingPath } of hits) {
    const heading = headingPath.at(-1) ?? '';
    if (/^[\p{L}\p{N}]+(?:[ -][\p{L}\p{N}]+){1,7}$/u.test(heading) && !byDocument.has(documentId))
      byDocument.set(documentId, heading);
  }
  return [...new Set(byDocument.values())].slice(0, 2);
}
