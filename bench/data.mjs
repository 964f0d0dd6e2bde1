/** What the processes of one run share, as files in its folder: vectors, questions and the exact answers. */
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { CHUNKS_PER_DOCUMENT, createCorpus, DIMENSIONS } from './corpus.mjs';
import { readInto } from './float-scan.mjs';

const QUERIES = 200;
/** Questions whose exact neighbours are computed. */
const JUDGED = 60;
const TOP = 30;

export const vectorFile = (folder) => join(folder, 'vectors.f32');
const queryFile = (folder) => join(folder, 'queries.json');
const truthFile = (folder) => join(folder, 'truth.json');

/** Writes everything for a number of documents. */
export function prepareData(folder, documents) {
  const corpus = createCorpus();
  const fields = writeVectors(vectorFile(folder), corpus, documents);
  const queries = Array.from({ length: QUERIES }, (_, number) => {
    const { text, words, vector } = corpus.query(number, documents);
    // A filter that somebody would set: the fields of some document.
    return { text, words, ...fields[(number * 7919) % documents], vector: Array.from(vector) };
  });
  writeFileSync(queryFile(folder), JSON.stringify(queries));
  const vectors = new Float32Array(documents * CHUNKS_PER_DOCUMENT * DIMENSIONS);
  readInto(vectorFile(folder), new Uint8Array(vectors.buffer));
  const truth = queries.slice(0, JUDGED).map((query) => exactNeighbours(query, vectors, fields));
  writeFileSync(truthFile(folder), JSON.stringify(truth));
}

export function readQueries(folder) {
  const queries = JSON.parse(readFileSync(queryFile(folder), 'utf8'));
  return queries.map((query) => ({ ...query, vector: Float32Array.from(query.vector) }));
}

/** By leg, for the first questions: the rows that exact float32 search finds. */
export const readTruth = (folder) => JSON.parse(readFileSync(truthFile(folder), 'utf8'));

function writeVectors(file, corpus, documents) {
  const out = openSync(file, 'w');
  const fields = [];
  for (let index = 0; index < documents; index++) {
    for (const vector of corpus.vectors(index).dense) writeSync(out, new Uint8Array(vector.buffer));
    fields.push(corpus.fields(index));
  }
  closeSync(out);
  return fields;
}

function exactNeighbours({ vector, category, owner }, vectors, fields) {
  const scores = new Float64Array(vectors.length / DIMENSIONS);
  for (let row = 0, at = 0; row < scores.length; row++) {
    let sum = 0;
    for (let i = 0; i < DIMENSIONS; i++, at++) sum += vectors[at] * vector[i];
    scores[row] = sum;
  }
  const rows = Array.from(scores.keys()).sort((a, b) => scores[b] - scores[a]);
  const fieldsOf = (row) => fields[Math.floor(row / CHUNKS_PER_DOCUMENT)];
  return {
    dense: rows.slice(0, TOP),
    dense10: firstWhere(rows, (row) => fieldsOf(row).category === category),
    dense05: firstWhere(rows, (row) => fieldsOf(row).owner === owner),
  };
}

function firstWhere(rows, holds) {
  const found = [];
  for (const row of rows) {
    if (found.length === TOP) break;
    if (holds(row)) found.push(row);
  }
  return found;
}
