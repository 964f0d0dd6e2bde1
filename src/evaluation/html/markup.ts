/**
 * HTML with everything escaped that was not written here: questions, names of documents and answers are data. What
 * could reorder or hide text is shown as a visible escape, as on the terminal.
 */
import { printable } from '../../text/printable.ts';

/** Text that is HTML already; only {@link html} makes it. */
export interface Markup {
  readonly markup: string;
}

export type Value = string | number | Markup | null | readonly Value[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Safe as text, and in a quoted attribute. */
export const escapeHtml = (text: string): string =>
  printable(text).replace(/[&<>"']/g, (character) => ENTITIES[character] as string);

/**
 * A template whose values are escaped, but for markup; lists are joined, `null` is nothing. White space of the
 * template itself is one space, or none where it cannot be seen: in the source it only indents.
 */
export function html(template: TemplateStringsArray, ...values: readonly Value[]): Markup {
  let parts = collapsed.get(template);
  if (parts === undefined) collapsed.set(template, (parts = template.map(withoutIndent)));
  return {
    markup: parts.map((part, index) => part + (index < values.length ? render(values[index] ?? null) : '')).join(''),
  };
}

/** White space beside these elements is never seen. */
const BESIDE_BLOCKS =
  /\s*(<\/?(?:article|blockquote|caption|d[dlt]|details|div|fig\w+|h[1-6r]|header|html|body|head|li|main|nav|ol|p|section|summary|table|t[bdhrf]\w*|ul)(?:\s[^<>]*)?>)\s*/g;

const withoutIndent = (part: string): string =>
  part.replace(/\s+/g, ' ').replaceAll(' >', '>').replace(BESIDE_BLOCKS, '$1');

const collapsed = new WeakMap<TemplateStringsArray, readonly string[]>();

function render(value: Value): string {
  if (value === null) return '';
  if (typeof value === 'string') return escapeHtml(value);
  if (typeof value === 'number') return String(value);
  return 'markup' in value ? value.markup : value.map(render).join('');
}

export const NOTHING: Markup = { markup: '' };

/** Figures of the page: three digits after the point, a dash for what was not measured. */
export const figure = (value: number | null | undefined): string => (value == null ? '–' : value.toFixed(3));

/** With its sign, a real minus, and no sign for what rounds to nothing. */
export function signed(value: number): string {
  const text = Math.abs(value).toFixed(3);
  if (Number(text) === 0) return text;
  return `${value < 0 ? '−' : '+'}${text}`;
}

export const intervalText = ([lower, upper]: readonly [number, number]): string => `${plain(lower)} to ${plain(upper)}`;

const plain = (value: number): string =>
  `${value < 0 && value.toFixed(3) !== '-0.000' ? '−' : ''}${Math.abs(value).toFixed(3)}`;

export const pValue = (p: number): string => (p < 0.001 ? 'p < 0.001' : `p = ${p.toFixed(3)}`);

export function milliseconds(value: number): string {
  if (value >= 10_000) return `${(value / 1000).toFixed(1)} s`;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
}
