/** What an index was built with against what is asked of it now. */
import type { IndexSchema } from '../core/contracts.ts';
import { RagError } from '../core/errors.ts';

/** @throws RagError `index-mismatch`, naming every key that differs. */
export function checkSchema(built: IndexSchema, wanted: IndexSchema): void {
  const differences = schemaDifferences(built, wanted);
  if (differences.length === 0) return;
  throw new RagError('index-mismatch', `the index was built with other settings: ${differences.join('; ')}`, {
    hint: 'footnote ingest --rebuild builds it anew with the present settings',
  });
}

/** One line for each key, e.g. `analyzer.stem was true, is false`. Empty when the schemas agree. */
export function schemaDifferences(built: IndexSchema, wanted: IndexSchema): string[] {
  const [before, now] = [flatten(built), flatten(wanted)];
  const keys = [...new Set([...before.keys(), ...now.keys()])].sort();
  return keys
    .filter((key) => before.get(key) !== now.get(key))
    .map((key) => `${key} was ${before.get(key) ?? 'not set'}, is ${now.get(key) ?? 'not set'}`);
}

function flatten(schema: IndexSchema): Map<string, string> {
  const flat = new Map<string, string>();
  const visit = (key: string, value: unknown): void => {
    if (value === undefined) return;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      flat.set(key, JSON.stringify(value));
      return;
    }
    const entries = Object.entries(value);
    if (entries.length === 0 && key !== '') flat.set(key, '{}');
    for (const [name, part] of entries) visit(key === '' ? name : `${key}.${name}`, part);
  };
  visit('spaces', Object.keys(schema.spaces).length === 0 ? undefined : schema.spaces);
  visit('sparse', Object.keys(schema.sparse ?? {}).length === 0 ? undefined : schema.sparse);
  visit('analyzer', schema.analyzer);
  visit('', schema.settings);
  return flat;
}
