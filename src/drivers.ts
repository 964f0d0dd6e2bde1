/** The drivers that the settings name, each opened once, and only those that the work at hand needs. */
import { confidenceFor } from './confidence-models.ts';
import type { Embedder, Generator, IndexSchema, Store } from './core/contracts.ts';
import type { Settings } from './core/settings.ts';
import type { EmbeddingCache } from './embedding-cache.ts';
import { readImportance } from './importance.ts';
import type { AnswerParts, Embedding, IngestParts, SearchParts } from './pipeline/parts.ts';
import {
  openAlsoEmbedder,
  openChunker,
  openEmbedder,
  openGenerator,
  openLateInteraction,
  openParsers,
  openReranker,
  openSparseEmbedder,
  openStore,
} from './registry.ts';
import { createAnalyzer } from './text/analyze.ts';

/**
 * An index that has adapted the built-in model has it in a file beside its store (`adaptedModelOf`); its path is given
 * where the model matters; without it is meant the model as it ships.
 */
export interface Drivers {
  schema(adapted?: string): Promise<IndexSchema>;
  searching(adapted?: string): Promise<Omit<SearchParts, 'store' | 'warnings'>>;
  ingesting(adapted?: string): Promise<Omit<IngestParts, 'store'>>;
  generator(): Promise<AnswerParts['generator']>;
  memoryStore(): Promise<Store>;
  /** Texts embedded so far by models other than the built-in one, and those found in the cache. */
  embedded(): { readonly computed: number; readonly kept: number };
  /** Ends what was opened: worker threads, connections, files. */
  close(): Promise<void>;
}

export function openOnce(
  settings: Settings,
  { cache, folder }: { readonly cache?: EmbeddingCache; readonly folder?: string } = {},
): Drivers {
  const opened = new Set<{ close?(): Promise<void> }>();
  const closing = <T extends { close?(): Promise<void> } | undefined>(driver: T): T => {
    if (driver !== undefined) opened.add(driver);
    return driver;
  };
  const embedder = onceEach(async (adapted) => closing(await openEmbedder(settings, cache, adapted)));
  const others = once(async (): Promise<Omit<Embedding, 'embedder'>> => ({
    also: await Promise.all(
      settings.embed.also.map(async (also) => ({
        name: also.name,
        embedder: closing(await openAlsoEmbedder(also, settings, cache)),
      })),
    ),
    sparse: closing(await openSparseEmbedder(settings)),
  }));
  const embedding = async (adapted: string | undefined): Promise<Embedding> => ({
    embedder: await embedder(adapted),
    ...(await others()),
  });
  const analyzer = createAnalyzer(settings.analyze);
  const schema = onceEach(async (adapted) => schemaOf(settings, await embedding(adapted)));
  const reranker = once(async () => closing(await openReranker(settings, writer)));
  const lateInteraction = once(() => openLateInteraction());
  const generator = once(async () => openGenerator(settings, analyzer));
  const writer = async (): Promise<Generator | undefined> => {
    const opened = await generator();
    return opened.write === undefined ? undefined : opened;
  };
  return {
    schema,
    searching: onceEach(async (adapted) => ({
      settings,
      analyzer,
      ...(await embedding(adapted)),
      importance: async () => (folder === undefined ? new Map<string, number>() : readImportance(folder)),
      reranker,
      lateInteraction,
      writer,
      confidence: await confidenceFor(settings, await embedder(adapted)),
    })),
    ingesting: onceEach(async (adapted) => {
      const { embedder: main, also } = await embedding(adapted);
      const parsers = await openParsers(settings);
      const chunker = await openChunker(
        settings,
        main,
        also.map((other) => other.embedder),
      );
      return {
        settings,
        ...(await embedding(adapted)),
        chunker,
        parserFor: (mediaType: string) => parsers.find((parser) => parser.mediaTypes.includes(mediaType)),
      };
    }),
    generator,
    memoryStore: once(async () => {
      const store = await openStore(settings, '');
      await store.open(await schema(), 'write');
      return store;
    }),
    embedded: () => ({ computed: cache?.counts.misses ?? 0, kept: cache?.counts.hits ?? 0 }),
    async close() {
      await Promise.all([...opened].map(async (driver) => driver.close?.()));
      opened.clear();
      cache?.close();
    },
  };
}

/** What could not be opened is tried again: a server may have been started meanwhile. */
function once<T>(open: () => Promise<T>): () => Promise<T> {
  let opening: Promise<T> | undefined;
  return () =>
    (opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    }));
}

/** {@link once} for each adapted model. */
function onceEach<T>(open: (adapted: string | undefined) => Promise<T>): (adapted?: string) => Promise<T> {
  const opened = new Map<string | undefined, () => Promise<T>>();
  return (adapted) => {
    const known = opened.get(adapted) ?? once(() => open(adapted));
    opened.set(adapted, known);
    return known();
  };
}

function schemaOf(settings: Settings, { embedder, also, sparse }: Embedding): IndexSchema {
  const { parse, chunk, embed, analyze } = settings;
  const spaceOf = ({ model, dimensions }: Embedder): IndexSchema['spaces'][string] => ({ model, dimensions });
  return {
    spaces: {
      ...(embedder === undefined ? {} : { dense: spaceOf(embedder) }),
      ...(embedder === undefined || !embed.headings ? {} : { heading: spaceOf(embedder) }),
      ...Object.fromEntries(also.map((each) => [each.name, spaceOf(each.embedder)])),
    },
    ...(sparse === undefined ? {} : { sparse: { sparse: { model: sparse.model } } }),
    analyzer: analyze,
    settings: { parse, chunk, embed },
  };
}
