import type { Preset } from '../core/settings.ts';
import { defaultPreset } from './default.ts';

/** The website assistant (seed 004): a site's pages in large chunks, whole fences, exact scan. */
export const websitePreset: Preset = {
  ...defaultPreset,
  name: 'website',
  description: 'pages of a website: large chunks that keep code whole and begin at headings (seed 004)',
  // Seed 004, lines 19 and 28: about 1,200 tokens, overlapping, fences whole, boundaries at headings.
  chunk: {
    ...defaultPreset.chunk,
    use: 'fenced-tokens',
    minTokens: 100,
    targetTokens: 1200,
    maxTokens: 1200,
    overlapTokens: 100,
    overlong: 'window',
  },
  embed: { ...defaultPreset.embed, headings: false },
  retrieve: {
    ...defaultPreset.retrieve,
    // Line 30: 40 are retrieved, 8 remain.
    topK: 8,
    depth: 40,
  },
  rerank: { ...defaultPreset.rerank, candidates: 40 },
  context: { ...defaultPreset.context, maxPassages: 8, neighbours: 0 },
  design: {
    of: 'the website assistant (Ask-the-Docs)',
    settings: {
      // Lines 20 and 34: BGE small, with its prompts.
      'embed.use': 'onnx',
      'embed.model': 'BAAI/bge-small-en-v1.5',
      // Line 22: vectors alone; words are on its roadmap (line 46).
      'retrieve.mode': 'dense',
      // Lines 22 and 36: optional.
      'rerank.use': 'onnx',
      'rerank.model': 'cross-encoder/ms-marco-MiniLM-L-6-v2',
      // Lines 21 and 35: an exact scan of normalised vectors in a flat file.
      'store.use': 'flat-file',
      'generate.use': 'anthropic',
    },
    later: {
      store: { distance: 'inner product of unit vectors', index: 'flat' },
      // Lines 31 and 52.
      prompt: { rules: ['numbered blocks', 'answer only from the context', 'each [n] is the address of its block'] },
      // Line 18.
      crawl: { robots: true, conditional: true, output: 'page JSONL' },
    },
    deviations: [
      'BGE small reads 512 tokens, a chunk has 1,200: it is embedded in windows, whose mean is its vector; nothing is cut.',
      'How much chunks overlap is not said; 100 tokens.',
      'The design searches by vectors alone. This preset is hybrid, as its roadmap has it: the small built-in model is weaker than words; --as-designed is dense.',
      'The design leaves the language model open; --as-designed names one.',
      'Without --as-designed nothing reranks: the built-in comparison of words was not better than the fused order.',
    ],
  },
};
