/** The engine behind every surface: it opens what the settings name, on first use, and runs the two pipelines. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { CallOptions, DocumentSummary, Store } from './core/contracts.ts';
import { isRagError, RagError } from './core/errors.ts';
import type { AskRequest, IndexStatus, IngestReport, SearchRequest, SearchResult } from './core/results.ts';
import type { Settings } from './core/settings.ts';
import type { Answer, AnswerEvent, Document, Warning } from './core/types.ts';
import { answer, collect } from './pipeline/answer.ts';
import { adaptationOf, adaptIndex } from './adapt-index.ts';
import { openOnce } from './drivers.ts';
import { importanceTable, writeImportance } from './importance.ts';
import { embeddingCache } from './embedding-cache.ts';
import type { AnswerParts, SearchParts } from './pipeline/parts.ts';
import { search } from './pipeline/search.ts';
import { openSource, openStore } from './registry.ts';
import { sharedReader } from './shared-reader.ts';
import { ingestIntoFolder, LAST_SYNC } from './sync.ts';
import type { IngestRequest } from './sync.ts';
import { adaptedModelOf, readManifest } from './workspace.ts';

export interface Engine {
  readonly settings: Settings;
  ingest(request?: IngestRequest): Promise<IngestReport>;
  search(request: SearchRequest, options?: CallOptions): Promise<SearchResult>;
  stream(request: AskRequest, options?: CallOptions): AsyncIterable<AnswerEvent>;
  ask(request: AskRequest, options?: CallOptions): Promise<Answer>;
  document(id: string): Promise<Document | undefined>;
  /** All documents of the current generation. */
  documents(): Promise<readonly DocumentSummary[]>;
  status(): Promise<IndexStatus>;
  close(): Promise<void>;
}

export interface EngineOptions {
  /** The index folder, e.g. `/home/ann/notes/.footnote`. */
  readonly folder: string;
  readonly settings: Settings;
  /** Where vectors are kept to be used again; default: the index folder. */
  readonly cacheFolder?: string;
}

export function createEngine({ folder, settings, cacheFolder = folder }: EngineOptions): Promise<Engine> {
  const warnings: Warning[] = [];
  const cache = embeddingCache({ settings, folder: cacheFolder, onWarning: (warning) => warnings.push(warning) });
  const drivers = openOnce(settings, { cache, folder: cacheFolder });
  const adaptedModels = new WeakMap<Store, string | undefined>();
  const openReader = async (): Promise<Store> => {
    if (settings.store.use === 'memory') return drivers.memoryStore();
    const active = (await readManifest(folder))?.active ?? null;
    if (active === null) throw noIndex(`there is no index in ${folder}`);
    const store = await openStore(settings, join(folder, active), (warning) => warnings.push(warning));
    try {
      const adapted = adaptedModelOf(folder, active);
      await store.open(await drivers.schema(adapted), 'read');
      adaptedModels.set(store, adapted);
    } catch (error) {
      // A rebuild has just switched to another store, and removed this one and its model.
      if (isRagError(error) && (await readManifest(folder))?.active !== active) return openReader();
      throw error;
    }
    if ((await store.generation()) === 0) {
      await store.close();
      throw noIndex(`the first ingest into ${folder} has not finished`, 'footnote ingest goes on from there');
    }
    return store;
  };
  const reader = sharedReader(openReader);
  const reading = async <T>(work: (store: Store) => Promise<T>): Promise<T> => {
    const { store, release } = await reader.acquire();
    try {
      return await work(store);
    } finally {
      release();
    }
  };
  const searchParts = async (store: Store): Promise<SearchParts> => ({
    ...(await drivers.searching(adaptedModels.get(store))),
    store,
    warnings,
  });
  const answerParts = async (store: Store): Promise<AnswerParts> => ({
    ...(await searchParts(store)),
    generator: await drivers.generator(),
    newId: () => randomBytes(16).toString('hex'),
    async sourceOf(sourceId) {
      const definition = (await readManifest(folder))?.sources.find(({ id }) => id === sourceId);
      return definition === undefined ? undefined : openSource(definition, settings, join(folder, 'git'));
    },
  });
  async function* stream(request: AskRequest, options: CallOptions = {}): AsyncGenerator<AnswerEvent> {
    const { store, release } = await reader.acquire();
    try {
      yield* answer(request, await answerParts(store), options);
    } finally {
      release();
    }
  }

  return Promise.resolve({
    settings,
    async ingest(request = {}) {
      const before = warnings.length;
      const table = request.importance === undefined ? undefined : await importanceTable(request.importance);
      const report = await ingestIntoFolder(request, { folder, settings, drivers });
      // The next search opens what is current now; those that run end with what they began with.
      if (settings.store.use !== 'memory') reader.renew();
      if (table !== undefined) await writeImportance(folder, table.values);
      const adaptation = await adaptIndex(request, { folder, settings, drivers });
      if (adaptation?.outcome === 'kept') reader.renew();
      const since = [...warnings.slice(before), ...(table?.warnings ?? [])];
      return {
        ...report,
        ...(adaptation === undefined ? {} : { adaptation }),
        ...(since.length === 0 ? {} : { warnings: since }),
      };
    },
    search: (request, options) => reading(async (store) => search(request, await searchParts(store), options)),
    stream,
    ask: (request, options) => collect(stream(request, options)),
    document: (id) => reading((store) => store.document(id)),
    documents: () => reading((store) => store.documents()),
    status: () => reading((store) => status(folder, settings, store)),
    async close() {
      await reader.close();
      await drivers.close();
    },
  });
}

const noIndex = (
  message: string,
  hint = 'make one with footnote ingest PATH, or name one with --index DIR',
): RagError => new RagError('index-missing', message, { hint });

async function status(folder: string, settings: Settings, store: Store): Promise<IndexStatus> {
  const [manifest, statistics, lastSync] = [
    await readManifest(folder),
    await store.statistics(),
    await store.get(LAST_SYNC),
  ];
  return {
    index: folder,
    preset: settings.preset,
    generation: statistics.generation,
    documents: statistics.documents,
    chunks: statistics.chunks,
    tokens: statistics.tokens,
    bytes: statistics.bytes,
    model: ((await store.get('model')) as string | undefined) ?? null,
    adaptation: await adaptationOf(store),
    store: settings.store.use,
    sources: (manifest?.sources ?? []).map(({ id, from }) => ({
      id,
      address: from,
      documents: 0,
      chunks: 0,
      ...statistics.sources[id],
    })),
    lastSync: (lastSync as IngestReport | undefined) ?? null,
  };
}
