/** From defaults, preset, file, environment and flags to the settings of this run. */
import { RagError } from '../core/errors.ts';
import type { Settings } from '../core/settings.ts';
import type { Warning } from '../core/types.ts';
import { designedValues, requireDesigned } from '../presets/as-designed.ts';
import { presetSettings } from '../presets/preset-settings.ts';
import { presetNamed } from '../presets/presets.ts';
import { flagVariable, settingVariables, type Environment } from './environment.ts';
import { findConfigFile, type ConfigFile } from './file.ts';
import { flatten, unflatten, type FlatSettings } from './flat.ts';
import { requireTrust, requireTrustOfIndex } from './trust.ts';
import type { readVariables } from './variables.ts';

/** The settings that an index is built with, and remembers. */
export const INDEX_SECTIONS = ['parse', 'chunk', 'embed', 'analyze', 'store'] as const;

export interface RememberedSettings {
  readonly active: string | null;
  readonly preset: string;
  readonly settings: Pick<Settings, (typeof INDEX_SECTIONS)[number]>;
}

export interface SettingsRequest {
  readonly cwd: string;
  readonly flags: {
    readonly config?: string | undefined;
    readonly preset?: string | undefined;
    /** `ingest --rebuild`: index settings may differ from those remembered. */
    readonly rebuild?: boolean | undefined;
    /** The design's own models, stores and services. */
    readonly asDesigned?: boolean | undefined;
    /** By dotted key. */
    readonly settings?: Readonly<Record<string, unknown>> | undefined;
  };
  readonly env: Environment;
  /** What the index remembers, when there is one. */
  readonly manifest?: RememberedSettings | undefined;
  /** The index folder, where it was only found: then it may be somebody else's. */
  readonly foundIndex?: string | undefined;
  /** False for commands that do not read the file's sources: then these need no trust. */
  readonly addsSources?: boolean;
}

export interface ResolvedSettings {
  readonly settings: Settings;
  /** Keys set by file, environment or flags; those of a preset that was named count too. */
  readonly explicit: ReadonlySet<string>;
  readonly warnings: readonly Warning[];
  readonly configFile: ConfigFile | undefined;
}

/** @throws RagError `setting-invalid` | `file-invalid` | `index-mismatch` | `not-trusted` */
export async function resolveSettings(request: SettingsRequest): Promise<ResolvedSettings> {
  const { cwd, flags, manifest } = request;
  const environment = await readSettingVariables(request.env);
  const configFile = await findConfigFile(cwd, flags.config ?? flagVariable(request.env, 'FOOTNOTE_CONFIG'));
  if (configFile !== undefined) await requireTrust(configFile, request.env, request.addsSources ?? true);

  const inFile = configFile?.values ?? new Map<string, unknown>();
  const named =
    flags.preset ?? flagVariable(request.env, 'FOOTNOTE_PRESET') ?? (inFile.get('preset') as string | undefined);
  const preset = named ?? manifest?.preset ?? 'default';
  const remembered = manifest === undefined ? new Map<string, unknown>() : indexValues(manifest.settings);
  const given = layered(inFile, environment.values, new Map(Object.entries(flags.settings ?? {})));
  given.delete('preset');
  const base = presetValues(preset, flags.asDesigned === true, given, remembered);
  const explicit = named === undefined && flags.asDesigned !== true ? given : layered(base, given);

  if (request.foundIndex !== undefined)
    await requireTrustOfIndex(request.foundIndex, remembered, explicit, request.env);
  if (manifest?.active != null && flags.rebuild !== true) refuseMismatch(explicit, remembered);
  const flat = layered(base, remembered, explicit, new Map([['preset', preset]]));
  const value = { sources: [], ...unflatten(flat) };
  const settings = given.size === 0 && sameShape(flat, base) ? (value as unknown as Settings) : await checked(value);
  return { settings, explicit: new Set(explicit.keys()), warnings: environment.warnings, configFile };
}

/** The schema takes longer to load than a search takes: it is loaded where somebody said something. */
async function readSettingVariables(environment: Environment): Promise<ReturnType<typeof readVariables>> {
  const given = settingVariables(environment);
  if (given.size === 0) return { values: new Map(), warnings: [] };
  return (await import('./variables.ts')).readVariables(given);
}

async function checked(value: unknown): Promise<Settings> {
  return (await import('./check.ts')).checkSettings(value);
}

/** Whether what an index remembers has the keys and types of a preset: presets are checked by their tests. */
const sameShape = (flat: FlatSettings, base: FlatSettings): boolean =>
  [...flat].every(([key, value]) => key === 'preset' || typeof value === typeof base.get(key));

/** @param given what file, environment and flags say; with a larger embedder other weights hold */
function presetValues(
  name: string,
  asDesigned: boolean,
  given: FlatSettings,
  remembered: FlatSettings,
): Map<string, unknown> {
  const { preset, sources, ...values } = presetSettings(name);
  const found = presetNamed(name);
  if (asDesigned) requireDesigned(found);
  const base = asDesigned ? layered(flatten(values), designedValues(found)) : flatten(values);
  // The design's own numbers are for its own model.
  if (asDesigned || found.larger === undefined) return base;
  const said = (key: string): unknown => given.get(key) ?? remembered.get(key) ?? base.get(key);
  const instead = !['built-in', 'none'].includes(String(said('embed.use')));
  const beside = !instead && (said('embed.also') as readonly unknown[]).length > 0;
  const weights = instead ? found.larger.instead : beside ? found.larger.beside : {};
  return layered(base, new Map(Object.entries(weights)));
}

/** Only index settings are remembered; all others may differ at any time. */
const indexValues = (settings: RememberedSettings['settings']): Map<string, unknown> =>
  new Map([...flatten(settings)].filter(([key]) => isIndexSetting(key)));

const isIndexSetting = (key: string): boolean => INDEX_SECTIONS.some((section) => key.startsWith(`${section}.`));

const layered = (...layers: readonly FlatSettings[]): Map<string, unknown> =>
  new Map(layers.flatMap((layer) => [...layer]));

function refuseMismatch(explicit: FlatSettings, remembered: FlatSettings): void {
  const differing = [...explicit].filter(
    ([key, value]) => remembered.has(key) && JSON.stringify(remembered.get(key)) !== JSON.stringify(value),
  );
  if (differing.length === 0) return;
  const told = differing.map(([key, value]) => `${key} is ${text(remembered.get(key))} there, ${text(value)} here`);
  throw new RagError('index-mismatch', `the index was built with other settings: ${told.join('; ')}`, {
    hint: 'leave them as they are, or build the index anew: footnote ingest --rebuild',
  });
}

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
