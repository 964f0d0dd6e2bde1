/** Small documents, built so that all the promises of the vocabulary hold (spans, positions, ids). */
import type { IndexSchema, Origin, StoredDocument } from '../core/contracts.ts';
import { chunkId, documentId, sha256 } from '../core/identity.ts';
import type { Chunk, Document, Metadata, Section, SparseVector, Vectors } from '../core/types.ts';

export interface SampleSection {
  readonly heading: string;
  readonly text: string;
  /** By space; need not be of unit length. */
  readonly vectors?: Readonly<Record<string, readonly number[]>>;
  /** By space: weights by number of the vocabulary's entry. */
  readonly sparse?: Readonly<Record<string, Readonly<Record<number, number>>>>;
  readonly metadata?: Metadata;
  readonly searchText?: string;
}

export interface SampleDocument {
  readonly path: string;
  readonly sections: readonly SampleSection[];
  readonly sourceId?: string;
  readonly title?: string;
  readonly type?: string;
  readonly language?: string;
  readonly revision?: string;
  readonly metadata?: Metadata;
}

/** Two spaces of four dimensions. */
export const SAMPLE_SCHEMA: IndexSchema = {
  spaces: { dense: { model: 'sample@1', dimensions: 4 }, heading: { model: 'sample@1', dimensions: 4 } },
  analyzer: { language: 'auto', stem: true, stopWords: true, identifiers: true, math: false },
  settings: { chunk: { use: 'markdown-sections', targetTokens: 350 } },
};

/** The same with a learned sparse space. */
export const SPARSE_SCHEMA: IndexSchema = { ...SAMPLE_SCHEMA, sparse: { sparse: { model: 'sample@1' } } };

/** One document with one chunk a section. */
export function sampleDocument(sample: SampleDocument): StoredDocument {
  const sourceId = sample.sourceId ?? 'docs';
  const title = sample.title ?? 'Untitled';
  const uri = sampleUri(sourceId, sample.path);
  const id = documentId(sourceId, uri);
  const common = {
    sourceId,
    uri,
    path: sample.path,
    title,
    type: sample.type ?? 'markdown',
    language: sample.language ?? 'en',
  };

  const sections: Section[] = [];
  const chunks: Chunk[] = [];
  let text = '';
  for (const [position, { heading, text: body, metadata, searchText }] of sample.sections.entries()) {
    const start = text.length;
    const headingPath = heading === '' ? [] : [title, heading];
    const passage = heading === '' ? body : `## ${heading}\n\n${body}`;
    text += `${passage}\n\n`;
    const span = { start, end: start + passage.length };
    if (heading !== '') {
      const headingSpan = { start, end: start + 3 + heading.length };
      sections.push({ title: heading, level: 2, anchor: `s${position}`, path: headingPath, span, headingSpan });
    }
    chunks.push({
      id: chunkId(id, position, passage),
      documentId: id,
      ...common,
      position,
      span,
      text: passage,
      context: headingPath.join(' > '),
      headingPath,
      tokenCount: passage.split(/\s+/u).length,
      parentIds: [],
      metadata: { ...sample.metadata, ...metadata },
      ...(searchText === undefined ? {} : { searchText }),
    });
  }

  const document: Document = {
    id,
    ...common,
    text,
    sections,
    blocks: [{ kind: 'other', span: { start: 0, end: text.length }, depth: 0 }],
    exclusions: [],
    revision: sample.revision ?? sha256(text),
    contentHash: sha256(text),
    metadata: sample.metadata ?? {},
    warnings: [],
  };
  return {
    document,
    chunks: chunks.map((chunk, i) => ({ chunk, vectors: sampleVectors(sample.sections[i] as SampleSection) })),
  };
}

function sampleVectors({ vectors = {}, sparse }: SampleSection): Vectors {
  const dense = Object.fromEntries(Object.entries(vectors).map(([space, vector]) => [space, unitVector(vector)]));
  if (sparse === undefined) return { dense };
  const weights = Object.entries(sparse).map(([space, vector]) => [space, sparseVector(vector)] as const);
  return { dense, sparse: Object.fromEntries(weights) };
}

/** The file that holds these documents, which must be of one source. */
export function sampleOrigin(...[first, ...more]: readonly [StoredDocument, ...StoredDocument[]]): Origin {
  const { sourceId, uri, path } = first.document;
  const revision = [first, ...more].map(({ document }) => document.revision).join('+');
  return { sourceId, uri, path, revision, stamp: `stamp of ${revision}` };
}

export const sampleUri = (sourceId: string, path: string): string => `file:///${sourceId}/${path}`;

export function sparseVector(weights: Readonly<Record<number, number>>): SparseVector {
  const indices = Uint32Array.from(Object.keys(weights), Number).sort();
  return { indices, values: Float32Array.from(indices, (index) => weights[index] as number) };
}

export function unitVector(values: readonly number[]): Float32Array {
  const length = Math.hypot(...values);
  return Float32Array.from(values, (value) => (length === 0 ? 0 : value / length));
}
