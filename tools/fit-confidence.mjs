// Fits the confidence of the default preset: `node tools/fit-confidence.mjs CORPUS=QUESTIONS.json …` (at least two).
// Each CORPUS folder is indexed, each question asked three ways: as it is; with its relevant documents hidden by a filter;
// and of another corpus. `right` is fitted to "the answer cites a relevant document", `answerable` to "the documents hold
// an answer". Each corpus in turn is left out, fitted without, and reported; then the models on all are written to
// models/confidence.json. No randomness: the same data give the same bytes. With ADAPT=always each index adapts the
// built-in model, and the fit is that of adapted models (`…+adapted`); without, that of the model as it ships.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fittedName } from '../dist/confidence-models.js';
import { createEngine } from '../dist/index.js';
import { readDataset } from '../dist/evaluation/questions.js';
import { labelIndex, resolveJudgments } from '../dist/evaluation/labels.js';
import { auroc } from '../dist/evaluation/metrics.js';
import { presetNamed } from '../dist/presets/presets.js';
import { defineSource } from '../dist/sources/address.js';
import { ROOT } from './setup.mjs';

const FILE = join(ROOT, 'models', 'confidence.json');
const RIGHT = {
  features: ['words', 'agreement', 'dense', 'gap'],
  target: (row) => row.right,
  // Made-up negatives count half: a hidden document's neighbours may well answer.
  weight: { asked: 1, hidden: 0.5, elsewhere: 0.5, unanswerable: 1 },
};
const ANSWERABLE = {
  features: ['words', 'name', 'agreement', 'dense'],
  target: (row) => row.kind === 'asked',
  // Real unanswerable questions are near the topic and few; questions of another corpus are far from it and many.
  weight: { asked: 1, hidden: 0.2, elsewhere: 0.5, unanswerable: 4 },
};

const preset = process.env.PRESET ?? 'default';
const named = presetNamed(preset);
const embed = { ...named.embed, adapt: process.env.ADAPT ?? 'never' };
const settings = { ...named, embed, preset, sources: [], confidence: { threshold: 0 } };
const temp = mkdtempSync(join(tmpdir(), 'footnote-fit-'));
const corpora = [];
let model;
for (const [index, argument] of process.argv.slice(2).entries()) {
  const [folder, questions] = argument.split('=');
  const engine = await createEngine({ folder: join(temp, String(index)), settings });
  await engine.ingest({
    sources: [
      defineSource({ from: folder, exclude: ['SOURCE.md', 'LICENSE*', 'COPYING*', 'COPYRIGHT*'] }, process.cwd()),
    ],
  });
  const name = fittedName((await engine.status()).model);
  if (model !== undefined && name !== model) throw new Error(`${folder} has ${name}: it is left out of this fit`);
  model = name;
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
      const right =
        kind === 'asked' && answer.outcome === 'answered' && answer.citations.some(({ uri }) => relevant.has(uri));
      rows.push({ corpus: name, kind, right, x: detail });
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
  const others = rows.filter(({ corpus }) => corpus !== name);
  report(
    `${name} left out`,
    rows.filter(({ corpus }) => corpus === name),
    fit(others, RIGHT),
    fit(others, ANSWERABLE),
  );
}
const [right, answerable] = [fit(rows, RIGHT), fit(rows, ANSWERABLE)];
report('all', rows, right, answerable);
const others = JSON.parse(readFileSync(FILE, 'utf8')).filter(
  (other) => other.preset !== preset || other.model !== model,
);
writeFileSync(FILE, `${JSON.stringify([...others, { preset, model, right, answerable }], null, 2)}\n`);

/** Logistic regression by Newton's method, with a small ridge so that separable data keep finite weights. */
function fit(data, { features, target, weight }) {
  const size = features.length + 1;
  let beta = Array(size).fill(0);
  for (let step = 0; step < 30; step++) {
    const gradient = beta.map((value, i) => (i > 0 ? 0.5 * value : 0));
    const hessian = beta.map((_, i) => beta.map((_, j) => (i === j && i > 0 ? 0.5 : 0)));
    for (const row of data) {
      const z = [1, ...features.map((feature) => row.x[feature])];
      const p = sigmoid(z.reduce((sum, value, i) => sum + value * beta[i], 0));
      const share = weight[row.kind];
      for (let i = 0; i < size; i++) {
        gradient[i] += share * (p - Number(target(row))) * z[i];
        for (let j = 0; j < size; j++) hessian[i][j] += share * p * (1 - p) * z[i] * z[j];
      }
    }
    const delta = solve(hessian, gradient);
    beta = beta.map((value, i) => value - delta[i]);
  }
  const [intercept, ...weights] = beta.map((value) => Math.round(value * 1e4) / 1e4);
  return { intercept, weights: Object.fromEntries(features.map((feature, i) => [feature, weights[i]])) };
}

function predict({ intercept, weights }, x) {
  return sigmoid(Object.entries(weights).reduce((sum, [feature, weight]) => sum + weight * x[feature], intercept));
}

function report(title, data, rightModel, answerableModel) {
  const scores = (model, test) => data.filter(test).map(({ x }) => predict(model, x));
  const labelled = ({ kind }) => kind === 'asked' || kind === 'unanswerable';
  const [good, bad] = [true, false].map((right) => scores(rightModel, (row) => labelled(row) && row.right === right));
  const [asked, not] = ['asked', 'unanswerable'].map((kind) => scores(answerableModel, (row) => row.kind === kind));
  console.log(
    `${title}: AUROC of right ${auroc(good, bad)?.toFixed(3)}, of answerable ${auroc(asked, not)?.toFixed(3)}`,
  );
  for (const threshold of [0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4]) {
    const refused = (kind) =>
      share(
        scores(answerableModel, (row) => row.kind === kind),
        (value) => value < threshold,
      );
    console.log(
      `  below ${threshold}: answerable ${refused('asked')}, unanswerable ${refused('unanswerable')}, hidden ${refused('hidden')}, elsewhere ${refused('elsewhere')}`,
    );
  }
}

function share(values, test) {
  return values.length === 0 ? '-' : (values.filter(test).length / values.length).toFixed(2);
}

/** Gaussian elimination with pivoting. */
function solve(matrix, right) {
  const rows = matrix.map((row, i) => [...row, right[i]]);
  for (let i = 0; i < rows.length; i++) {
    const pivot = rows
      .slice(i)
      .reduce((best, row, k) => (Math.abs(row[i]) > Math.abs(rows[best][i]) ? i + k : best), i);
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

function sigmoid(value) {
  return 1 / (1 + Math.exp(-value));
}
