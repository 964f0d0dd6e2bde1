/**
 * A synthetic documentation set of any size: document `i` is the same whatever the size, and is made when it is asked
 * for. What decides the speed of a search is as in real documents (WaveMaker's pages, cut to 1.6 kB): 170 index terms
 * a chunk, 80 of them distinct; 6.6 words a question, which together occur in .75 of all chunks; Zipf's law; words
 * that keep to their topic and document; identifiers. Vectors are unit vectors around topics, documents and sections.
 */
import { addNormal, random, zipf } from './random.mjs';

export const DIMENSIONS = 384;
export const CHUNKS_PER_DOCUMENT = 20;
/** Chunks below one heading: they share a heading vector. */
const CHUNKS_PER_HEADING = 2;

/** Values of the filterable fields: one of ten categories keeps 10 % of the chunks, one of 200 owners .5 %. */
const CATEGORIES = 10;
const OWNERS = 200;

const VOCABULARY = 40_000;
const COMMON_WORDS = 6_000;
const TOPICS = 250;
const TOPIC_WORDS = 300;
const DOCUMENT_WORDS = 16;
const IDENTIFIERS = 8;
const STOP_WORDS =
  'the of to a in and is for that you it with on as this be are or by an from can when will not if at which how has'.split(
    ' ',
  );

/** Streams of random numbers that do not touch one another. */
const SEED = { words: 1, topic: 2, document: 3, text: 4, vectors: 5, query: 6, queryVector: 7, topicVector: 8 };

/** Which row of the corpus a chunk is. */
export const rowOf = (chunkId) => Number.parseInt(chunkId.slice(18), 16);

export function createCorpus() {
  const vocabulary = makeVocabulary();
  const drawWord = zipf(COMMON_WORDS, 6);
  const drawTopicWord = zipf(TOPIC_WORDS, 2);
  const drawDocumentWord = zipf(DOCUMENT_WORDS, 1);
  const drawStopWord = zipf(STOP_WORDS.length, 1);
  const topics = Array.from({ length: TOPICS }, (_, topic) => {
    const next = random(SEED.topic, topic);
    return Array.from({ length: TOPIC_WORDS }, () => vocabulary[100 + Math.floor(next() * (VOCABULARY - 100))]);
  });
  const topicVectors = Array.from({ length: TOPICS }, (_, topic) => unitNoise(random(SEED.topicVector, topic)));

  /** What all chunks of a document share. */
  const facts = (index) => {
    const next = random(SEED.document, index);
    const topic = Math.floor(next() * TOPICS);
    const category = `category-${Math.floor(next() * CATEGORIES)}`;
    const owner = `owner-${Math.floor(next() * OWNERS)}`;
    const word = () => (next() < 0.3 ? topics[topic][drawTopicWord(next)] : vocabulary[drawWord(next)]);
    const own = Array.from({ length: DOCUMENT_WORDS }, word);
    const identifiers = Array.from({ length: IDENTIFIERS }, () => identifier(next, word));
    const title = capitalized(`${word()} ${word()} ${index}`);
    const headings = Array.from({ length: CHUNKS_PER_DOCUMENT / CHUNKS_PER_HEADING }, () =>
      capitalized([word(), word(), next() < 0.4 ? identifiers[0] : word()].join(' ')),
    );
    return { topic, category, owner, own, identifiers, title, headings };
  };

  const body = (next, { topic, own, identifiers }) => {
    const size = 1300 + Math.floor(next() * 550);
    let text = '';
    for (let sentence = 0; text.length < size; sentence++) {
      const words = [];
      for (let left = 8 + Math.floor(next() * 14); left > 0; left--) {
        const kind = next();
        if (kind < 0.36) words.push(STOP_WORDS[drawStopWord(next)]);
        else if (kind < 0.56) words.push(vocabulary[drawWord(next)]);
        else if (kind < 0.6) words.push(topics[topic][drawTopicWord(next)]);
        else if (kind < 0.97) words.push(own[drawDocumentWord(next)]);
        else words.push(`\`${identifiers[Math.floor(next() * IDENTIFIERS)]}\``);
      }
      text += `${capitalized(words.join(' '))}.${sentence % 5 === 4 ? '\n\n' : ' '}`;
    }
    return text.trimEnd();
  };

  const chunkTexts = (index, version) => {
    const known = facts(index);
    const next = random(SEED.text, index, version);
    const texts = Array.from({ length: CHUNKS_PER_DOCUMENT }, (_, position) => {
      const heading = known.headings[Math.floor(position / CHUNKS_PER_HEADING)];
      return `${position % CHUNKS_PER_HEADING === 0 ? `## ${heading}\n\n` : ''}${body(next, known)}`;
    });
    return { ...known, texts };
  };

  return {
    /** `version` gives the same document other words. */
    document: (index, version = 0) => ({ index, version, ...chunkTexts(index, version) }),
    /** Filterable fields of a document. */
    fields(index) {
      const { category, owner } = facts(index);
      return { category, owner };
    },
    /** Unit vectors of the chunks, and of the headings, chunk by chunk. */
    vectors(index, version = 0) {
      const next = random(SEED.vectors, index, version);
      const topic = topicVectors[facts(index).topic];
      const document = new Float32Array(DIMENSIONS);
      add(document, topic, 0.7);
      addNormal(document, next, 0.45 / Math.sqrt(DIMENSIONS));
      const near = (center, weight) => {
        const vector = Float32Array.from(center);
        addNormal(vector, next, weight / Math.sqrt(DIMENSIONS));
        return normalized(vector);
      };
      const headings = Array.from({ length: CHUNKS_PER_DOCUMENT / CHUNKS_PER_HEADING }, () => near(document, 0.6));
      const dense = Array.from({ length: CHUNKS_PER_DOCUMENT }, () => near(document, 0.6));
      return { dense, headings: dense.map((_, i) => headings[Math.floor(i / CHUNKS_PER_HEADING)]) };
    },
    /** A question about a chunk: some of its words, and a vector near its own. */
    query(number, documents) {
      const next = random(SEED.query, number);
      const index = Math.floor(next() * documents);
      const position = Math.floor(next() * CHUNKS_PER_DOCUMENT);
      const words = chunkTexts(index, 0).texts[position].match(/[A-Za-z_]+\d*/g);
      const content = words.filter((word) => !STOP_WORDS.includes(word.toLowerCase()));
      const asked = Array.from(
        { length: 6 + (next() < 0.6 ? 1 : 0) },
        () => content[Math.floor(next() * content.length)],
      );
      const vector = Float32Array.from(this.vectors(index).dense[position]);
      addNormal(vector, random(SEED.queryVector, number), 0.7 / Math.sqrt(DIMENSIONS));
      return {
        text: `How do I ${asked.slice(0, 3).join(' ')} with ${asked.slice(3).join(' ')}?`,
        words: asked,
        vector: normalized(vector),
      };
    },
  };
}

function makeVocabulary() {
  const [starts, middles, ends] = [
    'b c d f g h j k l m n p r s t v w br cl cr dr fl gr pl pr sc st str tr'.split(' '),
    'a e i o u ai ea ou a e i o'.split(' '),
    'n r s t l m nt st rd ng ck d p'.split(' '),
  ];
  const pick = (next, from) => from[Math.floor(next() * from.length)];
  const words = new Set();
  for (let i = 0; words.size < VOCABULARY; i++) {
    const next = random(SEED.words, i);
    let word = '';
    for (let syllables = i < 300 ? 1 : i < 6000 ? 2 : 3; syllables > 0; syllables--) {
      word += pick(next, starts) + pick(next, middles);
    }
    word += pick(next, ends) + (i > 1000 && next() < 0.3 ? pick(next, ['s', 'ing', 'ed', 'er', 'able', 'tion']) : '');
    if (!STOP_WORDS.includes(word)) words.add(word);
  }
  return [...words];
}

function identifier(next, word) {
  const [first, second] = [word(), word()];
  if (next() < 0.5) return `${first}${capitalized(second)}`;
  return next() < 0.5 ? `${first}_${second}`.toUpperCase() : `${first}_${second}`;
}

const capitalized = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function unitNoise(next) {
  const vector = new Float32Array(DIMENSIONS);
  addNormal(vector, next, 1);
  return normalized(vector);
}

function add(out, vector, weight) {
  for (let i = 0; i < out.length; i++) out[i] += weight * vector[i];
}

function normalized(vector) {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const norm = 1 / Math.sqrt(squares);
  for (let i = 0; i < vector.length; i++) vector[i] *= norm;
  return vector;
}
