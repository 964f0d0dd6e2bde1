/** A document of the corpus as the product's parser and chunker would hand it to the store. */
import { chunkId, documentId, sha256 } from '../../dist/core/identity.js';
import { CHUNKS_PER_DOCUMENT } from '../corpus.mjs';

const SOURCE = 'docs';

export function toStored({ index, version, category, owner, title, headings, texts }, vectors, spaces) {
  const path = `${category}/page-${index}.md`;
  const uri = `file:///docs/${path}`;
  const id = documentId(SOURCE, uri);
  const text = texts.join('\n\n');
  const revision = sha256(text);
  const metadata = { source: SOURCE, category, owner, modified: '2026-11-22T00:00:00.000Z' };
  const shared = { sourceId: SOURCE, uri, path, title, type: 'markdown', language: 'en' };

  let start = 0;
  const spans = texts.map((piece) => {
    const span = { start, end: start + piece.length };
    start = span.end + 2;
    return span;
  });
  // The last six digits say which row of the corpus a chunk is.
  const ids = texts.map((piece, position) => {
    const row = (index * CHUNKS_PER_DOCUMENT + position).toString(16).padStart(6, '0');
    return chunkId(id, position, piece).slice(0, 18) + row;
  });
  const perHeading = texts.length / headings.length;
  const sections = headings.map((heading, i) => {
    const first = spans[i * perHeading];
    return {
      title: heading,
      level: 2,
      anchor: anchorOf(heading),
      path: [title, heading],
      span: { start: first.start, end: spans[(i + 1) * perHeading - 1].end },
      headingSpan: { start: first.start, end: first.start + heading.length + 3 },
    };
  });

  const chunks = texts.map((piece, position) => {
    const { path: headingPath, anchor } = sections[Math.floor(position / perHeading)];
    const words = piece.replace(/^## /, '').replaceAll('`', '');
    const chunk = {
      ...shared,
      id: ids[position],
      documentId: id,
      position,
      span: spans[position],
      text: piece,
      context: headingPath.join(' > '),
      ...(words === piece ? {} : { searchText: words }),
      headingPath,
      tokenCount: Math.round(piece.length / 4),
      parentIds: [],
      metadata: {
        ...metadata,
        doc_id: id,
        file_path: path,
        parent_sections: [title],
        url_hash: `#${anchor}`,
        url_slug: `page-${index}`,
        chunk_index: position,
        total_chunks: texts.length,
        lineStart: position * 6 + 1,
        lineEnd: position * 6 + 5,
        ...(position > 0 ? { previous: ids[position - 1] } : {}),
        ...(position + 1 < ids.length ? { next: ids[position + 1] } : {}),
      },
    };
    const dense = { dense: vectors.dense[position], heading: vectors.headings[position] };
    return { chunk, vectors: { dense: Object.fromEntries(spaces.map((space) => [space, dense[space]])) } };
  });

  const document = {
    ...shared,
    id,
    text,
    sections,
    blocks: blocksOf(text),
    exclusions: [],
    revision,
    contentHash: revision,
    metadata,
    warnings: [],
  };
  const origin = { sourceId: SOURCE, uri, path, revision, stamp: String(version) };
  return { origin, stored: { document, chunks } };
}

const anchorOf = (heading) => heading.toLowerCase().replaceAll(' ', '-');

function blocksOf(text) {
  const blocks = [];
  let start = 0;
  for (const block of text.split('\n\n')) {
    const kind = block.startsWith('## ') ? 'heading' : 'paragraph';
    blocks.push({ kind, depth: 0, span: { start, end: start + block.length } });
    start += block.length + 2;
  }
  return blocks;
}
