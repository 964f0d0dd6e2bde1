/** The settings as a flat list of dotted keys: what files, environment variables and messages talk about. */
import { nearest } from '../text/nearest.ts';
import { configJsonSchema } from './schema.ts';

export interface SettingKey {
  /** `retrieve.topK`; `sources[].from` inside the elements of a list. */
  readonly path: string;
  readonly kind: 'section' | 'list' | 'number' | 'boolean' | 'text';
  readonly description: string;
  /** What a value must be, in words. */
  readonly expected: string;
  readonly nullable: boolean;
}

/** The part of JSON Schema that the settings use. */
interface Node {
  readonly type?: string;
  /** What a value is, in words, where the type does not say it. */
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Node[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly format?: string;
}

/** Sections too, each before its keys. */
export const settingKeys: readonly SettingKey[] = [...walk(configJsonSchema(), '')];

const byPath = new Map(settingKeys.map((key) => [key.path, key]));

/** `path` may hold positions (`sources.0.from`). */
export function settingKey(path: readonly PropertyKey[]): SettingKey | undefined {
  return byPath.get(genericPath(path));
}

/** `['sources', 0, 'from']` → `sources[].from` */
export function genericPath(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? '[]' : `.${String(part)}`))
    .join('')
    .slice(1);
}

/** What was probably meant by an unknown key: one beside it, else one of that name anywhere. */
export function nearestKey(parent: readonly PropertyKey[], unknown: string): string | undefined {
  const siblings = keysIn(parent);
  const near = nearest(unknown, siblings);
  if (near !== undefined) return [...parent, near].join('.');
  const elsewhere = settingKeys.filter((key) => key.kind !== 'section' && !key.path.includes('[]'));
  const leaf = nearest(
    unknown,
    elsewhere.map((key) => lastPart(key.path)),
  );
  return leaf === undefined ? undefined : elsewhere.find((key) => lastPart(key.path) === leaf)?.path;
}

/** Names of the keys directly in a section. */
export function keysIn(parent: readonly PropertyKey[]): string[] {
  const prefix = parent.length === 0 ? '' : `${genericPath(parent)}.`;
  return settingKeys
    .filter((key) => key.path.startsWith(prefix) && !/[.[]/u.test(key.path.slice(prefix.length)))
    .map((key) => key.path.slice(prefix.length));
}

const lastPart = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

function* walk(node: Node, path: string): Generator<SettingKey> {
  const alternatives = node.anyOf ?? [node];
  const main = alternatives.find((part) => part.type !== 'null') ?? node;
  const nullable = alternatives.length > 1;
  if (path !== '' && !path.endsWith('[]')) {
    const description = node.description ?? '';
    yield { path, kind: kindOf(main), description, expected: expectedOf(main, nullable), nullable };
  }
  for (const [key, value] of Object.entries(main.properties ?? {})) {
    yield* walk(value, path === '' ? key : `${path}.${key}`);
  }
  if (main.items?.properties !== undefined) yield* walk(main.items, `${path}[]`);
}

function kindOf(node: Node): SettingKey['kind'] {
  if (node.type === 'object') return node.properties === undefined ? 'list' : 'section';
  if (node.type === 'array') return 'list';
  if (node.type === 'boolean') return 'boolean';
  return node.type === 'string' ? 'text' : 'number';
}

function expectedOf(node: Node, nullable: boolean): string {
  const otherwise = nullable ? ', or null' : '';
  if (node.title !== undefined) return node.title + otherwise;
  if (node.enum !== undefined) return (node.enum.length > 1 ? 'one of ' : '') + node.enum.join(', ') + otherwise;
  switch (node.type) {
    case 'integer':
      return `a whole number from ${node.minimum} to ${node.maximum}${otherwise}`;
    case 'number':
      return `a number from ${node.minimum} to ${node.maximum}${otherwise}`;
    case 'boolean':
      return `true or false${otherwise}`;
    case 'array':
      return node.items?.type === 'object' ? 'a list of objects' : 'a list of texts';
    case 'object':
      return 'a section';
    case undefined:
    default:
      return (node.format === 'uri' ? 'an http(s) address' : 'text') + otherwise;
  }
}
