import type { Preset } from '../core/settings.ts';
import { defaultPreset } from './default.ts';

/** The Bisq Support Agent (seed 003): a wiki and FAQs of two versions of a product, which must never be mixed. */
export const supportDeskPreset: Preset = {
  ...defaultPreset,
  name: 'support-desk',
  description:
    'a support wiki and FAQs of several versions or protocols, searched step by step, never mixed (seed 003)',
  parse: {
    ...defaultPreset.parse,
    // Lines 147–154, and the program's wiki import: an article's category says its protocol.
    derive: [
      {
        field: 'protocol',
        from: 'category',
        values: { bisq2: 'bisq_easy', bisq1: 'multisig_v1', general: 'all' },
      },
    ],
  },
  embed: { ...defaultPreset.embed, headings: false },
  query: {
    ...defaultPreset.query,
    // Seed 003, lines 22 and 147–154: the protocols, with the words of the program that name and hint at them.
    vocabulary: [
      {
        field: 'protocol',
        value: 'bisq_easy',
        label: 'Bisq Easy (Bisq 2)',
        names: ['bisq easy', 'bisq 2', 'bisq2', 'new bisq', 'v2'],
        hints: ['reputation', 'reputation score', 'bonded roles', 'seller reputation', 'trade chat'],
      },
      {
        field: 'protocol',
        value: 'multisig_v1',
        label: 'Multisig v1 (Bisq 1)',
        names: ['bisq 1', 'bisq1', 'old bisq', 'multisig v1', 'v1', 'multisig'],
        hints: ['dao', 'bsq', 'spv', 'ctrl+o', 'arbitration', 'arbitrator', 'security deposit', 'delayed payout'],
      },
      { field: 'protocol', value: 'musig', label: 'MuSig', names: ['musig'], hints: [] },
    ],
    routes: [
      {
        // The program: both versions named, 5 + 5 + 4.
        name: 'comparison',
        when: 'comparison',
        steps: [
          { filter: { protocol: 'bisq_easy' }, topK: 5, whenFewerThan: null },
          { filter: { protocol: 'multisig_v1' }, topK: 5, whenFewerThan: null },
          { filter: { protocol: 'all' }, topK: 4, whenFewerThan: null },
        ],
      },
      {
        // Lines 78–80: 6, then 4 when fewer than 4, then 2 of the other protocol when fewer than 3.
        name: 'Bisq Easy',
        when: { about: 'bisq_easy' },
        steps: [
          { filter: { protocol: 'bisq_easy' }, topK: 6, whenFewerThan: null },
          { filter: { protocol: 'all' }, topK: 4, whenFewerThan: 4 },
          { filter: { protocol: 'multisig_v1' }, topK: 2, whenFewerThan: 3 },
        ],
      },
      {
        // The program: 4, then 2 when fewer than 3; protocol one never falls back to protocol two.
        name: 'Bisq 1',
        when: { about: 'multisig_v1' },
        steps: [
          { filter: { protocol: 'multisig_v1' }, topK: 4, whenFewerThan: null },
          { filter: { protocol: 'all' }, topK: 2, whenFewerThan: 3 },
        ],
      },
      {
        // Line 153: reserved; its documents, once there are any, and the general ones.
        name: 'MuSig',
        when: { about: 'musig' },
        steps: [{ filter: { protocol: ['musig', 'all'] }, topK: 8, whenFewerThan: null }],
      },
      {
        // Neither named nor hinted at: what the first hits are about, and what is general; never two protocols.
        name: 'unclear',
        when: 'unclear',
        steps: [{ filter: { protocol: ['$topic', 'all'] }, topK: 8, whenFewerThan: null }],
      },
    ],
    clarify: true,
  },
  retrieve: {
    ...defaultPreset.retrieve,
    // Line 173: eight candidates a query.
    topK: 8,
    // Lines 88–91: BM25 with k1 1.5 and b .75.
    bm25: { ...defaultPreset.retrieve.bm25, k1: 1.5, b: 0.75 },
  },
  // Lines 100 and 122–123: min–max of each list, .7 vectors and .3 words (see the deviations).
  fuse: {
    ...defaultPreset.fuse,
    method: 'min-max',
    weights: { ...defaultPreset.fuse.weights, keyword: 0.7, dense: 0.3, heading: 0 },
  },
  adjust: {
    ...defaultPreset.adjust,
    // Lines 161 and 166.
    weights: [
      { field: 'type', value: 'wiki', weight: 1.1 },
      { field: 'type', value: 'faq', weight: 1 },
    ],
    // Line 174; measured on the model that the design names.
    minCosine: 0.3,
    minCosineModel: 'text-embedding-3-small',
  },
  // Lines 124–125: ColBERT, five remain.
  rerank: { ...defaultPreset.rerank, use: 'late-interaction', candidates: 24, weight: 0.3 },
  // Line 126.
  context: { ...defaultPreset.context, maxPassages: 5, maxChars: 15_000 },
  larger: {
    instead: { 'fuse.weights.keyword': 0.3, 'fuse.weights.dense': 0.7 },
    beside: { 'fuse.weights.keyword': 0.4, 'fuse.weights.dense': 0.2 },
  },
  design: {
    of: 'Bisq Support Agent',
    settings: {
      // Lines 133–135; cohere and voyage are the other providers.
      'embed.use': 'openai',
      'embed.model': 'text-embedding-3-small',
      'embed.dimensions': 1536,
      'fuse.weights.dense': 0.7,
      'fuse.weights.keyword': 0.3,
      'rerank.weight': 1,
      // Lines 121 and 168–175.
      'store.use': 'chroma',
      // Line 64.
      'generate.use': 'openai',
    },
    later: {
      store: { distance: 'cosine', alternatives: ['qdrant', 'hybrid'] },
      generate: { model: 'gpt-4o-mini' },
      // Line 127.
      conversation: { messages: 10 },
      // The program.
      prompt: {
        rules: [
          'correct before elegant',
          'never invent buttons or time limits',
          'never mix Bisq 1 and Bisq 2 unless asked',
          'simple facts in under 70 words, without headings',
        ],
      },
      handOver: { sendAbove: 0.95, queueAbove: 0.7, weights: { entailment: 0.4, sources: 0.3, entities: 0.3 } },
    },
    deviations: [
      'The design gives the vectors .7 and the words .3, with an embedder of 1,536 dimensions. The small built-in model gets .3 and the words .7; --as-designed turns it round.',
      'The threshold .3 was measured on text-embedding-3-small: with another model it is not applied, and every answer says so. eval --vary adjust.minCosine=… finds another.',
      'The vocabulary’s statistics are kept in the index, and follow every change; the design has a file of its own for them.',
      'Stop words are those of the analyzer, not the design’s list of 125.',
      'The built-in comparison word by word stands for ColBERT, and counts .3 beside the fused order.',
      'General pages are searched only when a protocol has fewer than four hits, as designed: an answer that stands on a general page is found later than by BM25 alone, which searches everything. That is the price of never mixing two protocols.',
      'The same content at two addresses is one hit; the program merges by title and type.',
    ],
  },
};
