/** What the schema found wrong, in words that name the setting, what it must be and what was probably meant. */
import type { z } from 'zod';
import { printableLine } from '../text/printable.ts';
import { genericPath, keysIn, nearestKey, settingKey } from './keys.ts';

export interface SettingIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly hint?: string;
}

export function describeIssues(error: z.ZodError, value: unknown): SettingIssue[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(issue.path, key));
    if (issue.code === 'custom') return [{ path: issue.path, message: `${dotted(issue.path)} ${issue.message}` }];
    return [wrongValue(issue.path, value)];
  });
}

/** `sources.0.from` for people. */
export const dotted = (path: readonly PropertyKey[]): string => path.map(String).join('.');

function unknownKey(parent: readonly PropertyKey[], key: string): SettingIssue {
  const path = [...parent, key];
  const near = nearestKey(parent, key);
  const hint = near === undefined ? `known here: ${keysIn(parent).join(', ')}` : `did you mean ${near}?`;
  return { path, message: `there is no setting ${printableLine(dotted(path)).slice(0, 80)}`, hint };
}

function wrongValue(path: readonly PropertyKey[], value: unknown): SettingIssue {
  // A wrong element of a list of texts is told of the list.
  let depth = path.length;
  while (depth > 0 && settingKey(path.slice(0, depth)) === undefined) depth--;
  const place = path.slice(0, depth);
  const found = valueAt(value, path);
  if (found === undefined) return { path, message: `${dotted(path)} is missing` };
  const expected = settingKey(place)?.expected ?? 'a section';
  const name = place.length === 0 ? 'the configuration' : dotted(place);
  return { path: place, message: `${name} must be ${expected}, not ${shown(found)}` };
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<PropertyKey, unknown>)[key] : undefined,
    value,
  );
}

function shown(value: unknown): string {
  const text = printableLine(JSON.stringify(value));
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}

/**
 * A key that looks like a secret and is no setting: a configuration file is committed, copied and shown.
 * `maxTokens` is not one, `token`, `accessToken` and `api_key` are.
 */
export function findSecret(value: unknown, path: readonly PropertyKey[] = []): SettingIssue | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const here = [...path, Array.isArray(value) ? Number(key) : key];
    if (!Array.isArray(value) && SECRET.test(snake(key)) && settingKey(here) === undefined) {
      return {
        path: here,
        message: `${genericPath(here)} looks like a secret, and a configuration file never holds one`,
        hint: 'put the value into an environment variable, and name that variable in the configuration',
      };
    }
    const deeper = findSecret(inner, here);
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}

const SECRET =
  /(?:^|_)(?:(?:api|access|private|secret|auth|account)_?key|password|passwd|passphrase|secret|credentials?|bearer|token|authorization)$/u;

const snake = (key: string): string =>
  key
    .replace(/([a-z0-9])([A-Z])/gu, '$1_$2')
    .replace(/[-\s]+/gu, '_')
    .toLowerCase();
