import { expect, test } from 'vitest';
import type { Document } from '../../src/core/types.ts';
import faqParser from '../../src/parsers/faq.ts';
import { checkChunks, chunkDocument, SMALL } from '../chunkers/chunk.ts';
import { outline, slice } from './parse.ts';

async function faq(question: string, answer: string): Promise<Document> {
  const raw = {
    sourceId: 'faq',
    uri: 'file:///faqs.db#12',
    path: 'faqs.db#12',
    revision: 'r1',
    mediaType: 'text/x-faq',
    body: new TextEncoder().encode(`Question: ${question}\nAnswer: ${answer}`),
    metadata: { source: 'faq', title: question, type: 'faq', protocol: 'bisq_easy' },
  };
  for await (const document of faqParser().parse(raw, { read: async () => undefined })) return document;
  throw new Error('no document');
}

test('a question and its answer are one document and, as long as they fit, one chunk', async () => {
  const document = await faq('How do I resync?', 'Open Settings.\n\n* Click **Resync**.\n* Restart.');
  expect(document).toMatchObject({
    title: 'How do I resync?',
    type: 'faq',
    sections: [],
    metadata: { source: 'faq', protocol: 'bisq_easy' },
    warnings: [],
  });
  expect(outline(document)).toEqual([
    'heading: Question: How do I resync?',
    'paragraph: Open Settings.',
    'list-item: * Click **Resync**.',
    'list-item: * Restart.',
  ]);
  expect(document.exclusions.map((part) => slice(document, part))).toEqual(['Answer: ']);
  const { chunks } = await chunkDocument(document);
  expect(chunks.map(({ text }) => text)).toEqual([document.text]);
});

test('an answer that is too long is cut, and every piece is found by the question', async () => {
  const document = await faq('How do I resync?', 'Open the settings and look for the button. '.repeat(20).trim());
  const { chunks } = await chunkDocument(document, SMALL);
  checkChunks({ document, chunks, sizes: SMALL });
  expect(chunks.length).toBeGreaterThan(3);
  expect(chunks.every(({ context }) => context === 'How do I resync?')).toBe(true);
});

test('a long question is a title that ends with a whole word', async () => {
  const question = `What happens ${'when the trade '.repeat(30)}fails?`;
  const { title } = await faq(question, 'It is closed.');
  expect(title).toMatch(/^What happens when the trade .* (?:when|the|trade)…$/);
  expect(title.length).toBeLessThanOrEqual(201);
});

test.each([
  ['an answer that says "Answer:" itself', 'See\nAnswer: no'],
  ['a fence', '```\nAnswer: x\n```'],
  ['headings', '# One\n\ntext\n\n## Two\n\ntext'],
])('%s', async (_, answer) => {
  const document = await faq('What?', answer);
  expect(document.text).toBe(`Question: What?\nAnswer: ${answer}`);
  expect(document.sections).toEqual([]);
  const { chunks } = await chunkDocument(document);
  expect(chunks.map(({ text }) => text)).toEqual([document.text]);
});
