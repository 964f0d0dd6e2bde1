/**
 * BEIR collections: `corpus.jsonl` (`_id`, `title`, `text`), `queries.jsonl` (`_id`, `text`) and judgments in
 * `qrels.tsv` or `qrels/test.tsv` (query, document, grade). The corpus itself is read by `beirSource`.
 */
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { RagError } from '../core/errors.ts';
import type { Warning } from '../core/types.ts';
import { readLines, type Line } from './json-lines.ts';
import type { Dataset, Question } from './types.ts';

/** Bad lines that are listed one by one; the rest are counted. */
const LISTED = 20;

const id = z.union([z.string().min(1), z.number()]).transform(String);
const querySchema = z.object({ _id: id, text: z.string() });
const recordSchema = z.object({ _id: id, title: z.string().nullish(), text: z.string() });

/** What a collection of judged documents does not say about its queries. */
const UNLABELLED = { kind: null, protocol: null, quotes: [], keywords: [] } as const;

/** One line of `corpus.jsonl`. */
export interface BeirRecord {
  readonly id: string;
  /** `''` when it has none. */
  readonly title: string;
  readonly text: string;
}

export const corpusFile = (folder: string): string => join(resolve(folder), 'corpus.jsonl');

/** The address of a corpus' document: `file:///…/corpus.jsonl#ID`. @throws URIError for an id that is not Unicode. */
export const beirUri = (folder: string, documentId: string): string =>
  `${pathToFileURL(corpusFile(folder)).href}#${encodeURIComponent(documentId)}`;

/** @throws Error that says what is wrong with the line, without its number. */
export function parseRecord(line: string): BeirRecord {
  const record = parseLine(recordSchema, line);
  return { id: record._id, title: record.title ?? '', text: record.text };
}

/**
 * Reads the judged queries of a BEIR folder: what has no judgment is not a question of this collection. Lines that
 * cannot be read are warnings with their number.
 * @throws RagError `file-invalid` when a file is missing, or no query is judged.
 */
export async function readBeir(folder: string): Promise<Dataset> {
  await requireFile(folder, 'corpus.jsonl');
  await requireFile(folder, 'queries.jsonl');
  const qrels = (await isFile(join(folder, 'qrels.tsv'))) ? 'qrels.tsv' : 'qrels/test.tsv';
  await requireFile(folder, qrels);

  const problems: string[] = [];
  const texts = await readQueries(folder, problems);
  const judged = await readQrels(folder, qrels, problems);
  const questions: Question[] = [];
  for (const [queryId, grades] of judged) {
    const query = texts.get(queryId);
    if (query === undefined) problems.push(`${qrels}: query ${queryId} is not in queries.jsonl`);
    else if (![...grades.values()].some((grade) => grade > 0))
      problems.push(`${qrels}: query ${queryId} has no relevant document`);
    else questions.push({ ...UNLABELLED, id: queryId, query, judgments: { by: 'uri', grades } });
  }
  if (questions.length === 0) {
    throw new RagError(
      'file-invalid',
      `${folder} has no query with a relevant document${problems[0] === undefined ? '' : `: ${problems[0]}`}.`,
    );
  }
  return { questions, beirFolder: folder, warnings: toWarnings(problems) };
}

async function readQueries(folder: string, problems: string[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for await (const line of readLines(join(folder, 'queries.jsonl'))) {
    try {
      const query = parseLine(querySchema, line.text);
      if (query.text.trim() === '') throw new Error('text is empty');
      texts.set(query._id, query.text);
    } catch (error) {
      problems.push(`queries.jsonl:${line.number}: ${(error as Error).message}`);
    }
  }
  return texts;
}

/** Query id → address of document → grade. A pair that is judged twice keeps its last grade, as in trec_eval. */
async function readQrels(folder: string, file: string, problems: string[]): Promise<Map<string, Map<string, number>>> {
  const judged = new Map<string, Map<string, number>>();
  for await (const line of readLines(join(folder, file))) {
    if (isHeader(line)) continue;
    try {
      const [queryId, documentId, grade] = parseJudgment(line.text);
      const grades = judged.get(queryId) ?? new Map<string, number>();
      judged.set(queryId, grades.set(beirUri(folder, documentId), grade));
    } catch (error) {
      problems.push(`${file}:${line.number}: ${(error as Error).message}`);
    }
  }
  return judged;
}

const isHeader = (line: Line): boolean => line.number === 1 && Number.isNaN(Number(line.text.split('\t')[2]));

function parseJudgment(line: string): [queryId: string, documentId: string, grade: number] {
  const [queryId, documentId, grade, ...rest] = line.split('\t');
  if (!queryId || !documentId || !grade?.trim() || rest.length > 0) {
    throw new Error('expected query, document and grade, separated by tabs');
  }
  if (!Number.isFinite(Number(grade))) throw new Error(`the grade "${grade}" is not a number`);
  return [queryId, documentId, Number(grade)];
}

function parseLine<T>(schema: z.ZodType<T>, line: string): T {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Error('not JSON');
  }
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const issue = checked.error.issues[0];
  throw new Error(`${issue?.path.join('.') || 'the line'}: ${issue?.message ?? 'not a record'}`);
}

function toWarnings(problems: readonly string[]): Warning[] {
  const listed = problems.slice(0, LISTED);
  if (problems.length > LISTED) listed.push(`… and ${problems.length - LISTED} more of this kind.`);
  return listed.map((message) => ({ code: 'evaluation-line-skipped', message }));
}

async function requireFile(folder: string, file: string): Promise<void> {
  if (await isFile(join(folder, file))) return;
  throw new RagError('file-invalid', `${folder} is not a BEIR folder: it has no ${file}.`, {
    hint: 'A BEIR folder has corpus.jsonl, queries.jsonl and qrels.tsv (or qrels/test.tsv).',
  });
}

const isFile = (file: string): Promise<boolean> =>
  stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
