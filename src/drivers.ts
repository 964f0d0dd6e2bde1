/** The drivers that the settings name, each opened once, and only those that the work at hand needs. */
import { confidenceFor } from './confidence-models.ts';
import type { IndexSchema, Store } from './core/contracts.ts';
import type { Settings } from './core/settings.ts';
import type { AnswerParts, IngestParts, SearchParts } from './pipeline/parts.ts';
import { openChunker, openEmbedder, openGenerator, openParsers, openStore } from './registry.ts';
import { createAnalyzer } from './text/analyze.ts';

export interface Drivers {
  schema(): Promise<IndexSchema>;
  searching(): Promise<Omit<SearchParts, 'store' | 'warnings'>>;
  ingesting(): Promise<Omit<IngestParts, 'store'>>;
  generator(): Promise<AnswerParts['generator']>;
  memoryStore(): Promise<Store>;
}

export function openOnce(settings: Settings): Drivers {
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
