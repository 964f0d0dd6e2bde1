/**
 * How important documents are, from a CSV of page views (`path,views`) or of importances (`path,importance`, 0 to 1):
 * `ingest --importance FILE`. Kept in the index folder, and read when `adjust.importance` is set.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RagError } from './core/errors.ts';
import type { Warning } from './core/types.ts';

const FILE = 'importance.json';

export interface ImportanceTable {
  /** By path, 0 to 1. */
  readonly values: ReadonlyMap<string, number>;
  readonly warnings: readonly Warning[];
}

/** By path, 0 to 1; empty when none was given. */
export async function readImportance(folder: string): Promise<ReadonlyMap<string, number>> {
  try {
    return new Map(Object.entries(JSON.parse(await readFile(join(folder, FILE), 'utf8')) as Record<string, number>));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw new RagError('index-damaged', `${join(folder, FILE)} cannot be read`, {
      hint: 'give it again: footnote ingest --importance FILE',
      cause: error,
    });
  }
}

/** Replaces what was known. */
export async function writeImportance(folder: string, values: ReadonlyMap<string, number>): Promise<void> {
  const path = join(folder, FILE);
  await writeFile(`${path}.new`, JSON.stringify(Object.fromEntries(values)), { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** @throws RagError `file-invalid` for a file that is no such table */
export const importanceTable = async (csvPath: string): Promise<ImportanceTable> =>
  parseImportance(await readText(csvPath), csvPath);

/** Views become log(1 + views) / log(1 + most views): the hundredth view says less than the second. */
export function parseImportance(text: string, name: string): ImportanceTable {
  const [head = '', ...lines] = text.replace(/^\ufeff/u, '').split(/\r\n|\n|\r/u);
  const kind = /^"?path"?\s*[,;]\s*"?(?<kind>views|importance)"?\s*$/iu.exec(head)?.groups?.['kind']?.toLowerCase();
  if (kind === undefined) {
    throw new RagError('file-invalid', `${name} does not begin with path,views or path,importance`, {
      hint: 'the first line names the columns, every other line is a document',
    });
  }
  const rows = new Map<string, number>();
  const bad: number[] = [];
  lines.forEach((line, index) => {
    if (line.trim() === '') return;
    const row = ROW.exec(line)?.groups;
    const value = Number(row?.['value']);
    const path = row?.['quoted']?.replaceAll('""', '"') ?? row?.['path'] ?? '';
    if (path === '' || !(value >= 0 && value <= (kind === 'views' ? Infinity : 1))) bad.push(index + 2);
    else rows.set(path, value);
  });
  const most = Math.max(0, ...rows.values());
  const share = (value: number): number => (most > 0 ? Math.log1p(value) / Math.log1p(most) : 0);
  const values = kind === 'views' ? new Map([...rows].map(([path, value]) => [path, share(value)])) : rows;
  return { values, warnings: bad.length === 0 ? [] : [badLines(name, bad)] };
}

const ROW = /^(?:"(?<quoted>(?:[^"]|"")*)"|(?<path>.*?))\s*[,;]\s*"?(?<value>[\d.]+)"?\s*$/u;

const badLines = (name: string, lines: readonly number[]): Warning => ({
  code: 'importance-line',
  message: `${name}: ${lines.length === 1 ? 'line' : 'lines'} ${lines.slice(0, 10).join(', ')}${lines.length > 10 ? ' …' : ''} cannot be read, and ${lines.length === 1 ? 'is' : 'are'} left out`,
});

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new RagError('file-invalid', `${path} cannot be read (${String((cause as NodeJS.ErrnoException).code)})`, {
      cause,
    });
  }
}
