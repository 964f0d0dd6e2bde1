/** Driver name → how to open it. The only file that knows every driver; each is imported on first use. */
import type {
  Chunker,
  Embedder,
  Generator,
  Parser,
  Reranker,
  Source,
  SparseEmbedder,
  Store,
} from './core/contracts.ts';
import type { ChunkerOptions } from './chunkers/options.ts';
import type { EmbedderSettings, Settings } from './core/settings.ts';
import type { Warning } from './core/types.ts';
import { withWindows } from './embedders/windowed.ts';
import type { EmbeddingCache } from './embedding-cache.ts';
import type { OnnxOptions } from './onnx/open.ts';
import type { SourceDefinition } from './sources/address.ts';
import type { Analyzer } from './text/analyze.ts';

/** What `ingest` takes, and the corpus of an evaluation, which only `eval` makes. */
export type AnySource = SourceDefinition | { readonly use: 'beir'; readonly id: string; readonly from: string };

/** Where a source is, however it was written: `docs`, `./docs` and `docs/` are one. */
export function placeOf(source: AnySource): string {
  switch (source.use) {
    case 'folder':
      return source.path;
    case 'git':
      return `git:${source.repository}#${source.ref ?? ''}:${source.subdir ?? ''}`;
    case 'beir':
      return source.from;
  }
}

export async function openSource(definition: AnySource, settings: Settings, cacheFolder: string): Promise<Source> {
  const { maxFileBytes } = settings.parse;
  switch (definition.use) {
    case 'folder':
      return (await import('./sources/folder.ts')).default(definition, { maxFileBytes });
    case 'beir':
      return (await import('./evaluation/beir-source.ts')).beirSource(definition.from);
    case 'git':
      return (await import('./sources/git.ts')).default(definition, { maxFileBytes, cacheFolder });
  }
}

export async function openParsers(settings: Settings): Promise<readonly Parser[]> {
  const [markdown, plainText, wiki, faq] = await Promise.all([
    import('./parsers/markdown.ts'),
    import('./parsers/plain-text.ts'),
    import('./parsers/wiki.ts'),
    import('./parsers/faq.ts'),
  ]);
  return [markdown.default(settings.parse), plainText.default(settings.parse), wiki.default(), faq.default()];
}

/**
 * @param also Further embedders of the same chunks.
 * @throws RagError `setting-invalid` when chunks may be longer than an embedder takes, and `chunk.overlong` is `refuse`
 */
export async function openChunker(
  settings: Settings,
  embedder: Embedder | undefined,
  also: readonly Embedder[] = [],
): Promise<Chunker> {
  const [{ refuseOverlong }, { searchableText }, { wikiText }] = await Promise.all([
    import('./chunkers/overlong.ts'),
    import('./parsers/searchable.ts'),
    import('./parsers/wiki-text.ts'),
  ]);
  refuseOverlong(settings.chunk, embedder === undefined ? also : [embedder, ...also]);
  // Without an embedder there is no limit to keep; its tokenizer still counts, so that chunks are the same.
  const counter = embedder ?? (await openBuiltIn());
  const options: ChunkerOptions = {
    ...settings.chunk,
    countTokens: (text) => counter.countTokens(text),
    searchable: (slice, as) => (as === 'wiki' ? wikiText(slice) : searchableText(slice, as === 'verbatim')),
  };
  switch (settings.chunk.use) {
    case 'markdown-sections':
      return (await import('./chunkers/markdown-sections.ts')).default(options);
    case 'fixed-tokens':
      return (await import('./chunkers/fixed-tokens.ts')).default(options);
    case 'two-tier':
      return (await import('./chunkers/two-tier.ts')).default(options);
    case 'fenced-tokens':
      return (await import('./chunkers/fenced-tokens.ts')).default(options);
    case 'semantic':
      return (await import('./chunkers/semantic.ts')).default({ ...options, embedder: counter });
  }
}

/** @param adapted Path of the built-in model as the index has adapted it; other models are as they are. */
export async function openEmbedder(
  settings: Settings,
  cache?: EmbeddingCache,
  adapted?: string,
): Promise<Embedder | undefined> {
  const { use, ...rest } = settings.embed;
  if (use === 'built-in') return openBuiltIn(adapted);
  return use === 'none' ? undefined : openAlsoEmbedder({ ...rest, use }, settings, cache);
}

/** The embedder of one space. */
export async function openAlsoEmbedder(
  embedder: EmbedderSettings,
  settings: Settings,
  cache?: EmbeddingCache,
): Promise<Embedder> {
  // A third of a millisecond a text (1,500 characters): a file of vectors would save nothing that anybody notices.
  if (embedder.use === 'built-in') return openBuiltIn();
  const opened = await openModel(embedder, settings);
  // Local models make windows themselves, of the tokens that they read.
  const windowed = embedder.use === 'onnx' ? opened : withWindows(opened);
  return cache === undefined ? windowed : cache.wrap(windowed);
}

async function openModel(embedder: EmbedderSettings, settings: Settings): Promise<Embedder> {
  const service = { settings: embedder, http: settings.http, environment: process.env };
  switch (embedder.use) {
    case 'built-in':
      return openBuiltIn();
    case 'onnx': {
      const { model, dimensions } = embedder;
      return (await import('./embedders/onnx/index.ts')).default({ model, dimensions, ...running(settings) });
    }
    case 'openai':
      return (await import('./embedders/openai.ts')).default(service);
    case 'cohere':
      return (await import('./embedders/cohere.ts')).default(service);
    case 'voyage':
      return (await import('./embedders/voyage.ts')).default(service);
    case 'ollama':
      return (await import('./embedders/ollama.ts')).default(service);
  }
}

/** Where and how models run on this machine. */
const running = ({ models: { device, workers, folder, hub, offline } }: Settings): Omit<OnnxOptions, 'model'> => ({
  device,
  threads: workers,
  modelsFolder: folder,
  hubUrl: hub,
  offline,
});

export async function openSparseEmbedder(settings: Settings): Promise<SparseEmbedder | undefined> {
  const { use, model } = settings.embed.sparse;
  if (use === 'none') return undefined;
  return (await import('./embedders/splade.ts')).default({ model, ...running(settings) });
}

/** @param writer The language model, for a judge; undefined where the generator cannot write. */
export async function openReranker(
  settings: Settings,
  writer: () => Promise<Generator | undefined>,
): Promise<Reranker | undefined> {
  const service = { settings: settings.rerank, http: settings.http, environment: process.env };
  switch (settings.rerank.use) {
    case 'none':
      return undefined;
    case 'late-interaction':
      return openLateInteraction();
    case 'jina':
      return (await import('./rerankers/jina.ts')).default(service);
    case 'cohere':
      return (await import('./rerankers/cohere.ts')).default(service);
    case 'voyage':
      return (await import('./rerankers/voyage.ts')).default(service);
    case 'judge':
      return (await import('./rerankers/judge.ts')).default({ writer, model: 'judge' });
    case 'onnx':
      return (await import('./rerankers/onnx/index.ts')).default({
        model: settings.rerank.model,
        ...running(settings),
      });
  }
}

export async function openLateInteraction(): Promise<Reranker> {
  return (await import('./rerankers/late-interaction.ts')).default();
}

/** Counts tokens as the built-in embedder does: word pieces of BERT uncased. */
export async function builtInTokenizer(): Promise<(text: string) => number> {
  const builtIn = await openBuiltIn();
  return (text) => builtIn.countTokens(text);
}

async function openBuiltIn(adapted?: string): Promise<Embedder> {
  return (await import('./embedders/built-in.ts')).default(adapted);
}

export async function openStore(
  settings: Settings,
  path: string,
  onWarning: (warning: Warning) => void = () => undefined,
): Promise<Store> {
  switch (settings.store.use) {
    case 'embedded':
      return (await import('./stores/embedded/index.ts')).default({ path, onWarning });
    case 'memory':
      return (await import('./stores/memory.ts')).default();
  }
}

/** Sentences are compared by the built-in model, whatever the index has: a service would be paid for every answer. */
export async function openGenerator(settings: Settings, analyzer: Analyzer): Promise<Generator> {
  const [{ default: extractive }, { searchableText }] = await Promise.all([
    import('./generators/extractive/index.ts'),
    import('./parsers/searchable.ts'),
  ]);
  const embedder = settings.embed.use === 'none' ? undefined : await openBuiltIn();
  return extractive({ maxWords: settings.generate.maxWords, analyzer, embedder, searchable: searchableText });
}
