/** Reads files of labelled questions: `{"queries": […]}` or the bare list. Only `query` and `relevant_docs` are required. */
import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import { RagError } from '../core/errors.ts';
import type { Warning } from '../core/types.ts';
import { readBeir } from './beir.ts';
import type { Dataset, Question } from './types.ts';

const strings = z.array(z.string());

/** Other keys are ignored; so is `quote_match`, since white space is always folded. */
const questionSchema = z.object({
  query: z.string().refine((query) => query.trim() !== '', 'is empty'),
  relevant_docs: z.array(z.string().min(1)),
  id: z.union([z.string(), z.number()]).nullish(),
  kind: z.string().nullish(),
  protocol: z.string().nullish(),
  equivalent_docs: strings.nullish(),
  ideal_answer_keywords: strings.nullish(),
  answer_quote: z.string().nullish(),
  more_quotes: strings.nullish(),
  chat_history: z.array(z.unknown()).nullish(),
});

const fileSchema = z.object({ queries: z.array(questionSchema) });

/**
 * Reads what `eval FILE|DIR` was given: a question file, or a BEIR folder.
 * @throws RagError `file-invalid`, with the place in the file.
 */
export async function readDataset(target: string): Promise<Dataset> {
  const found = await stat(target).catch((cause: unknown) => {
    throw new RagError('file-invalid', `There is no file or folder ${target}.`, {
      hint: 'eval needs a question file (JSON) or a BEIR folder (corpus.jsonl, queries.jsonl, qrels.tsv).',
      cause,
    });
  });
  if (found.isDirectory()) return readBeir(target);
  return parseQuestions(await readFile(target, 'utf8'), target);
}

/** @throws RagError `file-invalid`; `name` is what its message calls the file. */
export function parseQuestions(text: string, name: string): Dataset {
  const value = parseJson(text, name);
  const checked = fileSchema.safeParse(Array.isArray(value) ? { queries: value } : value);
  if (!checked.success) {
    const problems = checked.error.issues.slice(0, 3).map((issue) => `${placeOf(issue.path)}: ${issue.message}`);
    const more = checked.error.issues.length - problems.length;
    throw new RagError(
      'file-invalid',
      `${name} is not a question file: ${problems.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`,
      {
        hint: 'Each question needs "query" and "relevant_docs" (a list of paths, empty when the documents do not answer it).',
      },
    );
  }
  const { queries } = checked.data;
  if (queries.length === 0) throw new RagError('file-invalid', `${name} has no questions.`);
  const withHistory = queries.filter((question) => (question.chat_history ?? []).length > 0).length;
  return {
    questions: queries.map(toQuestion),
    beirFolder: null,
    warnings: withHistory === 0 ? [] : [historyWarning(withHistory)],
  };
}

function toQuestion(raw: z.infer<typeof questionSchema>, index: number): Question {
  return {
    id: String(raw.id ?? `#${index + 1}`),
    query: raw.query,
    kind: raw.kind || null,
    protocol: raw.protocol || null,
    judgments: { by: 'label', labels: raw.relevant_docs, equivalents: raw.equivalent_docs ?? [] },
    quotes: [raw.answer_quote ?? '', ...(raw.more_quotes ?? [])].filter((quote) => quote.trim() !== ''),
    keywords: (raw.ideal_answer_keywords ?? []).filter((keyword) => keyword.trim() !== ''),
  };
}

function historyWarning(questions: number): Warning {
  const message = `${questions} of the questions continue a conversation; they are asked without it.`;
  return { code: 'chat-history-unused', message };
}

function parseJson(text: string, name: string): unknown {
  const json = text.startsWith('\uFEFF') ? text.slice(1) : text;
  try {
    return JSON.parse(json);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    // The engine gives an offset or the words around the error, but not always both.
    const offset = / at position (\d+)/.exec(message)?.[1];
    const place = offset === undefined ? '' : `, line ${json.slice(0, Number(offset)).split('\n').length}`;
    throw new RagError('file-invalid', `${name} is not JSON${place}: ${message}.`, { cause });
  }
}

/** `queries[3].relevant_docs` */
function placeOf(path: readonly PropertyKey[]): string {
  const parts = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`));
  return parts.length === 0 ? 'the file' : parts.join('').replace(/^\./, '');
}
