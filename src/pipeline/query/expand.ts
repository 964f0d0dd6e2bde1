/** More to search with than the question's own words (planned by seeds 000 and 002; limitation 3 of seed 003). */
import type { CallOptions, Generator, WriteRequest } from '../../core/contracts.ts';
import { isRagError, RagError, toPublicError } from '../../core/errors.ts';
import type { SearchParts } from '../parts.ts';
import type { ExpandedQuery, Expansion } from './expansion.ts';
import { synonymsOf } from './synonyms.ts';

type Writer = Required<Pick<Generator, 'write'>>;

const NOTHING: Expansion = { queries: [], warnings: [] };

/** An expansion that fails costs itself only: the question is searched as it is, and a warning says so. */
export async function expand(question: string, parts: SearchParts, options: CallOptions): Promise<Expansion> {
  const { expand: how, expansions } = parts.settings.query;
  if (how === 'none' || expansions === 0) return NOTHING;
  try {
    switch (how) {
      case 'synonyms':
        return { queries: synonymQuery(await synonymsOf(question, expansions, parts, options)), warnings: [] };
      case 'queries':
        return { queries: await otherQuestions(question, expansions, await writerOf(parts), options), warnings: [] };
      case 'hyde':
        return { queries: await imaginedAnswer(question, await writerOf(parts), options), warnings: [] };
    }
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!isRagError(error)) throw error;
    const { message, hint } = toPublicError(error);
    const warning = { code: 'expansion-failed', message: `the question is searched as it is: ${message}` };
    return { queries: [], warnings: [hint === undefined ? warning : { ...warning, hint }] };
  }
}

const synonymQuery = (words: readonly string[]): readonly ExpandedQuery[] =>
  words.length === 0 ? [] : [{ by: 'synonyms', text: words.join(' '), legs: ['keyword'] }];

async function writerOf(parts: SearchParts): Promise<Writer> {
  const writer = await parts.writer();
  if (writer?.write !== undefined) return writer as Writer;
  throw new RagError('driver-unavailable', `query.expand: ${parts.settings.query.expand} needs a language model`, {
    hint: 'query.expand: synonyms needs none',
  });
}

const QUESTIONS =
  'Write other wordings of the question below, as somebody would type them who knows the subject by other words. ' +
  'One to a line, without numbers or remarks.';

async function otherQuestions(
  question: string,
  most: number,
  writer: Writer,
  options: CallOptions,
): Promise<readonly ExpandedQuery[]> {
  const text = await written(writer, { instructions: QUESTIONS, input: question, maxOutputTokens: 60 * most }, options);
  const lines = text
    .split('\n')
    .map((line) => line.replace(/^\s*(?:[-*•]|\d+[.)])\s*/u, '').trim())
    .filter((line) => line !== '' && line.toLowerCase() !== question.toLowerCase());
  return [...new Set(lines)].slice(0, most).map((line) => ({ by: 'queries', text: line, legs: ['keyword', 'dense'] }));
}

const ANSWER =
  'Write a short passage, of at most a hundred words, as a documentation that answers the question below could have it. ' +
  'Plain prose, no remarks.';

/** Hypothetical document embeddings (Gao et al. 2022): only the vectors search it, its words are not trusted. */
async function imaginedAnswer(
  question: string,
  writer: Writer,
  options: CallOptions,
): Promise<readonly ExpandedQuery[]> {
  const text = await written(writer, { instructions: ANSWER, input: question, maxOutputTokens: 200 }, options);
  return text.trim() === '' ? [] : [{ by: 'hyde', text: text.trim(), legs: ['dense'] }];
}

async function written(writer: Writer, request: WriteRequest, options: CallOptions): Promise<string> {
  let text = '';
  for await (const event of writer.write(request, options)) if (event.type === 'text-delta') text += event.text;
  return text;
}
