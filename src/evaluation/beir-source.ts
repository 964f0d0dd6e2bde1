/** The corpus of a BEIR collection as a source: one document a line. */
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { RagError } from '../core/errors.ts';
import { sha256 } from '../core/identity.ts';
import type { Source, SourceChange } from '../core/contracts.ts';
import { beirUri, corpusFile, parseRecord, type BeirRecord } from './beir.ts';
import { readLines } from './json-lines.ts';

/**
 * A document's text is the record's text alone; the title goes into `metadata.title`. Its path is the file's name,
 * the same for all: an id is not text, and a keyword search that reads paths must not find documents by it.
 */
export function beirSource(folder: string): Source {
  const id = basename(resolve(folder));
  return {
    id,
    address: folder,
    async *changes(known, options) {
      const file = corpusFile(folder);
      await requireCorpus(file, folder);
      const seen = new Set<string>();
      for await (const line of readLines(file)) {
        if (options?.signal?.aborted) throw new RagError('aborted', 'Stopped.');
        const failed = (message: string): SourceChange => ({
          type: 'failure',
          path: `corpus.jsonl:${line.number}`,
          message,
        });
        const record = readRecord(folder, line.text);
        if ('problem' in record) {
          yield failed(record.problem);
        } else if (seen.has(record.uri)) {
          yield failed(`the id ${record.id} occurs twice`);
        } else {
          seen.add(record.uri);
          yield toChange(id, record, sha256(line.text), known.get(record.uri)?.revision);
        }
      }
      for (const uri of known.keys()) if (!seen.has(uri)) yield { type: 'delete', uri };
    },
    siblings: () => ({ read: () => Promise.resolve(undefined) }),
  };
}

interface CorpusRecord extends BeirRecord {
  readonly uri: string;
}

function readRecord(folder: string, line: string): CorpusRecord | { readonly problem: string } {
  try {
    const record = parseRecord(line);
    return { ...record, uri: beirUri(folder, record.id) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function toChange(
  sourceId: string,
  record: CorpusRecord,
  revision: string,
  knownRevision: string | undefined,
): SourceChange {
  const { uri, title, text } = record;
  const path = 'corpus.jsonl';
  if (revision === knownRevision) return { type: 'unchanged', uri };
  return {
    type: 'upsert',
    uri,
    path,
    stamp: revision,
    read: () =>
      Promise.resolve({
        sourceId,
        uri,
        path,
        revision,
        mediaType: 'text/plain',
        // Some collections have records of a title only; it is then what there is to find.
        body: new TextEncoder().encode(text.trim() === '' ? title : text),
        metadata: { title },
      }),
  };
}

async function requireCorpus(file: string, folder: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile() !== true) {
    throw new RagError('source-missing', `${folder} has no corpus.jsonl.`, {
      hint: 'Give the folder of a BEIR collection.',
    });
  }
}
