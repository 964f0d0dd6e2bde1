/** sources → documents → chunks → vectors → store. One transaction a file; readers switch when the run is published. */
import type { CallOptions, Source, SourceChange, StoredDocument } from '../core/contracts.ts';
import { isRagError, RagError } from '../core/errors.ts';
import type { IngestProgress, SourceReport } from '../core/results.ts';
import type { Chunk, Document, EmbeddedChunk, RawDocument } from '../core/types.ts';
import { detectLanguage } from '../text/languages.ts';
import { derive } from './derive.ts';
import type { Embedding, IngestParts } from './parts.ts';
import { passageText } from './passage-text.ts';
import { reportBuilder } from './report.ts';
import type { ReportBuilder } from './report.ts';

export interface IngestOptions extends CallOptions {
  readonly onProgress?: (progress: IngestProgress) => void;
  /** The store is new and will replace another: what it lacks would be lost. */
  readonly rebuild?: boolean;
}

/** Brings the store up to date with each source, then publishes. What was stored before an abort or a kill is kept. */
export async function ingest(
  sources: readonly Source[],
  parts: IngestParts,
  options: IngestOptions = {},
): Promise<SourceReport[]> {
  const reports: ReportBuilder[] = [];
  for (const source of sources) {
    const report = reportBuilder(source);
    reports.push(report);
    try {
      await sync(source, parts, report, options);
    } catch (error) {
      // One source of several that cannot be reached costs itself only; what the index holds of it stays.
      const only = sources.length === 1 || options.rebuild === true;
      if (only || !isRagError(error) || !error.code.startsWith('source-')) throw error;
      report.failed(source.address, error.message);
    }
  }
  options.onProgress?.({ phase: 'publish', source: '', done: 0 });
  await parts.store.publish();
  return Promise.all(reports.map((report) => report.finish(parts.store)));
}

async function sync(source: Source, parts: IngestParts, report: ReportBuilder, options: IngestOptions): Promise<void> {
  const known = await parts.store.revisions(source.id);
  for await (const change of source.changes(known, options)) {
    options.signal?.throwIfAborted();
    await apply(change, source, parts, report, options, known.has(uriOf(change)));
    options.onProgress?.(report.progress());
  }
}

const uriOf = (change: SourceChange): string => ('uri' in change ? change.uri : '');

async function apply(
  change: SourceChange,
  source: Source,
  parts: IngestParts,
  report: ReportBuilder,
  options: IngestOptions,
  known: boolean,
): Promise<void> {
  switch (change.type) {
    case 'listed':
      report.listed(change.total);
      return;
    case 'unchanged':
      if (change.stamp !== undefined) await parts.store.touch(source.id, change.uri, change.stamp);
      report.unchanged();
      return;
    case 'delete':
      await parts.store.remove(source.id, change.uri);
      report.deleted();
      return;
    case 'exclude':
      report.excluded(change.exclusion);
      return;
    case 'warning':
      report.warning(change.warning);
      return;
    case 'failure':
      report.failed(change.path, change.message);
      return;
    case 'upsert':
      try {
        const raw = await change.read(options);
        const stored = await toStored(raw, source, parts, report, options);
        if (stored === undefined) return;
        await parts.store.replace(
          { sourceId: source.id, uri: change.uri, path: change.path, revision: raw.revision, stamp: change.stamp },
          stored,
        );
        report.stored(known);
      } catch (error) {
        // A bad document costs itself only; a full disk or an abort ends the run.
        if (options.signal?.aborted === true || (isRagError(error) && STOPS_THE_RUN.has(error.code))) throw error;
        report.failed(change.path, error instanceof Error ? error.message : String(error));
      }
  }
}

const STOPS_THE_RUN = new Set([
  'storage-failed',
  'index-damaged',
  'index-locked',
  'index-mismatch',
  'aborted',
  'driver-unavailable',
  'driver-missing',
]);

/** Parses, chunks and embeds one file: as many documents as it holds. */
async function toStored(
  raw: RawDocument,
  source: Source,
  parts: IngestParts,
  report: ReportBuilder,
  options: CallOptions,
): Promise<StoredDocument[] | undefined> {
  const parser = parts.parserFor(raw.mediaType);
  if (parser === undefined) {
    report.excluded({ path: raw.path, reason: 'no-parser', detail: raw.mediaType });
    return undefined;
  }
  const stored: StoredDocument[] = [];
  for await (const parsed of parser.parse(raw, source.siblings(raw.uri))) {
    const language = parsed.language === '' ? languageOf(parsed, parts) : parsed.language;
    const document = derive({ ...parsed, language }, parts.settings.parse.derive);
    report.warned(document);
    stored.push({ document, chunks: await embed(await parts.chunker.chunk(document, options), parts, options) });
  }
  return stored;
}

function languageOf(document: Document, parts: IngestParts): string {
  const { language } = parts.settings.analyze;
  return language === 'auto' ? detectLanguage(document.text.slice(bodyStart(document))) : language;
}

/** Front matter is not prose: detection starts behind it. */
const bodyStart = (document: Document): number => {
  const [first] = document.exclusions;
  return first?.reason === 'front-matter' && first.span.start === 0 ? first.span.end : 0;
};

/** Two vectors a chunk, of its context and words and of its headings alone; and one for each further model. */
export async function embed(
  chunks: readonly Chunk[],
  parts: Embedding & Pick<IngestParts, 'settings'>,
  options: CallOptions,
): Promise<EmbeddedChunk[]> {
  if (chunks.length === 0) return [];
  const { embedder, also, sparse, settings } = parts;
  const texts = chunks.map(passageText);
  const spaces: [string, readonly Float32Array[]][] = [];
  if (embedder !== undefined) spaces.push(['dense', await embedder.embed(texts, 'passage', options)]);
  if (embedder !== undefined && settings.embed.headings) {
    const contexts = [...new Set(chunks.map(({ context }) => context))];
    const vectors = await embedder.embed(contexts, 'passage', options);
    const byContext = new Map(contexts.map((context, i) => [context, vectorAt(vectors, i)]));
    spaces.push(['heading', chunks.map(({ context }) => byContext.get(context) as Float32Array)]);
  }
  for (const { name, embedder: other } of also) spaces.push([name, await other.embed(texts, 'passage', options)]);
  const weights = await sparse?.embed(texts, 'passage', options);
  return chunks.map((chunk, i) => {
    const dense = Object.fromEntries(spaces.map(([name, vectors]) => [name, vectorAt(vectors, i)]));
    return {
      chunk,
      vectors: { dense, ...(weights === undefined ? {} : { sparse: { sparse: vectorAt(weights, i) } }) },
    };
  });
}

function vectorAt<T>(vectors: readonly T[], index: number): T {
  const vector = vectors[index];
  if (vector === undefined) throw new RagError('internal', 'the embedder returned fewer vectors than texts');
  return vector;
}
