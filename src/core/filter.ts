/**
 * Filters on metadata, as JSON: `{field: value | [values] | {gte, lte, exists}}`, `{and|or: […]}`, `{not: …}`.
 * Several fields in one object must all hold. A missing field matches nothing but `{exists: false}`.
 */
import { RagError } from './errors.ts';
import type { Chunk, MetadataValue } from './types.ts';

export type FilterScalar = string | number | boolean;

export interface FilterRange {
  readonly gte?: string | number;
  readonly lte?: string | number;
  readonly exists?: boolean;
}

export type FilterCondition = FilterScalar | readonly FilterScalar[] | FilterRange;

export type Filter =
  | { readonly and: readonly Filter[] }
  | { readonly or: readonly Filter[] }
  | { readonly not: Filter }
  | { readonly [field: string]: FilterCondition };

/** Fields that can always be filtered, whatever the documents' own metadata. */
export const BUILT_IN_FIELDS = ['source', 'path', 'type', 'title', 'section', 'language', 'modified'] as const;

/** The value of a field of a chunk, as filters see it; `undefined` when the chunk has no such field. */
export function fieldValue(chunk: Chunk, field: string): MetadataValue | undefined {
  switch (field) {
    case 'source':
      return chunk.metadata['source'] ?? chunk.sourceId;
    case 'path':
      return chunk.path;
    case 'type':
      return chunk.type;
    case 'title':
      return chunk.title;
    case 'section':
      return chunk.headingPath.length > 0 ? chunk.headingPath : undefined;
    case 'language':
      return chunk.language === '' ? undefined : chunk.language;
    default:
      return Object.hasOwn(chunk.metadata, field) ? chunk.metadata[field] : undefined;
  }
}

/** Whether one value (or any element of a list) satisfies a condition. `undefined` is a missing field. */
export function conditionHolds(value: MetadataValue | undefined, condition: FilterCondition): boolean {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) {
    return isRange(condition) && condition.exists === false;
  }
  const values: readonly FilterScalar[] = Array.isArray(value) ? value : [value as FilterScalar];
  if (isList(condition)) return values.some((v) => condition.some((c) => scalarEquals(v, c)));
  if (!isRange(condition)) return values.some((v) => scalarEquals(v, condition));
  if (condition.exists === false) return false;
  return values.some(
    (v) =>
      (condition.gte === undefined || compare(v, condition.gte) >= 0) &&
      (condition.lte === undefined || compare(v, condition.lte) <= 0),
  );
}

/** Evaluates a filter given the outcome of each single field condition: how stores compile filters to bitmaps. */
export function foldFilter<T>(
  filter: Filter,
  algebra: {
    readonly condition: (field: string, condition: FilterCondition) => T;
    readonly and: (parts: readonly T[]) => T;
    readonly or: (parts: readonly T[]) => T;
    readonly not: (part: T) => T;
  },
): T {
  const parts: T[] = [];
  for (const [key, value] of Object.entries(filter)) {
    if (key === 'and') parts.push(algebra.and((value as readonly Filter[]).map((f) => foldFilter(f, algebra))));
    else if (key === 'or') parts.push(algebra.or((value as readonly Filter[]).map((f) => foldFilter(f, algebra))));
    else if (key === 'not') parts.push(algebra.not(foldFilter(value as Filter, algebra)));
    else parts.push(algebra.condition(key, value as FilterCondition));
  }
  const [only, ...more] = parts;
  return only !== undefined && more.length === 0 ? only : algebra.and(parts);
}

/** Whether a chunk passes a filter. */
export function matchesFilter(chunk: Chunk, filter: Filter): boolean {
  return foldFilter<boolean>(filter, {
    condition: (field, condition) => conditionHolds(fieldValue(chunk, field), condition),
    and: (parts) => parts.every(Boolean),
    or: (parts) => parts.some(Boolean),
    not: (part) => !part,
  });
}

/**
 * Reads `key=value`, `key=a,b`, `key>=value`, `key<=value`; a value that is a number is compared as one.
 * @throws RagError `filter-invalid`
 */
export function parseFilterExpression(expression: string): Filter {
  const match = /^([^=<>]+?)(>=|<=|=)(.*)$/su.exec(expression);
  if (match === null) {
    throw invalid(`cannot read the filter "${expression}"`);
  }
  const [, key, operator, value] = match as unknown as [string, string, string, string];
  // Of other languages; read as they stand, they would match nothing.
  if (key.endsWith('!') || value.startsWith('=')) throw invalid(`cannot read the filter "${expression}"`);
  const field = key.trim();
  if (field === '') throw invalid(`the filter "${expression}" names no field`);
  if (operator === '>=') return { [field]: { gte: bound(value) } };
  if (operator === '<=') return { [field]: { lte: bound(value) } };
  const values = value.split(',').map((v) => scalar(v.trim()));
  return { [field]: values.length === 1 ? (values[0] as FilterScalar) : values };
}

/** No person nests deeper; every place that evaluates a filter goes down as deep. */
const MAX_DEPTH = 32;

/** Checks that a JSON value is a filter. @throws RagError `filter-invalid` */
export function parseFilter(value: unknown): Filter {
  checkFilter(value, 1);
  return value as Filter;
}

function checkFilter(value: unknown, depth: number): void {
  if (depth > MAX_DEPTH) throw invalid(`the filter is nested more than ${MAX_DEPTH} deep`);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid('a filter is a JSON object');
  }
  for (const [key, part] of Object.entries(value)) {
    if (key === 'and' || key === 'or') {
      if (!Array.isArray(part)) throw invalid(`"${key}" takes a list of filters`);
      for (const inner of part) checkFilter(inner, depth + 1);
    } else if (key === 'not') checkFilter(part, depth + 1);
    else checkCondition(key, part);
  }
}

function checkCondition(field: string, condition: unknown): void {
  if (isScalar(condition)) return;
  if (Array.isArray(condition)) {
    if (condition.every(isScalar)) return;
    throw invalid(`the list for "${field}" may hold text, numbers and true/false only`);
  }
  if (typeof condition !== 'object' || condition === null) throw invalid(`the condition on "${field}" is empty`);
  for (const [key, bound] of Object.entries(condition)) {
    const ok =
      key === 'exists'
        ? typeof bound === 'boolean'
        : ['gte', 'lte'].includes(key) && isScalar(bound) && typeof bound !== 'boolean';
    if (!ok) throw invalid(`"${key}" cannot be used on "${field}"`);
  }
}

function invalid(message: string): RagError {
  return new RagError('filter-invalid', message, {
    hint: 'write --filter key=value, key=a,b, key>=value or key<=value; or --filter-json \'{"key": {"gte": 3}}\'',
  });
}

const isScalar = (value: unknown): value is FilterScalar => ['string', 'number', 'boolean'].includes(typeof value);
const isList = (condition: FilterCondition): condition is readonly FilterScalar[] => Array.isArray(condition);
const isRange = (condition: FilterCondition): condition is FilterRange =>
  typeof condition === 'object' && !Array.isArray(condition);

function scalar(text: string): FilterScalar {
  if (text === 'true' || text === 'false') return text === 'true';
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

const bound = (text: string): string | number =>
  text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;

/** `"8"` on the command line and `8` in front matter are the same to a person, so they are here. */
function scalarEquals(a: FilterScalar, b: FilterScalar): boolean {
  return typeof a === typeof b ? a === b : String(a) === String(b);
}

function compare(a: FilterScalar, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [left, right] = [String(a), String(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}
