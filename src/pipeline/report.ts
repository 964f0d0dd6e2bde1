/** Counts and lists of one source's run: nothing that was left out, failed or warned is lost. */
import type { DocumentSummary, Source, Store } from '../core/contracts.ts';
import type { IngestProgress, SourceReport } from '../core/results.ts';
import type { Document, Exclusion, Warning } from '../core/types.ts';

export interface ReportBuilder {
  listed(total: number): void;
  unchanged(): void;
  deleted(): void;
  excluded(exclusion: Exclusion): void;
  failed(path: string, message: string): void;
  warned(document: Document): void;
  /** A warning of the source itself. */
  warning(warning: Warning): void;
  /** `known`: the index held this address before. */
  stored(known: boolean): void;
  progress(): IngestProgress;
  finish(store: Store): Promise<SourceReport>;
}

export function reportBuilder(source: Source): ReportBuilder {
  const counts = { added: 0, updated: 0, unchanged: 0, deleted: 0, read: 0 };
  const failures: { path: string; message: string }[] = [];
  const exclusions: Exclusion[] = [];
  const warnings: Warning[] = [];
  let expected: number | undefined;
  const done = (): number => counts.read + counts.unchanged + failures.length;
  return {
    listed: (total) => {
      expected = total;
    },
    unchanged: () => {
      counts.unchanged++;
    },
    deleted: () => {
      counts.deleted++;
    },
    excluded: (exclusion) => void exclusions.push(exclusion),
    failed: (path, message) => void failures.push({ path, message }),
    warned: (document) =>
      void warnings.push(...document.warnings.map((warning) => ({ uri: document.uri, ...warning }))),
    warning: (warning) => void warnings.push(warning),
    stored(known) {
      counts.read++;
      counts[known ? 'updated' : 'added']++;
    },
    progress: () => ({
      phase: 'index',
      source: source.id,
      done: done(),
      ...(expected === undefined ? {} : { total: Math.max(expected, done()) }),
    }),
    async finish(store) {
      const documents = await store.documents(source.id);
      exclusions.push(...(await textless(store, documents)));
      if (documents.length === 0 && failures.length === 0) {
        const why = exclusions.length === 0 ? 'it holds no file' : 'everything in it was left out';
        warnings.push({ code: 'source-empty', message: `nothing of ${source.address} is in the index: ${why}` });
      }
      return { source: source.id, address: source.address, ...counts, failures, exclusions, warnings };
    },
  };
}

/** Documents that are in the index without a chunk: empty ones, and drafts. They are listed in every run. */
async function textless(store: Store, documents: readonly DocumentSummary[]): Promise<Exclusion[]> {
  const found: Exclusion[] = [];
  for (const summary of documents) {
    if (summary.chunks > 0) continue;
    const document = await store.document(summary.id);
    const draft = document?.exclusions.some(({ reason }) => reason === 'draft') === true;
    found.push({ path: summary.path, reason: draft ? 'draft' : 'empty' });
  }
  return found;
}
