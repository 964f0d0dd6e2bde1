/** The variables that are ours: three stand for flags, all others are settings (`variables.ts`). */

export type Environment = Readonly<Record<string, string | undefined>>;

export const FLAG_VARIABLES = ['FOOTNOTE_INDEX', 'FOOTNOTE_CONFIG', 'FOOTNOTE_PRESET'] as const;

/** An empty variable counts as not set. */
export function flagVariable(environment: Environment, name: (typeof FLAG_VARIABLES)[number]): string | undefined {
  return environment[name] === '' ? undefined : environment[name];
}

export function settingVariables(environment: Environment): ReadonlyMap<string, string> {
  const ours = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[0].startsWith('FOOTNOTE_') &&
      !(FLAG_VARIABLES as readonly string[]).includes(entry[0]) &&
      entry[1] !== undefined &&
      entry[1].trim() !== '',
  );
  return new Map(ours);
}
