/** Results go to stdout, everything else to stderr. */
import { styleText } from 'node:util';
import type { Warning } from '../core/types.ts';
import { printableJson, printableLine } from '../text/printable.ts';

/** Resolves when the text has been handed over: a process that ends earlier would cut it at a pipe's buffer. */
export function writeOut(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (error == null) resolve();
      else reject(error);
    });
  });
}

export const writeJson = (value: unknown): Promise<void> => writeOut(`${printableJson(value, 2)}\n`);

/** One JSON value a line, for `--events`. */
export const writeJsonLine = (value: unknown): Promise<void> => writeOut(`${printableJson(value)}\n`);

export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

export function noteWarning(warning: Warning): void {
  const hint = warning.hint === undefined ? '' : ` (${warning.hint})`;
  note(`warning: ${printableLine(`${warning.message}${hint}`)}`);
}

type Format = Parameters<typeof styleText>[0];

/** Colours and weights, only on a terminal whose user did not decline them (NO_COLOR). */
export function style(format: Format, text: string): string {
  const { NO_COLOR: declined, TERM: terminal } = process.env;
  const plain = !process.stdout.isTTY || (declined !== undefined && declined !== '') || terminal === 'dumb';
  return plain ? text : styleText(format, text, { validateStream: false });
}

export const columns = (): number => (process.stdout.isTTY ? Math.max(40, process.stdout.columns) : 100);

/** Shortens one line to a width, by code points, so that no character is cut in two. */
export function clip(text: string, width: number): string {
  if (text.length <= width) return text;
  const characters = Array.from(text);
  return characters.length <= width ? text : `${characters.slice(0, width - 1).join('')}…`;
}

/** Rows as aligned columns; numbers to the right. */
export function table(rows: readonly (readonly (string | number)[])[]): string {
  const width = (column: number): number => Math.max(...rows.map((row) => String(row[column] ?? '').length));
  const widths = (rows[0] ?? []).map((_, column) => width(column));
  return rows
    .map((row) =>
      row
        .map((cell, i) =>
          typeof cell === 'number' ? String(cell).padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
