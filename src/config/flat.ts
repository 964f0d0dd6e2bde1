/** Settings as a flat map of dotted keys, so that layers can be laid over each other and compared. Lists are values. */

export type FlatSettings = ReadonlyMap<string, unknown>;

export function flatten(settings: object): Map<string, unknown> {
  const flat = new Map<string, unknown>();
  const visit = (value: object, prefix: string): void => {
    for (const [key, inner] of Object.entries(value) as [string, unknown][]) {
      if (inner === undefined) continue;
      if (isSection(inner)) visit(inner, `${prefix}${key}.`);
      else flat.set(prefix + key, inner);
    }
  };
  visit(settings, '');
  return flat;
}

/** Keys come from the schema, never from a file: `__proto__` cannot be among them. */
export function unflatten(flat: FlatSettings): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  for (const [path, value] of flat) {
    const parts = path.split('.');
    const last = parts.pop() as string;
    let section = settings;
    for (const part of parts) section = (section[part] ??= {}) as Record<string, unknown>;
    section[last] = value;
  }
  return settings;
}

const isSection = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
