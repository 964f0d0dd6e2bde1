import type { Preset } from '../core/settings.ts';
import { defaultPreset } from './default.ts';

/** nasi-ayam (seed 002): personal notes and papers of one person; small pieces found, whole sections read. */
export const notesPreset: Preset = {
  ...defaultPreset,
  name: 'notes',
  description: 'personal notes: small pieces are found, the whole sections around them are read (seed 002)',
  // Seed 002, lines 96–121: pieces of 2,000 characters, 200 of them repeated, in sections of at most 8,000.
  // Sizes in characters: tokens limit nothing here. The design's model (nomic) reads 8192, the built-in one any number.
  chunk: {
    ...defaultPreset.chunk,
    use: 'two-tier',
    maxTokens: 8192,
    maxChars: 2000,
    overlapChars: 200,
    parentChars: 8000,
  },
  embed: { ...defaultPreset.embed, headings: false },
  retrieve: {
    ...defaultPreset.retrieve,
    // Lines 47 and 149: five after reranking.
    topK: 5,
  },
  // Line 174: borderline results may be rescued by what stands beside them; line 172: a pool that follows the scores.
  adjust: { ...defaultPreset.adjust, secondChance: true },
  // Lines 45 and 148: ten candidates.
  rerank: { ...defaultPreset.rerank, candidates: 10 },
  // Line 121: the parents of the hits are the context.
  context: { ...defaultPreset.context, maxPassages: 5, neighbours: 0, parents: true },
  design: {
    of: 'nasi-ayam',
    settings: {
      // Line 34, with its prefixes for questions and passages.
      'embed.use': 'onnx',
      'embed.model': 'nomic-ai/nomic-embed-text-v1.5',
      // Line 37.
      'store.use': 'pgvector',
      // Lines 9 and 45: vectors alone, the first ten.
      'retrieve.mode': 'dense',
      'retrieve.depth': 10,
      // Lines 47, 149 and 158.
      'rerank.use': 'onnx',
      'rerank.model': 'cross-encoder/ms-marco-MiniLM-L-6-v2',
      // Lines 189 and 205.
      'models.loading': 'eager',
      // Line 52.
      'generate.use': 'anthropic',
    },
    later: {
      generate: { model: 'claude-sonnet-4-5' },
      // Lines 11–20.
      agent: { tools: ['search_documents', 'refine_search'], searches: 3, filters: ['source', 'doc_type'] },
      // Line 55 and the program: older messages are summarised above 32,000 characters, eight stay.
      conversation: { compactAboveChars: 32_000, keepMessages: 8 },
    },
    deviations: [
      'The design searches by vectors alone. The small built-in model is weaker than words there, so this preset is hybrid; --as-designed is dense.',
      'Sections that are too large and have no subheadings are split; the design leaves them out.',
      'Text between a large section’s heading and its first subheading is a section of its own; the program loses it.',
      'Parents reach the answer; the program loads them and shows 500 characters of the piece instead.',
      'nomic’s prefixes are used; the program leaves them out.',
      'Without --as-designed nothing reranks: the built-in comparison of words was not better than the fused order.',
    ],
  },
};
