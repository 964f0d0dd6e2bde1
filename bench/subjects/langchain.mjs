/** LangChain.js' memory store: dense search only, everything in the process that asks. */
import { MemoryVectorStore } from '@langchain/classic/vectorstores/memory';
import { Document } from '@langchain/core/documents';
import { Embeddings } from '@langchain/core/embeddings';
import { CHUNKS_PER_DOCUMENT } from '../corpus.mjs';

const TOP = 30;

/** Its `addVectors` copies the list each time: many at once is what it is good at. */
const BATCH = 10_000;

/** Vectors are given ready-made, so nothing is ever embedded. */
class NoEmbeddings extends Embeddings {
  embedQuery() {
    throw new Error('not used');
  }
  embedDocuments() {
    throw new Error('not used');
  }
}

export default function langchain() {
  return {
    persistent: false,
    rowOf: Number,

    openMemory() {
      const store = new MemoryVectorStore(new NoEmbeddings({}));
      let [vectors, documents] = [[], []];
      const flush = async () => {
        await store.addVectors(vectors, documents);
        [vectors, documents] = [[], []];
      };
      const dense = async ({ vector }, filter) =>
        (await store.similaritySearchVectorWithScore(Array.from(vector), TOP, filter)).map(([{ id }]) => id);
      return {
        prepare: ({ index, category, owner, title, texts }, { dense }) => ({
          vectors: dense.map((vector) => Array.from(vector)),
          documents: texts.map(
            (pageContent, position) =>
              new Document({
                pageContent,
                id: String(index * CHUNKS_PER_DOCUMENT + position),
                metadata: { title, category, owner },
              }),
          ),
        }),
        async add(prepared) {
          vectors.push(...prepared.vectors);
          documents.push(...prepared.documents);
          if (vectors.length >= BATCH) await flush();
        },
        finish: flush,
        legs: {
          dense: (query) => dense(query),
          dense10: (query) => dense(query, ({ metadata }) => metadata.category === query.category),
          dense05: (query) => dense(query, ({ metadata }) => metadata.owner === query.owner),
        },
      };
    },
  };
}
