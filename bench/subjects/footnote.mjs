/** The product itself, as `npm run build` made it: its default store, its fusion, its default settings. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fuse } from '../../dist/pipeline/fuse.js';
import { retrieve } from '../../dist/pipeline/retrieve.js';
import { defaultPreset } from '../../dist/presets/default.js';
import embeddedStore from '../../dist/stores/embedded/index.js';
import { rowOf } from '../corpus.mjs';

const FILE = 'index-000001.sqlite';
const TOP = 30;

const { name: preset, description: _, ...presetSettings } = defaultPreset;
export const SETTINGS = { preset, sources: [], ...presetSettings };

/** @param spaces `['dense']`, or `['dense', 'heading']` as the default preset has them */
export default function footnote(spaces) {
  const inFolder = async (folder, mode) => {
    const store = embeddedStore({ path: join(folder, FILE) });
    await store.open(JSON.parse(readFileSync(join(folder, 'schema.json'), 'utf8')), mode);
    return store;
  };

  return {
    spaces,
    persistent: true,
    rowOf,

    /** An index folder that the engine opens too. */
    async create(folder) {
      const [{ writeManifest }, { default: builtIn }] = await Promise.all([
        import('../../dist/workspace.js'),
        import('../../dist/embedders/built-in.js'),
      ]);
      const { parse, chunk, embed, analyze, store } = SETTINGS;
      const { model, dimensions } = await builtIn();
      const schema = {
        spaces: Object.fromEntries(spaces.map((space) => [space, { model, dimensions }])),
        analyzer: analyze,
        settings: { parse, chunk, embed },
      };
      mkdirSync(folder);
      writeFileSync(join(folder, 'schema.json'), JSON.stringify(schema));
      const settings = { parse, chunk, embed, analyze, store };
      await writeManifest(folder, { format: 1, active: FILE, preset, settings, sources: [] });
    },

    async openWriter(folder) {
      const [store, { toStored }] = await Promise.all([inFolder(folder, 'write'), import('./stored-document.mjs')]);
      return {
        prepare: (document, vectors) => toStored(document, vectors, spaces),
        add: ({ origin, stored }) => store.replace(origin, [stored]),
        async replace({ origin, stored }) {
          await store.replace(origin, [stored]);
          await store.publish();
        },
        async finish() {
          await store.publish();
          await store.close();
        },
      };
    },

    async openReader(folder) {
      const store = await inFolder(folder, 'read');
      const ids = (run) => run.hits.map(({ chunkId }) => chunkId);
      const dense = async ({ vector }, filter) =>
        ids(await store.search({ leg: 'dense', space: 'dense', vector, topK: TOP, ...(filter && { filter }) }));
      const hybrid = async ({ text, vector }, topK) => {
        const legs = [
          { leg: 'keyword', query: { leg: 'keyword', text, ...SETTINGS.retrieve.bm25, topK } },
          ...spaces.map((space) => ({ leg: space, query: { leg: 'dense', space, vector, topK } })),
        ];
        return fuse(await retrieve({ legs }, store), SETTINGS.fuse, topK).map(({ chunkId }) => chunkId);
      };
      return {
        legs: {
          dense: (query) => dense(query),
          dense10: (query) => dense(query, { category: query.category }),
          dense05: (query) => dense(query, { owner: query.owner }),
          keyword: async ({ text }) =>
            ids(await store.search({ leg: 'keyword', text, ...SETTINGS.retrieve.bm25, topK: TOP })),
          hybrid: (query) => hybrid(query, TOP),
          hybridDeep: (query) => hybrid(query, SETTINGS.retrieve.depth),
        },
        texts: async (chunkIds) => (await store.chunks(chunkIds)).map(({ text }) => text),
        close: () => store.close(),
      };
    },
  };
}
