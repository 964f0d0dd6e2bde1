/** `eval`: opens, and where needed builds, the index that each preset wants, and measures it. */
import { createHash } from 'node:crypto';
import { basename, join, resolve } from 'node:path';
import { flatten } from './config/flat.ts';
import { INDEX_SECTIONS } from './config/resolve.ts';
import type { CallOptions } from './core/contracts.ts';
import { isRagError, RagError } from './core/errors.ts';
import type { IndexStatus, IngestProgress } from './core/results.ts';
import type { Settings } from './core/settings.ts';
import { createEngine } from './engine.ts';
import type { Engine } from './engine.ts';
import { evaluate } from './evaluation/evaluate.ts';
import type { EvaluateRequest, Evaluation } from './evaluation/evaluate.ts';
import type { Dataset, OpenedEngine } from './evaluation/types.ts';
import type { AnySource } from './registry.ts';
import type { MeasuredPreset } from './vary.ts';
import { readManifest, type IndexSettings } from './workspace.ts';

export interface EvaluatePresetsRequest extends CallOptions, Pick<EvaluateRequest, 'pairs' | 'optional'> {
  /** A question file or a BEIR folder. */
  readonly target: string;
  /** The index folder; for a BEIR folder it need not exist yet. */
  readonly folder: string;
  readonly presets: readonly MeasuredPreset[];
  readonly onProgress?: (progress: { readonly preset: string; readonly done: number; readonly total: number }) => void;
  readonly onIngest?: (progress: IngestProgress) => void;
  readonly onObserved?: NonNullable<EvaluateRequest['onObserved']>;
  /** Told which index a preset is measured on. */
  readonly onOpened?: (preset: string, index: IndexStatus) => void;
}

export async function evaluatePresets(request: EvaluatePresetsRequest): Promise<Evaluation> {
  const settingsOf = new Map(request.presets.map(({ name, settings }) => [name, settings]));
  // Presets that differ in query settings only share an index; it is brought up to date once.
  const synced = new Set<string>();
  return evaluate({
    ...request,
    presets: [...settingsOf.keys()],
    async openEngine(preset, dataset) {
      const engine = await openPreset(settingsOf.get(preset) as Settings, dataset, request, synced);
      request.onOpened?.(preset, await engine.status());
      return Object.assign<Engine, Pick<OpenedEngine, 'uris'>>(engine, {
        uris: async () => (await engine.documents()).map(({ uri }) => uri),
      });
    },
  });
}

/** The index itself when it was built with the preset's index settings; else one of its own under `eval/`. */
async function openPreset(
  settings: Settings,
  dataset: Dataset,
  request: EvaluatePresetsRequest,
  synced: Set<string>,
): Promise<Engine> {
  const manifest = await readManifest(request.folder);
  const wanted = fingerprint(settings);
  if (dataset.beirFolder === null && manifest !== undefined && fingerprint(manifest.settings) === wanted) {
    return createEngine({ folder: request.folder, settings });
  }
  const sources: readonly AnySource[] =
    dataset.beirFolder === null
      ? (manifest?.sources ?? [])
      : [{ use: 'beir', id: basename(resolve(dataset.beirFolder)), from: resolve(dataset.beirFolder) }];
  if (sources.length === 0) {
    throw new RagError('index-missing', `there is no index in ${request.folder} to ask these questions of`, {
      hint: 'footnote ingest PATH makes one; --index DIR names another',
    });
  }
  const corpus = dataset.beirFolder === null ? 'sources' : digest(resolve(dataset.beirFolder)).slice(0, 8);
  const folder = join(request.folder, 'eval', `${corpus}-${wanted}`);
  // What one index had embedded, the others need not embed again.
  const engine = await createEngine({ folder, settings, cacheFolder: request.folder });
  if (synced.has(folder)) return engine;
  try {
    await build(engine, sources, request);
  } catch (error) {
    await engine.close();
    throw error;
  }
  synced.add(folder);
  return engine;
}

/** Only what is new is read, and embedded. An index that an older version or another model made is made anew. */
async function build(engine: Engine, sources: readonly AnySource[], request: EvaluatePresetsRequest): Promise<void> {
  const ingest = (rebuild: boolean): Promise<unknown> =>
    engine.ingest({
      sources,
      rebuild,
      ...(request.signal === undefined ? {} : { signal: request.signal }),
      ...(request.onIngest === undefined ? {} : { onProgress: request.onIngest }),
    });
  await ingest(false).catch((error: unknown) => {
    if (isRagError(error) && error.code === 'index-mismatch') return ingest(true);
    throw error;
  });
}

/** Of all that an index is built with: the same for the same settings, in whatever order they are written. */
function fingerprint(settings: IndexSettings): string {
  const values = [...flatten(Object.fromEntries(INDEX_SECTIONS.map((section) => [section, settings[section]])))];
  return digest(JSON.stringify(values.sort(([a], [b]) => (a < b ? -1 : 1)))).slice(0, 12);
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
