/** An index in memory of texts that a test writes, made by the real parsers, chunker, embedder and pipeline. */
import type { Generator, GeneratorEvent, Source } from '../../src/core/contracts.ts';
import { sha256 } from '../../src/core/identity.ts';
import type { AskRequest, SearchRequest, SearchResult, SourceReport } from '../../src/core/results.ts';
import type { Settings } from '../../src/core/settings.ts';
import type { Answer, AnswerEvent, Document, Metadata } from '../../src/core/types.ts';
import { openOnce } from '../../src/drivers.ts';
import { answer } from '../../src/pipeline/answer.ts';
import { ingest } from '../../src/pipeline/ingest.ts';
import type { AnswerParts } from '../../src/pipeline/parts.ts';
import { search } from '../../src/pipeline/search.ts';
import { presetSettings } from '../../src/presets/preset-settings.ts';

/** By path; a page may have metadata of its source. */
export type Files = Readonly<Record<string, string | { readonly text: string; readonly metadata: Metadata }>>;

export interface Library {
  readonly parts: AnswerParts;
  readonly reports: readonly SourceReport[];
  search(query: string, request?: Omit<SearchRequest, 'query'>): Promise<SearchResult>;
  /** Paths of the hits, in order. */
  paths(query: string, request?: Omit<SearchRequest, 'query'>): Promise<readonly string[]>;
  /** All events of an answer, and the answer, which must be the last of them. */
  ask(question: string, over?: Partial<AnswerParts>, request?: Omit<AskRequest, 'question'>): Promise<Asked>;
  document(path: string): Promise<Document>;
}

export interface Asked {
  readonly events: readonly AnswerEvent[];
  readonly answer: Answer;
}

export const uriOf = (path: string): string => `file:///docs/${path}`;

export function source(files: Files): Source {
  const textOf = (path: string): string => {
    const file = files[path] ?? '';
    return typeof file === 'string' ? file : file.text;
  };
  return {
    id: 'docs',
    address: 'docs',
    async *changes() {
      for (const [path, file] of Object.entries(files)) {
        const body = new TextEncoder().encode(textOf(path));
        const metadata = typeof file === 'string' ? {} : file.metadata;
        const mediaType = /\.mdx?$/u.test(path)
          ? 'text/markdown'
          : path.endsWith('.txt')
            ? 'text/plain'
            : 'text/x-code';
        const common = { uri: uriOf(path), path };
        const raw = { ...common, sourceId: 'docs', revision: sha256(body), mediaType, body, metadata };
        yield { type: 'upsert', ...common, stamp: '', read: async () => raw };
      }
    },
    siblings: () => ({ read: async () => undefined }),
    currentRevision: async (uri) => sha256(textOf(uri.slice(uriOf('').length))),
  };
}

export async function library(files: Files, change: Partial<Settings> = {}): Promise<Library> {
  const settings: Settings = { ...presetSettings('default'), ...change, store: { use: 'memory' } };
  const drivers = openOnce(settings);
  const store = await drivers.memoryStore();
  const reports = await ingest([source(files)], { ...(await drivers.ingesting()), store });
  const parts: AnswerParts = {
    ...(await drivers.searching()),
    store,
    warnings: [],
    generator: await drivers.generator(),
    newId: () => 'id',
    sourceOf: async () => source(files),
  };
  return {
    parts,
    reports,
    search: (query, request) => search({ query, ...request }, parts),
    paths: async (query, request) => (await search({ query, ...request }, parts)).hits.map(({ chunk }) => chunk.path),
    async ask(question, over, request) {
      const events: AnswerEvent[] = [];
      for await (const event of answer({ question, ...request }, { ...parts, ...over })) events.push(event);
      const last = events.at(-1);
      if (last?.type !== 'answer-end') throw new Error(`ended with ${JSON.stringify(last)}`);
      return { events, answer: last.answer };
    },
    async document(path) {
      const summary = (await store.documents()).find((other) => other.path === path);
      const document = summary === undefined ? undefined : await store.document(summary.id);
      if (document === undefined) throw new Error(`${path} is not indexed`);
      return document;
    },
  };
}

/** A generator that says what the test wrote. */
export const saying = (...events: readonly GeneratorEvent[]): Generator => ({
  model: 'saying',
  async *generate() {
    yield* events;
  },
});
