/** `eval --vary KEY=a,b,c`: a grid of settings around a preset, each point measured as a preset of its own. */
import { stringify } from 'yaml';
import { checkSettings } from './config/check.ts';
import { flatten, unflatten, type FlatSettings } from './config/flat.ts';
import { keysIn, nearestKey, type SettingKey } from './config/keys.ts';
import { readValue, variableName, variables } from './config/variables.ts';
import { isRagError, RagError } from './core/errors.ts';
import type { Settings } from './core/settings.ts';
import type { Warning } from './core/types.ts';
import { allPairs, type Pair } from './evaluation/compare.ts';

/** Settings under the name that the report gives them. */
export interface MeasuredPreset {
  readonly name: string;
  readonly settings: Settings;
}

/** What was made of one preset. */
export interface VariedPreset {
  /** The preset as it is: under its own name, or the point of the grid that it equals. */
  readonly baseline: string;
  /** What differs from the preset at each point, by dotted key; by name of the point. */
  readonly points: ReadonlyMap<string, FlatSettings>;
}

export interface Grid {
  /** All that is to be measured. */
  readonly presets: readonly MeasuredPreset[];
  /** Baselines with each other, and every point with its own. */
  readonly pairs: readonly Pair[];
  readonly varied: readonly VariedPreset[];
  readonly warnings: readonly Warning[];
}

const MAX_POINTS = 64;

/**
 * What has to stay below a varied setting follows it down: `chunk.maxTokens=256` aims at 256 tokens at most. Other
 * points that the schema refuses are left out, and said.
 */
const FOLLOWERS: readonly { readonly key: string; readonly limit: string; readonly below: number }[] = [
  { key: 'chunk.targetTokens', limit: 'chunk.maxTokens', below: 0 },
  { key: 'chunk.minTokens', limit: 'chunk.targetTokens', below: 0 },
  { key: 'chunk.overlapTokens', limit: 'chunk.maxTokens', below: 1 },
  { key: 'chunk.overlapChars', limit: 'chunk.maxChars', below: 1 },
];

/**
 * The Cartesian product of all values, around each preset.
 * @throws RagError `setting-invalid` for an unknown key, a value out of its range, more than 64 points, and where no
 * point is valid
 */
export function varyPresets(presets: readonly Settings[], specifications: readonly string[]): Grid {
  const values = readSpecifications(specifications);
  const count = [...values.values()].reduce((product, { length }) => product * length, presets.length);
  if (count > MAX_POINTS) {
    throw new RagError('setting-invalid', `--vary makes ${count} points; at most ${MAX_POINTS} are measured at once`, {
      hint: 'leave out values, or vary one setting after the other',
    });
  }
  const changes = product(values);
  const grids = presets.map((settings) => varyOne(settings, changes));
  return {
    presets: grids.flatMap((grid) => grid.presets),
    pairs: [
      ...allPairs(grids.map(({ baseline }) => baseline)),
      ...grids.flatMap(({ baseline, points }) =>
        [...points.keys()].filter((name) => name !== baseline).map((name): Pair => [name, baseline]),
      ),
    ],
    varied: grids.map(({ baseline, points }) => ({ baseline, points })),
    warnings: grids.flatMap((grid) => grid.warnings),
  };
}

function varyOne(
  settings: Settings,
  changes: readonly FlatSettings[],
): VariedPreset & Pick<Grid, 'presets' | 'warnings'> {
  const flat = flatten(settings);
  const points = new Map<string, FlatSettings>();
  const presets: MeasuredPreset[] = [];
  const warnings: Warning[] = [];
  let baseline = settings.preset;
  for (const change of changes) {
    const name = [settings.preset, ...[...change].map(([key, value]) => `${key}=${shown(value)}`)].join(' ');
    const followed = follow(flat, change);
    const all = new Map([...change, ...followed]);
    try {
      const point = checkSettings(unflatten(new Map([...flat, ...all])));
      presets.push({ name, settings: point });
      points.set(name, all);
      if (isSame(flatten(point), flat)) baseline = name;
      if (followed.size > 0) warnings.push(followsWarning(name, followed));
    } catch (error) {
      if (!isRagError(error) || error.code !== 'setting-invalid') throw error;
      warnings.push({ code: 'point-invalid', message: `${name} was left out: ${error.message}` });
    }
  }
  if (presets.length === 0) {
    throw new RagError('setting-invalid', warnings[0]?.message ?? 'there is nothing to vary', {
      hint: 'vary the settings that limit it too, or choose other values',
    });
  }
  if (baseline === settings.preset) presets.unshift({ name: baseline, settings });
  return { baseline, points, presets, warnings };
}

function follow(flat: FlatSettings, change: FlatSettings): Map<string, unknown> {
  const followed = new Map<string, unknown>();
  for (const { key, limit, below } of FOLLOWERS) {
    const value = (at: string): unknown => followed.get(at) ?? change.get(at) ?? flat.get(at);
    const most = Number(value(limit)) - below;
    const moved = change.has(limit) || followed.has(limit);
    if (moved && !change.has(key) && Number(value(key)) > most) followed.set(key, most);
  }
  return followed;
}

function followsWarning(name: string, followed: FlatSettings): Warning {
  const told = [...followed].map(([key, value]) => `${key} is ${shown(value)} there`).join(', ');
  return { code: 'setting-follows', message: `${name}: ${told}, since more is not possible` };
}

function readSpecifications(specifications: readonly string[]): Map<string, readonly unknown[]> {
  const read = new Map<string, readonly unknown[]>();
  for (const specification of specifications) {
    const at = specification.indexOf('=');
    const key = settingNamed(specification.slice(0, at === -1 ? undefined : at).trim());
    const texts = at === -1 ? [] : splitValues(specification.slice(at + 1));
    if (texts.length === 0) {
      throw new RagError('setting-invalid', `--vary ${key.path} has no values`, { hint: `--vary ${key.path}=a,b,c` });
    }
    if (read.has(key.path)) {
      throw new RagError('setting-invalid', `--vary ${key.path} is there twice`, {
        hint: 'give all values in one: KEY=a,b,c',
      });
    }
    const values = texts.map((text) => readValue(`--vary ${key.path}`, key, text));
    read.set(key.path, [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]);
  }
  return read;
}

function settingNamed(path: string): SettingKey {
  const found = variables.get(variableName(path));
  if (found?.path === path) return found;
  if (path === 'preset') {
    throw new RagError('setting-invalid', 'presets are not varied', { hint: 'compare them: --preset A,B' });
  }
  const parts = path.split('.');
  const inside = keysIn(parts).map((key) => `${path}.${key}`);
  if (inside.length > 0) {
    throw new RagError('setting-invalid', `${path} is a section`, { hint: `vary one of ${inside.join(', ')}` });
  }
  const near = nearestKey(parts.slice(0, -1), parts.at(-1) ?? '');
  throw new RagError('setting-invalid', `there is no setting ${path} to vary`, {
    hint: near === undefined || near === path ? 'footnote preset show default lists them' : `did you mean ${near}?`,
  });
}

/** At commas; those inside of a JSON list, object or text do not count. */
function splitValues(text: string): string[] {
  const values =
    text.match(/(?:"(?:\\.|[^"\\])*"|\[(?:[^[\]]|\[[^[\]]*\])*\]|\{(?:[^{}]|\{[^{}]*\})*\}|[^,])+/gu) ?? [];
  return values.map((value) => value.trim()).filter((value) => value !== '');
}

function product(values: ReadonlyMap<string, readonly unknown[]>): FlatSettings[] {
  let points: FlatSettings[] = [new Map()];
  for (const [key, alternatives] of values) {
    points = points.flatMap((point) => alternatives.map((value) => new Map([...point, [key, value]])));
  }
  return points;
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const isSame = (a: FlatSettings, b: FlatSettings): boolean =>
  a.size === b.size && [...a].every(([key, value]) => JSON.stringify(value) === JSON.stringify(b.get(key)));

/** What sets these settings: a line of `footnote.yaml` for each section, and environment variables. */
export function settingsToPaste(settings: FlatSettings): {
  readonly yaml: readonly string[];
  readonly environment: readonly string[];
} {
  const quoted = (text: string): string => (/^[\w.-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  return {
    yaml: Object.entries(unflatten(settings)).map(
      ([section, value]) => `${section}: ${stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim()}`,
    ),
    environment: [...settings].map(([key, value]) => `${variableName(key)}=${quoted(shown(value))}`),
  };
}
