/** `FOOTNOTE_RETRIEVE__TOP_K=5`: a double underscore goes one level down, a single one is the next word. */
import { RagError } from '../core/errors.ts';
import type { Warning } from '../core/types.ts';
import { nearest } from '../text/nearest.ts';
import { FLAG_VARIABLES } from './environment.ts';
import { unflatten, type FlatSettings } from './flat.ts';
import { describeIssues } from './issues.ts';
import { settingKeys, type SettingKey } from './keys.ts';
import { fileSchema } from './schema.ts';

/** `retrieve.topK` → `FOOTNOTE_RETRIEVE__TOP_K` */
export function variableName(path: string): string {
  const parts = path.split('.').map((part) => part.replace(/([a-z0-9])([A-Z])/gu, '$1_$2').toUpperCase());
  return `FOOTNOTE_${parts.join('__')}`;
}

/** Settings that a variable can hold; lists as JSON. Sources belong into a file or on the command line. */
export const variables: ReadonlyMap<string, SettingKey> = new Map(
  settingKeys
    .filter(({ kind, path }) => kind !== 'section' && !path.includes('[]') && !['preset', 'sources'].includes(path))
    .map((key) => [variableName(key.path), key]),
);

/** @throws RagError `setting-invalid` */
export function readVariables(given: ReadonlyMap<string, string>): {
  readonly values: FlatSettings;
  readonly warnings: readonly Warning[];
} {
  const values = new Map<string, unknown>();
  const warnings: Warning[] = [];
  for (const [name, text] of given) {
    const key = variables.get(name);
    if (key === undefined) warnings.push(unknownVariable(name));
    else values.set(key.path, readValue(name, key, text));
  }
  return { values, warnings };
}

/** A value as text, of the key's type. @param name What messages call it. @throws RagError `setting-invalid` */
export function readValue(name: string, key: SettingKey, text: string): unknown {
  const trimmed = text.trim();
  const value = key.nullable && trimmed === 'null' ? null : typed(key.kind, trimmed);
  const nested = unflatten(new Map([[key.path, value]]));
  const checked = fileSchema.safeParse(nested);
  if (checked.success) return value;
  const [issue] = describeIssues(checked.error, nested);
  throw new RagError('setting-invalid', `${name}: ${issue?.message ?? 'is not valid'}`, {
    hint: `${key.path}: ${key.description}`,
  });
}

/** Text that is not of the type is left as it is, for the schema to refuse. */
function typed(kind: SettingKey['kind'], text: string): unknown {
  if (kind === 'number' && Number.isFinite(Number(text))) return Number(text);
  if (kind === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (kind === 'list') return fromJson(text);
  return text;
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function unknownVariable(name: string): Warning {
  const near = nearest(name, [...variables.keys(), ...FLAG_VARIABLES]);
  return {
    code: 'unknown-variable',
    message: `${name} is not a setting, and was ignored`,
    ...(near === undefined ? {} : { hint: `did you mean ${near}?` }),
  };
}
