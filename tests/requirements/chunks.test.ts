/** The numbers and examples of the designs about chunks that the main path builds. */
import { describe, expect, test } from 'vitest';
import { presetSettings } from '../../src/presets/preset-settings.ts';
import { checkChunks, chunk, count } from '../chunkers/chunk.ts';
import { library } from '../pipeline/library.ts';

// [S0-chunk-min-tokens] [S0-chunk-target-tokens] [S0-chunk-max-tokens] [S0-chunk-overlap]
test('the sizes of the product documentation are those of the default', () => {
  expect(presetSettings('default').chunk).toMatchObject({
    minTokens: 100,
    targetTokens: 350,
    maxTokens: 512,
    overlapTokens: 50,
  });
});

// [S0-document-sizes]
test.each([100, 1_000, 10_500])('a document of %i tokens', async (tokens) => {
  const sentence = 'The gateway writes one line for each request.';
  const sentences = Array.from({ length: Math.ceil(tokens / count(sentence)) }, () => sentence);
  const paragraphs = sentences.map((text, i) => (i % 5 === 4 ? `${text}\n\n` : `${text} `));
  const chunked = await chunk(`# Log\n\n${paragraphs.join('')}`);
  checkChunks(chunked);
  expect(count(chunked.document.text)).toBeGreaterThanOrEqual(tokens);
  expect(chunked.chunks.length).toBeGreaterThanOrEqual(Math.ceil(tokens / 512));
  expect(chunked.chunks.length).toBeLessThanOrEqual(Math.ceil(tokens / 250));
});

describe('the page of the design: a button widget', () => {
  const PATH = 'learn/app-development/widgets/button.md';
  const TEXT = [
    '# Button Widget\n\nThe Button widget allows people to start something.',
    '## Properties\n\nA button has a caption.',
    '### Styling\n\nA button has a class.',
  ].join('\n\n');

  // [S0-metadata-title] [S0-metadata-parent-sections] [S0-metadata-section] [S0-metadata-url-slug]
  // [S0-metadata-url-hash] [S0-metadata-file-path]
  test('has the metadata that the design shows', async () => {
    const { chunks } = await chunk(TEXT, undefined, { path: PATH });
    expect(chunks.at(-1)).toMatchObject({
      title: 'Button Widget',
      headingPath: ['Button Widget', 'Properties', 'Styling'],
      context: 'Button Widget > Properties > Styling',
      metadata: {
        file_path: PATH,
        parent_sections: ['Button Widget', 'Properties'],
        url_slug: 'button',
        url_hash: '#styling',
        chunk_index: 2,
        total_chunks: 3,
      },
    });
  });

  // [S0-payload-section] [S0-metadata-section] [S0-payload-content]
  test('is found by any heading above a chunk', async () => {
    const docs = await library({ [PATH]: TEXT, 'other.md': '# Other\n\nA button has a class here, too.' });
    const sections = async (section: string): Promise<readonly string[]> =>
      (await docs.search('button', { filter: { section } })).hits.map(({ chunk: { text } }) => text).toSorted();
    expect(await sections('Styling')).toEqual(['### Styling\n\nA button has a class.']);
    expect(await sections('Properties')).toEqual([
      '## Properties\n\nA button has a caption.',
      '### Styling\n\nA button has a class.',
    ]);
  });
});
