/** The block of metadata at the very start of a Markdown file: YAML between `---`, TOML (not read) between `+++`. */
import { isAlias, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import type { MetadataValue } from '../core/types.ts';

export interface FrontMatter {
  /** Offset at which the body begins; 0 when there is no front matter. */
  readonly end: number;
  /** Top-level scalars and lists of scalars; nested objects are left out. */
  readonly values: ReadonlyMap<string, MetadataValue>;
  /** Why some or all values are missing, in words. */
  readonly problem: string | undefined;
}

const MAX_YAML_CHARS = 32_768;

/** Unclosed front matter is text, and so is a paragraph between two rules, which YAML reads as a single string. */
export function readFrontMatter(text: string): FrontMatter {
  const values = new Map<string, MetadataValue>();
  const fence = /^(?:---|\+\+\+)(?=[ \t]*[\r\n])/u.exec(text)?.[0];
  if (fence === undefined) return { end: 0, values, problem: undefined };
  const closing =
    fence === '---' ? /[\r\n](?:---|\.\.\.)[ \t]*(?:\r\n|\r|\n|$)/gu : /[\r\n]\+\+\+[ \t]*(?:\r\n|\r|\n|$)/gu;
  closing.lastIndex = fence.length;
  const found = closing.exec(text);
  if (found === null) return { end: 0, values, problem: undefined };
  const end = closing.lastIndex;
  if (fence !== '---') return { end, values, problem: undefined };
  if (end > MAX_YAML_CHARS) return { end, values, problem: `it is longer than ${MAX_YAML_CHARS} characters` };
  const source = text.slice(fence.length, found.index).replace(/\r\n?/gu, '\n');
  const yaml = readYaml(source);
  if (yaml === 'not-a-mapping') return { end: 0, values, problem: undefined };
  if (typeof yaml !== 'string') return { end, values: yaml, problem: undefined };
  return { end, values: readEntries(source), problem: yaml };
}

/** Aliases are looked up here, one level deep, and never expanded: a "YAML bomb" stays small. */
const MAX_ALIASES = 20;

/** Core schema: no tag makes anything but plain values. Returns the problem, in words, when it cannot be read. */
function readYaml(source: string): ReadonlyMap<string, MetadataValue> | string {
  const values = new Map<string, MetadataValue>();
  if (isDeep(source)) return 'its YAML is nested too deeply';
  try {
    const yaml = parseDocument(source, YAML_OPTIONS);
    const [error] = yaml.errors;
    if (error !== undefined) return `its YAML is broken (${error.message})`;
    if (yaml.contents === null) return values;
    if (!isMap(yaml.contents))
      return isScalar(yaml.contents) && yaml.contents.value === null ? values : 'not-a-mapping';
    let aliases = 0;
    const resolve = (node: unknown): unknown => (isAlias(node) && ++aliases <= MAX_ALIASES ? node.resolve(yaml) : node);
    for (const { key, value } of yaml.contents.items) {
      const name = isScalar(key) ? String(key.value) : '';
      const node = resolve(value);
      const plain = isSeq(node) ? listValue(node.items.map(resolve)) : scalarValue(node);
      if (name !== '' && plain !== undefined) values.set(name, plain);
    }
    return values;
  } catch (error) {
    return `its YAML cannot be read (${error instanceof Error ? error.message : String(error)})`;
  }
}

const MAX_FLOW_DEPTH = 32;
const MAX_INDICATORS = 64;
const MAX_INDENTATION = 200;

/**
 * Whether the reader could run out of stack: deep brackets, `- - - …` or `a: b: …` on a line, deep indentation. That
 * cannot be left to a `catch`: V8 ends the process when a regular expression is compiled at the end of the stack.
 */
function isDeep(source: string): boolean {
  let depth = 0;
  for (const c of source) {
    if (c === '[' || c === '{') depth++;
    else if (c === ']' || c === '}') depth = Math.max(0, depth - 1);
    if (depth > MAX_FLOW_DEPTH) return true;
  }
  return source.split('\n').some((line) => {
    const indicators = line.match(/[-?:](?=\s|$)/gu)?.length ?? 0;
    return indicators > MAX_INDICATORS || line.length - line.trimStart().length > MAX_INDENTATION;
  });
}

const YAML_OPTIONS = {
  schema: 'core',
  merge: false,
  uniqueKeys: false,
  logLevel: 'silent',
  prettyErrors: false,
} as const;

const MAX_ENTRIES = 200;

/** Of broken YAML, the entries that can be read one by one: a bad line must not cost the page its title. */
function readEntries(source: string): ReadonlyMap<string, MetadataValue> {
  const values = new Map<string, MetadataValue>();
  for (const entry of source.split(/\n(?=[A-Za-z_])/u).slice(0, MAX_ENTRIES)) {
    const yaml = /^[A-Za-z_][\w.-]*:(?:\s|$)/u.test(entry.trimStart()) ? readYaml(entry) : '';
    if (typeof yaml !== 'string') for (const [key, value] of yaml) values.set(key, value);
  }
  return values;
}

function scalarValue(node: unknown): string | number | boolean | undefined {
  const value = isScalar(node) ? node.value : undefined;
  if (typeof value === 'string') return isoTime(value);
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value)) ? value : undefined;
}

function listValue(nodes: readonly unknown[]): readonly string[] | readonly number[] | undefined {
  const values = nodes.map(scalarValue);
  if (values.some((value) => value === undefined)) return undefined;
  return values.length > 0 && values.every((value) => typeof value === 'number') ? values : values.map(String);
}

/** A point in time as ISO 8601 in UTC (YAML's default zone); everything else, also a plain date, as it is. */
function isoTime(value: string): string {
  const time = /^(\d{4}-\d\d-\d\d)[Tt ]+(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)[ ]?(Z|[+-]\d\d:?\d\d)?$/u.exec(value);
  const date = time === null ? undefined : new Date(`${time[1]}T${time[2]}${time[3] ?? 'Z'}`);
  return date === undefined || Number.isNaN(date.getTime()) ? value : date.toISOString();
}
