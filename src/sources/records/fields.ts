/** Which key or column is what, and which of the others can be filtered on. */
import type { Metadata, MetadataValue } from '../../core/types.ts';

/** The usual names of a part, best first. */
const USUAL_NAMES: Readonly<Record<Part, readonly string[]>> = {
  id: ['id', '_id', 'uuid', 'key'],
  title: ['title', 'name', 'heading'],
  text: ['text', 'content', 'markdown', 'body'],
  url: ['url', 'link', 'permalink'],
  question: ['question', 'q'],
  answer: ['answer', 'a'],
  verified: ['verified', 'is_verified'],
};

type Part = 'id' | 'title' | 'text' | 'url' | 'question' | 'answer' | 'verified';

/** The name of a part among `names`: the one that is set, else a usual one in any case of letters. */
export function nameOf(part: Part, names: readonly string[], set: string | undefined): string | undefined {
  if (set !== undefined) return names.includes(set) ? set : undefined;
  for (const usual of USUAL_NAMES[part]) {
    const found = names.find((name) => name.toLowerCase() === usual);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** UTF-8 holds no lone surrogates. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd');

/** One line, for titles and keys. */
export const oneLine = (text: string): string =>
  wellFormed(text)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();

/** A key stands in the address of every chunk. */
const MAX_KEY_CHARS = 300;

export const keyOf = (text: string): string =>
  oneLine(text)
    .slice(0, MAX_KEY_CHARS)
    .replace(/\p{Surrogate}$/u, '');

/** Longer texts are content, not something to filter by; metadata is kept with every chunk. */
const MAX_VALUE_CHARS = 1000;

/** Names that mean something else in an index: such a field keeps its value under `record_…`. */
const TAKEN = new Set(['source', 'path', 'section', 'title']);
const MODIFIED = ['modified', 'updated_at', 'last_modified', 'updated'];

/** Scalars and lists of them; a date of change also as `modified`, which every index knows. */
export function filterable(fields: Iterable<readonly [string, unknown]>): Metadata {
  const metadata: Record<string, MetadataValue> = {};
  let modified: string | undefined;
  for (const [name, value] of fields) {
    const kept = metadataValue(value);
    if (name === '' || kept === undefined) continue;
    if (MODIFIED.includes(name.toLowerCase())) modified ??= isoDate(kept);
    metadata[TAKEN.has(name) ? `record_${name}` : wellFormed(name)] = kept;
  }
  delete metadata['modified'];
  return modified === undefined ? metadata : { ...metadata, modified };
}

function metadataValue(value: unknown): MetadataValue | undefined {
  if (typeof value === 'string') return value.length <= MAX_VALUE_CHARS ? wellFormed(value) : undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'boolean') return value;
  return Array.isArray(value) ? listValue(value) : undefined;
}

function listValue(values: readonly unknown[]): MetadataValue | undefined {
  if (values.length === 0 || values.length > 100) return undefined;
  if (values.every((value): value is number => Number.isFinite(value))) return values;
  const texts = values.filter((value) => typeof value === 'string' && value.length <= MAX_VALUE_CHARS);
  return texts.length === values.length ? texts.map((value) => wellFormed(value as string)) : undefined;
}

function isoDate(value: MetadataValue): string | undefined {
  const date = new Date(typeof value === 'string' ? value : NaN);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** A web address that a person can open. */
export function webAddress(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^https?:\/\//iu.test(value) || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  return url.username === '' && url.password === '' ? url.href : undefined;
}
