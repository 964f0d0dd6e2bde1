// Fits the confidence of the default preset: `node tools/fit-confidence.mjs CORPUS=QUESTIONS.json …` (at least two).
// Each CORPUS folder is indexed, each question asked three ways: as it is; with its relevant documents hidden by a filter;
// and of another corpus. What is fitted is "the answer cites a relevant document". Questions that the documents do not
// answer are not fitted on, they only report. Each corpus in turn is left out, fitted without, and reported. Then the
// model on all is written to models/confidence.json. No randomness: the same data give the same bytes.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine } from '../dist/index.js';
import { readDataset } from '../dist/evaluation/questions.js';
import { labelIndex, resolveJudgments } from '../dist/evaluation/labels.js';
import { auroc } from '../dist/evaluation/metrics.js';
import { presetNamed } from '../dist/presets/presets.js';
import { defineSource } from '../dist/sources/address.js';
import { ROOT } from './setup.mjs';

const FILE = join(ROOT, 'models', 'confidence.json');
const FEATURES = ['words', 'agreement', 'dense', 'gap'];
/** Made-up negatives count half: a hidden document's neighbours may well answer. */
const WEIGHT = { asked: 1, hidden: 0.5, elsewhere: 0.5, unanswerable: 0 };

const preset = process.env.PRESET ?? 'default';
const settings = { ...presetNamed(preset), preset, sources: [], confidence: { threshold: 0 } };
const temp = mkdtempSync(join(tmpdir(), 'footnote-fit-'));
const corpora = [];
let model;
for (const [index, argument] of process.argv.slice(2).entries()) {
  const [folder, questions] = argument.split('=');
  const engine = await createEngine({ folder: join(temp, String(index)), settings });
  await engine.ingest({ sources: [defineSource({ from: folder, exclude: ['SOURCE.md', 'LICENSE*', 'COPYING*', 'COPYRIGHT*'] }, process.cwd())] });
  model = (await engine.status()).model;
  corpora.push({ name: folder.split('/').filter(Boolean).at(-1), engine, dataset: await readDataset(questions) });
}

const rows = [];
for (const [index, corpus] of corpora.entries()) {
  const documents = await corpus.engine.documents();
  const labels = labelIndex(documents.map(({ uri }) => uri));
  for (const question of corpus.dataset.questions) {
    const { labels: wanted, equivalents } = question.judgments;
    const relevant = new Set([...wanted, ...equivalents].flatMap((label) => [...labels.match(label)]));
    if (wanted.length > 0 && relevant.size === 0) continue;
    const add = async (kind, { engine, name }, filter) => {
      const request = filter === undefined ? {} : { filter };
      const { explanation } = await engine.search({ query: question.query, explain: true, ...request });
      const { detail } = explanation.stages.find(({ stage }) => stage === 'confidence');
      const answer = await engine.ask({ question: question.query, ...request });
      const right = kind === 'asked' && answer.outcome === 'answered' && answer.citations.some(({ uri }) => relevant.has(uri));
      rows.push({ corpus: name, kind, right, x: FEATURES.map((feature) => detail[feature]) });
    };
    await add(wanted.length > 0 ? 'asked' : 'unanswerable', corpus);
    if (wanted.length > 0) {
      const paths = documents.filter(({ uri }) => relevant.has(uri)).map(({ path }) => path);
      await add('hidden', corpus, { not: { path: paths } });
    }
    await add('elsewhere', corpora[(index + 1) % corpora.length]);
  }
}
for (const { engine } of corpora) await engine.close();
rmSync(temp, { recursive: true });

for (const { name } of corpora) {
  const { intercept, weights } = fit(rows.filter(({ corpus }) => corpus !== name));
  report(`${name} left out`, rows.filter(({ corpus }) => corpus === name), intercept, weights);
}
const all = fit(rows);
report('all', rows, all.intercept, all.weights);
const fitted = {
  preset,
  model,
  intercept: round(all.intercept),
  weights: Object.fromEntries(FEATURES.map((feature, i) => [feature, round(all.weights[i])])),
};
const others = JSON.parse(readFileSync(FILE, 'utf8')).filter((other) => other.preset !== preset || other.model !== model);
writeFileSync(FILE, `${JSON.stringify([...others, fitted], null, 2)}\n`);
console.log(JSON.stringify(fitted));

/** Logistic regression by Newton's method, with a small ridge so that separable data keep finite weights. */
function fit(data) {
  const size = FEATURES.length + 1;
  let beta = Array(size).fill(0);
  for (let step = 0; step < 30; step++) {
    const gradient = Array(size).fill(0);
    const hessian = Array.from({ length: size }, (_, i) => Array.from({ length: size }, (_, j) => (i === j && i > 0 ? 0.5 : 0)));
    for (let i = 1; i < size; i++) gradient[i] += 0.5 * beta[i];
    for (const { x, right, kind } of data) {
      const z = [1, ...x];
      const p = sigmoid(dot(beta, z));
      const weight = WEIGHT[kind];
      for (let i = 0; i < size; i++) {
        gradient[i] += weight * (p - Number(right)) * z[i];
        for (let j = 0; j < size; j++) hessian[i][j] += weight * p * (1 - p) * z[i] * z[j];
      }
    }
    const delta = solve(hessian, gradient);
    beta = beta.map((value, i) => value - delta[i]);
  }
  return { intercept: beta[0], weights: beta.slice(1) };
}

function report(title, data, intercept, weights) {
  const score = ({ x }) => sigmoid(intercept + dot(weights, x));
  const scores = (test) => data.filter(test).map(score);
  const labelled = ({ kind }) => kind === 'asked' || kind === 'unanswerable';
  const right = scores((row) => labelled(row) && row.right);
  const wrong = scores((row) => labelled(row) && !row.right);
  console.log(`${title}: ${right.length} right, ${wrong.length} wrong or unanswerable, AUROC ${auroc(right, wrong)?.toFixed(3)}`);
  for (const threshold of [0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5]) {
    const refused = (kind) => share(scores((row) => row.kind === kind), (value) => value < threshold);
    console.log(`  below ${threshold}: answerable ${refused('asked')}, unanswerable ${refused('unanswerable')}, hidden ${refused('hidden')}, elsewhere ${refused('elsewhere')}`);
  }
}

function share(values, test) {
  return values.length === 0 ? '-' : (values.filter(test).length / values.length).toFixed(2);
}

/** Gaussian elimination with pivoting. */
function solve(matrix, right) {
  const rows = matrix.map((row, i) => [...row, right[i]]);
  for (let i = 0; i < rows.length; i++) {
    const pivot = rows.slice(i).reduce((best, row, k) => (Math.abs(row[i]) > Math.abs(rows[best][i]) ? i + k : best), i);
    [rows[i], rows[pivot]] = [rows[pivot], rows[i]];
    for (let k = i + 1; k < rows.length; k++) {
      const factor = rows[k][i] / rows[i][i];
      for (let j = i; j <= rows.length; j++) rows[k][j] -= factor * rows[i][j];
    }
  }
  const solution = Array(rows.length).fill(0);
  for (let i = rows.length - 1; i >= 0; i--) {
    solution[i] = (rows[i][rows.length] - solution.reduce((sum, value, j) => sum + value * rows[i][j], 0)) / rows[i][i];
  }
  return solution;
}

function dot(a, b) {
  return a.reduce((sum, value, i) => sum + value * b[i], 0);
}

function sigmoid(value) {
  return 1 / (1 + Math.exp(-value));
}

function round(value) {
  return Math.round(value * 1e4) / 1e4;
}
