/** Aligned columns of plain text, for the terminal. */
import { printableLine } from '../text/printable.ts';
import type { Figure, Interval } from './types.ts';

/** Of the first column; a longer name has a line of its own. */
const NAME_COLUMNS = 22;
const LINE_COLUMNS = 100;

/** The first cell is the name; a name alone is a line of its own. */
export type Row = readonly [name: string, ...cells: readonly (string | Figure | undefined)[]];

/** The first column left-aligned, the others right-aligned and two spaces apart. */
export function table(header: Row, rows: readonly Row[]): string {
  const lines = [header, ...rows].flatMap(([name, ...cells]) => {
    const shown = line(name);
    const values = cells.map(cell);
    if (values.length === 0) return [[shown]];
    return shown.length <= NAME_COLUMNS ? [[shown, ...values]] : [[shown], ['', ...values]];
  });
  const widths = header.map((_, column) =>
    Math.max(0, ...lines.filter((cells) => cells.length > 1).map((cells) => cells[column]?.length ?? 0)),
  );
  return lines
    .map((cells) =>
      cells.map((text, column) => (column === 0 ? text.padEnd(widths[0] ?? 0) : right(text, widths[column]))),
    )
    .map((cells) => cells.join('  ').trimEnd())
    .join('\n');
}

const right = (text: string, width = 0): string => text.padStart(width);

function cell(value: string | Figure | undefined): string {
  return typeof value === 'number' ? value.toFixed(3) : line(value ?? '–');
}

/** Names of presets and kinds come from files: none of their control characters may reach the terminal. */
function line(text: string): string {
  // What comes first stays: a list's indent.
  const indent = /^ */u.exec(text)?.[0] ?? '';
  const shown = indent + printableLine(text);
  return shown.length > LINE_COLUMNS ? `${shown.slice(0, LINE_COLUMNS - 1)}…` : shown;
}

/** `0.76–0.91`; nothing where there is none. */
export function range(interval: Interval | undefined): string {
  return interval === undefined ? '' : `${interval[0].toFixed(2)}–${interval[1].toFixed(2)}`;
}

/** `0.844 0.76–0.91` in one cell. */
export function withRange(figure: Figure, interval: Interval | undefined): string {
  return figure === null ? '–' : `${figure.toFixed(3)} ${range(interval)}`.trimEnd();
}

/** `+0.031` */
export function signed(difference: number): string {
  const text = difference.toFixed(3);
  return difference > 0 && Number(text) !== 0 ? `+${text}` : text.replace(/^-(?=0\.000$)/u, '').replace('-', '−');
}

export const pValue = (p: number): string => (p < 0.001 ? '<0.001' : p.toFixed(3));
