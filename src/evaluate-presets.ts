/** `eval`: opens, and where needed builds, the index that each preset wants, and measures it. */
import { createHash } from 'node:crypto';
import { basename, join, resolve } from 'node:path';
import type { CallOptions } from './core/contracts.ts';
import { RagError } from './core/errors.ts';
import type { IndexStatus, IngestProgress } from './core/results.ts';
import type { Settings } from './core/settings.ts';
import { createEngine } from './engine.ts';
import type { Engine } from './engine.ts';
import { evaluate } from './evaluation/evaluate.ts';
import type { EvaluateRequest, Evaluation } from './evaluation/evaluate.ts';
import type { Dataset, OpenedEngine } from './evaluation/types.ts';
import type { AnySource } from './registry.ts';
import { readManifest } from './workspace.ts';

export interface EvaluatePresetsRequest extends CallOptions {
  /** A question file or a BEIR folder. */
  readonly target: string;
  /** The index folder; for a BEIR folder it need not exist yet. */
  readonly folder: string;
  readonly presets: readonly Settings[];
  readonly onProgress?: (progress: { readonly preset: string; readonly done: number; readonly total: number }) => void;
  readonly onIngest?: (progress: IngestProgress) => void;
  readonly onObserved?: NonNullable<EvaluateRequest['onObserved']>;
  /** Told which index a preset is measured on. */
  readonly onOpened?: (preset: string, index: IndexStatus) => void;
}

export async function evaluatePresets(request: EvaluatePresetsRequest): Promise<Evaluation> {
  const settingsOf = new Map(request.presets.map((settings) => [settings.preset, settings]));
  return evaluate({
    ...request,
    presets: [...settingsOf.keys()],
    async openEngine(preset, dataset) {
      const engine = await openPreset(settingsOf.get(preset) as Settings, dataset, request);
      request.onOpened?.(preset, await engine.status());
      return Object.assign<Engine, Pick<OpenedEngine, 'uris'>>(engine, {
        uris: async () => (await engine.documents()).map(({ uri }) => uri),
      });
    },
  });
}

/** The index itself when it was built with the preset's index settings; else one of its own under `eval/`. */
async function openPreset(settings: Settings, dataset: Dataset, request: EvaluatePresetsRequest): Promise<Engine> {
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
  const corpus =
    dataset.beirFolder === null
      ? 'sources'
      : createHash('sha256').update(resolve(dataset.beirFolder)).digest('hex').slice(0, 8);
  const engine = await createEngine({ folder: join(request.folder, 'eval', `${corpus}-${wanted}`), settings });
  await engine.ingest({
    sources,
    ...(request.signal === undefined ? {} : { signal: request.signal }),
    ...(request.onIngest === undefined ? {} : { onProgress: request.onIngest }),
  });
  return engine;
}

function fingerprint({
  parse,
  chunk,
  embed,
  analyze,
  store,
}: Pick<Settings, 'parse' | 'chunk' | 'embed' | 'analyze' | 'store'>): string {
  return createHash('sha256')
    .update(JSON.stringify([parse, chunk, embed, analyze, store].map(sorted)))
    .digest('hex')
    .slice(0, 12);
}

const sorted = (value: object): unknown => Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
