/** The engine behind every surface: it opens what the settings name, on first use, and runs the two pipelines. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { CallOptions, DocumentSummary, IndexSchema, Store } from './core/contracts.ts';
import { isRagError, RagError } from './core/errors.ts';
import type {
  AskRequest,
  IndexStatus,
  IngestProgress,
  IngestReport,
  SearchRequest,
  SearchResult,
} from './core/results.ts';
import type { Settings } from './core/settings.ts';
import type { Answer, AnswerEvent, Document, Warning } from './core/types.ts';
import { answer, collect } from './pipeline/answer.ts';
import { confidenceFor } from './confidence-models.ts';
import type { AnswerParts, IngestParts, SearchParts } from './pipeline/parts.ts';
import { search } from './pipeline/search.ts';
import { openChunker, openEmbedder, openGenerator, openParsers, openSource, openStore } from './registry.ts';
import type { AnySource } from './registry.ts';
import { createAnalyzer } from './text/analyze.ts';
import { ingestIntoFolder, LAST_SYNC } from './sync.ts';
import { readManifest } from './workspace.ts';

export interface IngestRequest extends CallOptions {
  /** Sources to add or to sync; without them, all that the index and the settings name. */
  readonly sources?: readonly AnySource[];
  /** Ids of sources to take out. */
  readonly remove?: readonly string[];
  /** Build everything anew beside the old index, and switch at the end. */
  readonly rebuild?: boolean;
  readonly onProgress?: (progress: IngestProgress) => void;
}

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
}

export function createEngine({ folder, settings }: EngineOptions): Promise<Engine> {
  const drivers = openOnce(settings);
  const warnings: Warning[] = [];
  let reader: Promise<Store> | undefined;

  const openReader = async (): Promise<Store> => {
    if (settings.store.use === 'memory') return drivers.memoryStore();
    const active = (await readManifest(folder))?.active ?? null;
    if (active === null) throw noIndex(`there is no index in ${folder}`);
    const store = await openStore(settings, join(folder, active), (warning) => warnings.push(warning));
    try {
      await store.open(await drivers.schema(), 'read');
    } catch (error) {
      // A rebuild has just switched to another store, and removed this one.
      const switched =
        isRagError(error) && error.code === 'index-missing' && (await readManifest(folder))?.active !== active;
      if (switched) return openReader();
      throw error;
    }
    if ((await store.generation()) === 0) {
      await store.close();
      throw noIndex(`the first ingest into ${folder} has not finished`, 'footnote ingest goes on from there');
    }
    return store;
  };
  const readingParts = async (): Promise<SearchParts> => {
    reader ??= openReader();
    const [store, base] = await Promise.all([reader, drivers.searching()]);
    return { ...base, store, warnings };
  };
  const answerParts = async (): Promise<AnswerParts> => {
    const [parts, generator] = await Promise.all([readingParts(), drivers.generator()]);
    return {
      ...parts,
      generator,
      newId: () => randomBytes(16).toString('hex'),
      async sourceOf(sourceId) {
        const definition = (await readManifest(folder))?.sources.find(({ id }) => id === sourceId);
        return definition === undefined ? undefined : openSource(definition, settings, join(folder, 'git'));
      },
    };
  };
  async function* stream(request: AskRequest, options: CallOptions = {}): AsyncGenerator<AnswerEvent> {
    yield* answer(request, await answerParts(), options);
  }

  return Promise.resolve({
    settings,
    async ingest(request = {}) {
      const report = await ingestIntoFolder(request, { folder, settings, drivers });
      // The next search opens what is current now.
      const old = await reader?.catch(() => undefined);
      reader = undefined;
      if (settings.store.use !== 'memory') await old?.close();
      return report;
    },
    search: async (request, options) => search(request, await readingParts(), options),
    stream,
    ask: (request, options) => collect(stream(request, options)),
    async document(id) {
      reader ??= openReader();
      return (await reader).document(id);
    },
    async documents() {
      reader ??= openReader();
      return (await reader).documents();
    },
    async status() {
      reader ??= openReader();
      return status(folder, settings, await reader);
    },
    async close() {
      await (await reader?.catch(() => undefined))?.close();
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

/** The drivers of one engine, each opened once, and only those that the work at hand needs. */
export interface Drivers {
  schema(): Promise<IndexSchema>;
  searching(): Promise<Omit<SearchParts, 'store' | 'warnings'>>;
  ingesting(): Promise<Omit<IngestParts, 'store'>>;
  generator(): Promise<AnswerParts['generator']>;
  memoryStore(): Promise<Store>;
}

function openOnce(settings: Settings): Drivers {
  const once = <T>(open: () => Promise<T>): (() => Promise<T>) => {
    let opened: Promise<T> | undefined;
    return () => (opened ??= open());
  };
  const embedder = once(() => openEmbedder(settings));
  const analyzer = createAnalyzer(settings.analyze);
  const schema = once(async () => schemaOf(settings, await embedder()));
  return {
    schema,
    searching: once(async () => ({
      settings,
      analyzer,
      embedder: await embedder(),
      confidence: await confidenceFor(settings, await embedder()),
    })),
    ingesting: once(async () => {
      const [parsers, chunker] = [await openParsers(settings), await openChunker(settings, await embedder())];
      return {
        settings,
        embedder: await embedder(),
        chunker,
        parserFor: (mediaType: string) => parsers.find((parser) => parser.mediaTypes.includes(mediaType)),
      };
    }),
    generator: once(async () => openGenerator(settings, analyzer, await embedder())),
    memoryStore: once(async () => {
      const store = await openStore(settings, '');
      await store.open(await schema(), 'write');
      return store;
    }),
  };
}

function schemaOf(settings: Settings, embedder: SearchParts['embedder']): IndexSchema {
  const { parse, chunk, embed, analyze } = settings;
  const space = embedder === undefined ? undefined : { model: embedder.model, dimensions: embedder.dimensions };
  return {
    spaces: space === undefined ? {} : { dense: space, ...(embed.headings ? { heading: space } : {}) },
    analyzer: analyze,
    settings: { parse, chunk, embed },
  };
}
