/**
 * The one description of everything that can be set. The validation, the environment variables, the published JSON
 * Schema and the reference are all derived from it.
 */
import { z } from 'zod';
import type { Settings } from '../core/settings.ts';

const count = (min: number, max: number): z.ZodInt => z.int().min(min).max(max);
const weight = (): z.ZodNumber => z.number().min(0).max(100);
const share = (): z.ZodNumber => z.number().min(0).max(1);

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
});

const settings = z.strictObject({
  preset: z.string().min(1).describe('The preset whose values hold where nothing else is said.'),
  sources: z.array(source).max(1000).describe('What `footnote ingest` brings into the index.'),
  parse: z
    .strictObject({
      maxFileBytes: count(1, 2 ** 31 - 1).describe('Larger files are left out, and listed.'),
      maxMarkdownChars: count(1, 2 ** 29).describe('Longer texts are indexed as plain text, with a warning.'),
      drafts: z.enum(['exclude', 'include']).describe('Pages with `draft: true`: left out, and listed, or indexed.'),
    })
    .describe('How files become documents. Index settings: a change needs `footnote ingest --rebuild`.'),
  chunk: z
    .strictObject({
      use: z.enum(['markdown-sections']).describe('The chunker.'),
      minTokens: count(1, 8192).describe("Smaller neighbours in a section are merged. Tokens are the embedder's."),
      targetTokens: count(8, 8192).describe('The size that is aimed at.'),
      maxTokens: count(16, 8192).describe('The size that is never exceeded, title and headings included.'),
      overlapTokens: count(0, 4096).describe('Words repeated where a section had to be cut.'),
    })
    .describe('How documents are cut. Index settings.'),
  embed: z
    .strictObject({
      use: z.enum(['built-in', 'none']).describe('The embedder; `none` leaves keyword search alone.'),
      headings: z.boolean().describe('A second vector a chunk, of title and headings alone.'),
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
    })
    .describe('How text becomes words. Index settings.'),
  store: z
    .strictObject({ use: z.enum(['embedded', 'memory']).describe('Where the index is kept.') })
    .describe('The store. Index settings.'),
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
    })
    .describe('How the index is searched.'),
  fuse: z
    .strictObject({
      method: z
        .enum(['weighted', 'coverage', 'rrf'])
        .describe('Min–max and weights; the same, weighted by how much of the question was found; or Σ 1/(k + rank).'),
      weights: z
        .strictObject({
          keyword: weight().describe('Weight of the keyword leg.'),
          dense: weight().describe('Weight of the vectors of whole chunks.'),
          heading: weight().describe('Weight of the vectors of headings.'),
        })
        .describe('For `weighted`.'),
      k: z.number().min(1).max(10_000).describe('For `rrf`.'),
      alpha: share().nullable().describe('Instead of weights: the share of the dense legs, 0 to 1; null: not used.'),
    })
    .describe('How the legs become one list.'),
  context: z
    .strictObject({
      maxPassages: count(1, 100).describe('Passages that an answer may stand on.'),
      maxChars: count(100, 1_000_000).describe('Characters of all passages together.'),
      neighbours: count(0, 10).describe('Chunks before and after a hit that join its passage.'),
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
  const { keyword, dense, heading } = value.fuse.weights;
  if (keyword + dense + heading === 0) wrong(['fuse', 'weights'], 'must not all be 0');
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
