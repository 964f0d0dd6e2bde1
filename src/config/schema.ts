/**
 * The one description of everything that can be set. The validation, the environment variables, the published JSON
 * Schema and the reference are all derived from it.
 */
import { z } from 'zod';
import type { Settings } from '../core/settings.ts';

const count = (min: number, max: number): z.ZodInt => z.int().min(min).max(max);
const weight = (): z.ZodNumber => z.number().min(0).max(100);
const share = (): z.ZodNumber => z.number().min(0).max(1);

const named = (what: string): z.ZodExactOptional<z.ZodString> => z.string().min(1).exactOptional().describe(what);

const records = z.strictObject({
  table: named('Table of a database; default: every one with questions and answers.'),
  id: named('Key or column that identifies a record; default: the title of a page, `id` or the row of a database.'),
  title: named('Default: `title` or `name`.'),
  text: named('Default: `text`, `content`, `markdown` or `body`.'),
  url: named('Default: `url`.'),
  question: named('Default: `question`.'),
  answer: named('Default: `answer`.'),
  verified: named('Only rows in which this is 1 are indexed; default: `verified`, where there is such a column.'),
  markup: z.enum(['markdown', 'wiki']).exactOptional().describe('Marks in the texts; default: told by the texts.'),
});

const source = z.strictObject({
  from: z.string().min(1).describe('A SOURCE as on the command line; paths are relative to the configuration file.'),
  as: z.string().min(1).exactOptional().describe('Name of the source; default: the last part of its path.'),
  include: z.array(z.string().min(1)).exactOptional().describe('Globs relative to the source: only these files.'),
  exclude: z.array(z.string().min(1)).exactOptional().describe('Globs relative to the source: not these files.'),
  baseUrl: z
    .url({ protocol: /^https?$/u })
    .exactOptional()
    .describe('Address under which the documents are published; links are this + slug + anchor.'),
  urlTemplate: z
    .string()
    .min(1)
    .exactOptional()
    .describe('Links of a git source: {repository} {commit} {path} {start} {end}.'),
  language: z
    .string()
    .regex(/^[a-z]{2}$/u)
    .exactOptional()
    .meta({
      title: 'a code of two letters',
      description: 'ISO 639-1 code of the language of all its documents.',
    }),
  records: records.exactOptional().describe('Files of records: which key or column is what.'),
});

const derived = z.strictObject({
  field: z.string().min(1).describe('The field that is added where a document does not have it.'),
  from: z.string().min(1).describe('A metadata field, or `type`.'),
  values: z
    .record(z.string(), z.union([z.string(), z.number()]))
    .meta({ title: 'a section', description: 'The value for each value of `from`.' }),
});

const EMBEDDERS = ['built-in', 'onnx', 'openai', 'cohere', 'voyage', 'ollama'] as const;

const embedder = {
  model: z.string().describe("Name at the provider or on the hub, or a folder; empty: the driver's own."),
  baseUrl: z
    .url({ protocol: /^https?$/u })
    .nullable()
    .describe("Another address than the provider's own, e.g. of an OpenAI-compatible server."),
  keyVariable: z.string().min(1).nullable().describe('Environment variable of the key; null: the usual one.'),
  dimensions: count(1, 8192).nullable().describe("Shorter vectors, where the model allows; null: the model's own."),
};

const settings = z.strictObject({
  preset: z.string().min(1).describe('The preset whose values hold where nothing else is said.'),
  sources: z.array(source).max(1000).describe('What `footnote ingest` brings into the index.'),
  parse: z
    .strictObject({
      maxFileBytes: count(1, 2 ** 31 - 1).describe('Larger files are left out, and listed.'),
      maxMarkdownChars: count(1, 2 ** 29).describe('Longer texts are indexed as plain text, with a warning.'),
      drafts: z.enum(['exclude', 'include']).describe('Pages with `draft: true`: left out, and listed, or indexed.'),
      derive: z.array(derived).max(100).describe('Metadata that follows from other metadata.'),
    })
    .describe('How files become documents. Index settings: a change needs `footnote ingest --rebuild`.'),
  chunk: z
    .strictObject({
      use: z
        .enum(['markdown-sections', 'fixed-tokens', 'two-tier', 'fenced-tokens', 'semantic'])
        .describe('The chunker.'),
      minTokens: count(1, 8192).describe("Smaller neighbours in a section are merged. Tokens are the embedder's."),
      targetTokens: count(8, 8192).describe('The size that is aimed at.'),
      maxTokens: count(16, 8192).describe('The size that is never exceeded, title and headings included.'),
      overlapTokens: count(0, 4096).describe('Words repeated where a section had to be cut.'),
      maxChars: count(100, 100_000).describe('For `two-tier`: the pieces that are searched.'),
      overlapChars: count(0, 50_000).describe('For `two-tier`: what a piece repeats of the one before.'),
      parentChars: count(100, 1_000_000).describe('For `two-tier`: the sections that the pieces belong to.'),
      breakPercentile: z.number().min(1).max(99).describe('For `semantic`: which distances are boundaries.'),
      overlong: z
        .enum(['window', 'refuse'])
        .describe('Chunks longer than the embedder takes: embedded in windows, or an error before anything is built.'),
    })
    .describe('How documents are cut. Index settings.'),
  embed: z
    .strictObject({
      use: z.enum([...EMBEDDERS, 'none']).describe('The embedder; `none` leaves keyword search alone.'),
      ...embedder,
      headings: z.boolean().describe('A second vector a chunk, of title and headings alone.'),
      also: z
        .array(
          z.strictObject({
            name: z
              .string()
              .regex(/^[a-z][a-z0-9-]{0,30}$/u)
              .meta({ title: 'a short lower-case name', description: 'Name of its space and leg.' }),
            use: z.enum(EMBEDDERS).describe('The embedder.'),
            ...embedder,
          }),
        )
        .max(4)
        .describe('More embedders in the same index; their weights are `fuse.weights.also`.'),
      sparse: z
        .strictObject({
          use: z.enum(['none', 'splade']).describe('Learned sparse vectors, or none.'),
          model: z.string().describe('A folder or a name on the hub.'),
        })
        .describe('The leg `sparse`.'),
      adapt: z
        .enum(['auto', 'always', 'never'])
        .describe(
          'The built-in model learns from the indexed text itself: where a check of its own says that it pays, or always.',
        ),
    })
    .describe('How text becomes vectors. Index settings.'),
  analyze: z
    .strictObject({
      language: z
        .string()
        .regex(/^(auto|[a-z]{2})$/u)
        .meta({
          title: 'auto or a code of two letters',
          description: 'ISO 639-1 code for all documents, or `auto`: declared by the document, or detected.',
        }),
      stem: z.boolean().describe('Inflected forms are one word (Snowball).'),
      stopWords: z.boolean().describe('The, of, how, what … are not searched.'),
      identifiers: z.boolean().describe('`DB_HOST` is searched whole and in its parts.'),
      math: z.boolean().describe('`$…$` and TeX commands are words of their own.'),
    })
    .describe('How text becomes words. Index settings.'),
  store: z
    .strictObject({ use: z.enum(['embedded', 'memory']).describe('Where the index is kept.') })
    .describe('The store. Index settings.'),
  query: z
    .strictObject({
      intent: z.boolean().describe('What kind of question it is: shown by --explain.'),
      expand: z
        .enum(['none', 'synonyms', 'queries', 'hyde'])
        .describe('Words that the corpus uses alike; other questions, or an imagined answer, by the generator.'),
      expansions: count(0, 20).describe('Words or questions that are added at most.'),
      expansionWeight: share().describe('How much they count beside the question itself.'),
      vocabulary: z
        .array(
          z.strictObject({
            field: z.string().min(1).describe('A metadata field, e.g. `version`.'),
            value: z.string().min(1).describe('Its value in the documents.'),
            label: z.string().min(1).describe('What people call it.'),
            names: z.array(z.string().min(1)).describe('Words that name it outright.'),
            hints: z.array(z.string().min(1)).describe('Words that hint at it.'),
          }),
        )
        .max(100)
        .describe('Versions, protocols or products that questions can be about.'),
      filters: z.boolean().describe('A name of the vocabulary in the question becomes a filter.'),
      routes: z
        .array(
          z.strictObject({
            name: z.string().min(1).describe('Shown by --explain.'),
            when: z
              .union([
                z.strictObject({ about: z.string().min(1).describe('A value of the vocabulary.') }),
                z.enum(['comparison', 'unclear', 'always']),
              ])
              .meta({
                title: 'comparison, unclear, always, or { about: VALUE }',
                description: 'Which questions take it; the first that fits is taken.',
              }),
            steps: z
              .array(
                z.strictObject({
                  filter: z
                    .record(z.string(), z.union([z.string(), z.array(z.string())]))
                    .meta({ title: 'metadata values', description: 'Only documents with these values.' }),
                  topK: count(1, 1000).describe('Hits that the step may add.'),
                  whenFewerThan: count(1, 1000)
                    .nullable()
                    .describe('Only when there are fewer hits so far; null: always.'),
                }),
              )
              .min(1)
              .describe('Searches, one after the other.'),
          }),
        )
        .max(50)
        .describe('Staged retrieval; none: one search over everything.'),
      clarify: z.boolean().describe('Ask back when nothing tells which value of the vocabulary is meant.'),
    })
    .describe('What is understood of the question before it is searched.'),
  retrieve: z
    .strictObject({
      topK: count(1, 1000).describe('Hits that `search` shows.'),
      depth: count(1, 10_000).describe('Length of the list of each leg before fusion.'),
      mode: z.enum(['dense', 'keyword', 'hybrid']).describe('By vectors, by words, or both.'),
      bm25: z
        .strictObject({
          k1: z.number().min(0).max(10).describe('How soon a repeated word stops counting.'),
          b: share().describe('How much long chunks are held back, 0 to 1.'),
          fields: z
            .strictObject({
              path: weight().describe('Weight of a word in the path.'),
              title: weight().describe('Weight of a word in the title of the page.'),
              heading: weight().describe('Weight of a word in the last heading.'),
              body: weight().describe('Weight of a word in the text.'),
            })
            .describe('A count in a field counts so many times.'),
        })
        .describe('The keyword leg.'),
      lateInteraction: z.boolean().describe('Also compare word by word what the other legs found.'),
    })
    .describe('How the index is searched.'),
  fuse: z
    .strictObject({
      method: z
        .enum(['weighted', 'coverage', 'rrf', 'min-max', 'relative'])
        .describe(
          'Min–max over the depth, and weights; the same, weighted by how much of the question was found; Σ 1/(k + rank); min–max of each list as it is; score by best score.',
        ),
      weights: z
        .strictObject({
          keyword: weight().describe('Weight of the keyword leg.'),
          dense: weight().describe('Weight of the vectors of whole chunks.'),
          heading: weight().describe('Weight of the vectors of headings.'),
          sparse: weight().describe('Weight of the learned sparse leg.'),
          lateInteraction: weight().describe('Weight of the comparison word by word.'),
          also: z
            .array(weight())
            .max(4)
            .describe('Weights of `embed.also`, in its order; those that are missing share .4.'),
        })
        .describe('For all methods but `coverage`; `rrf` uses them when they are not all equal.'),
      k: z.number().min(1).max(10_000).describe('For `rrf`.'),
      alpha: share().nullable().describe('Instead of weights: the share of the dense legs, 0 to 1; null: not used.'),
    })
    .describe('How the legs become one list.'),
  adjust: z
    .strictObject({
      weights: z
        .array(
          z.strictObject({
            field: z.string().min(1).describe('A metadata field, e.g. `type`.'),
            value: z.string().min(1).describe('Its value.'),
            weight: z.number().min(0).max(10).describe('Factor on the score.'),
          }),
        )
        .max(50)
        .describe('Kinds of documents that count more, or less.'),
      changelogs: z
        .number()
        .min(0)
        .max(1)
        .describe('Factor for release notes and changelogs, unless the question asks for a version or a change.'),
      importance: share().describe("How much a document's importance counts (front matter, or --importance)."),
      minCosine: z.number().min(-1).max(1).nullable().describe('Hits below are left out; null: none.'),
      minCosineModel: z
        .string()
        .min(1)
        .nullable()
        .describe('The embedder that `minCosine` was measured on; with another it is not applied.'),
      secondChance: z.boolean().describe('A hit just below stays when its neighbour is above.'),
      diversity: share().describe('Maximal marginal relevance: 1 is relevance alone.'),
      pool: z.enum(['fixed', 'dynamic']).describe('`dynamic`: the list ends where the scores fall off.'),
    })
    .describe('What is done to the fused list.'),
  rerank: z
    .strictObject({
      use: z.enum(['none', 'late-interaction', 'onnx', 'jina', 'cohere', 'voyage', 'judge']).describe('The reranker.'),
      model: z.string().describe("Name or folder; empty: the driver's own."),
      baseUrl: z
        .url({ protocol: /^https?$/u })
        .nullable()
        .describe("Another address than the provider's own."),
      keyVariable: z.string().min(1).nullable().describe('Environment variable of the key; null: the usual one.'),
      candidates: count(1, 1000).describe('Hits that are reranked.'),
      maxChars: count(100, 1_000_000).nullable().describe('Characters of a text that are read; null: all.'),
      weight: share().describe("Share of the reranker's score in the order."),
      skip: z
        .enum(['never', 'agreement', 'score'])
        .describe('When it is not needed: the legs agree on the first hits, or the first score is high.'),
      skipAbove: z.number().min(0).max(1000).describe('For `score`: the fused score above which it is skipped.'),
      lightBelowWords: count(0, 100).describe('Shorter questions take `late-interaction` instead; 0: none.'),
    })
    .describe('A second look at the best hits. When it fails, the order is kept, and a warning says so.'),
  context: z
    .strictObject({
      maxPassages: count(1, 100).describe('Passages that an answer may stand on.'),
      maxChars: count(100, 1_000_000).describe('Characters of all passages together.'),
      maxTokens: count(50, 1_000_000).nullable().describe('Tokens of all passages together; null: no such limit.'),
      neighbours: count(0, 10).describe('Chunks before and after a hit that join its passage.'),
      parents: z.boolean().describe('With `two-tier` chunks: the sections around the hits.'),
    })
    .describe('What the answer is made from.'),
  generate: z
    .strictObject({
      use: z.enum(['extractive']).describe('The generator; `extractive` needs no model.'),
      maxWords: count(10, 2000).describe('Length of an extractive answer.'),
    })
    .describe('How the answer is made.'),
  confidence: z
    .strictObject({ threshold: share().describe('An answer below this is not given.') })
    .describe('When an answer is given.'),
  models: z
    .strictObject({
      device: z.enum(['cpu', 'cuda', 'webgpu']).describe('What local models run on.'),
      workers: count(0, 64).describe('Threads that embed at once; 0: one for each core.'),
      folder: z.string().min(1).nullable().describe("Downloaded models; null: the user's cache folder."),
      hub: z.url({ protocol: /^https?$/u }).describe('Where models are downloaded from.'),
      offline: z.boolean().describe('Never download.'),
      loading: z.enum(['lazy', 'eager']).describe('When models are loaded.'),
    })
    .describe('Local models.'),
  http: z
    .strictObject({
      timeoutSeconds: z.number().min(0.1).max(3600).describe('For one call of a model service.'),
      maxConnections: count(1, 1000).describe('At once, to one service.'),
      keepAliveConnections: count(0, 1000).describe('Kept open for the next call.'),
      retries: count(0, 10).describe('Of a call that may succeed later.'),
    })
    .describe('Calls of model services.'),
  cache: z
    .strictObject({
      embeddings: z.enum(['disk', 'none']).describe('Keep vectors by content, so that only new text is embedded.'),
      embeddingTtlSeconds: count(1, 2 ** 31 - 1)
        .nullable()
        .describe('How long; null: as long as the index.'),
    })
    .describe('What is kept to save work. It may be deleted at any time.'),
});

/** Complete settings, as the engine takes them. */
export const settingsSchema: z.ZodType<Settings> = settings.superRefine((value, context) => {
  const { minTokens, targetTokens, maxTokens, overlapTokens } = value.chunk;
  const wrong = (path: string[], message: string): void => {
    context.addIssue({ code: 'custom', path, message });
  };
  if (targetTokens > maxTokens) wrong(['chunk', 'targetTokens'], 'must not be greater than chunk.maxTokens');
  if (minTokens > targetTokens) wrong(['chunk', 'minTokens'], 'must not be greater than chunk.targetTokens');
  if (overlapTokens >= maxTokens) wrong(['chunk', 'overlapTokens'], 'must be smaller than chunk.maxTokens');
  if (value.chunk.overlapChars >= value.chunk.maxChars)
    wrong(['chunk', 'overlapChars'], 'must be smaller than chunk.maxChars');
  const { also, ...weights } = value.fuse.weights;
  if ([...Object.values(weights), ...also].every((each) => each === 0)) wrong(['fuse', 'weights'], 'must not all be 0');
  const names = value.embed.also.map(({ name }) => name);
  if (new Set([...names, 'dense', 'heading', 'keyword', 'sparse']).size < names.length + 4)
    wrong(['embed', 'also'], 'must have names of their own, other than dense, heading, keyword and sparse');
  if (value.embed.sparse.use === 'splade' && value.embed.sparse.model === '')
    wrong(['embed', 'sparse', 'model'], 'must name a model for splade');
});

/** A configuration file: any part of the settings. */
export const fileSchema: z.ZodType<Readonly<Record<string, unknown>>> = partial(settings);

/** The schema that is published as `schema/footnote.schema.json`, for editors. */
export function configJsonSchema(): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(fileSchema, { io: 'input' });
  return { $schema, title: 'Configuration of Footnote (footnote.yaml)', ...rest };
}

/** Every object's keys become optional; the elements of lists stay whole. */
function partial(object: z.ZodObject): z.ZodObject {
  const shape = Object.entries(object.shape).map(([key, value]) => {
    const inner = value instanceof z.ZodObject ? partial(value) : (value as z.ZodType);
    return [key, inner.exactOptional()];
  });
  return z.strictObject(Object.fromEntries(shape)).describe(object.description ?? '');
}
