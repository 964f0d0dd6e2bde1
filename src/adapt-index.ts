/**
 * After an ingest, when the index is complete and can be searched: the built-in model learns from it. What pays is put
 * into a second store beside the first, as a rebuild is, so that readers keep what they have and a kill loses nothing.
 */
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { adapt } from './adaptation/adapt.ts';
import type { Adaptation } from './adaptation/adapt.ts';
import { changedShare, sampleKeys } from './adaptation/sample.ts';
import type { CallOptions, Store } from './core/contracts.ts';
import { isRagError } from './core/errors.ts';
import type { AdaptationReport, IngestProgress } from './core/results.ts';
import type { Settings } from './core/settings.ts';
import type { Drivers } from './drivers.ts';
import { embed } from './pipeline/ingest.ts';
import { openStore } from './registry.ts';
import { staticModel } from './static-model/static-model.ts';
import { readAdapted } from './static-model/adapted.ts';
import { copyNamedValues, isBetweenRuns } from './sync.ts';
import {
  adaptedModelOf,
  nextStoreName,
  readManifest,
  removeOldStores,
  writeAdaptedModel,
  writeManifest,
} from './workspace.ts';

export interface AdaptIndexRequest extends CallOptions {
  readonly onProgress?: (progress: IngestProgress) => void;
}

interface Place {
  readonly folder: string;
  readonly settings: Settings;
  readonly drivers: Drivers;
}

/** Where a store keeps what came of the last attempt, and the documents that it was made with. */
export const ADAPTATION = 'adaptation';

interface Remembered {
  readonly report: AdaptationReport;
  /** Of the model as it ships: another one is another reason to try. */
  readonly base: string;
  readonly documents: readonly string[];
}

/** It is tried again when so much of the index has changed since. */
const CHANGED_ENOUGH = 0.2;

export const adaptationOf = async (store: Store): Promise<AdaptationReport | null> =>
  ((await store.get(ADAPTATION)) as Remembered | undefined)?.report ?? null;

/**
 * @returns undefined where there was no reason to try
 * @throws RagError `storage-failed` and what else stores throw; an abort is no error: the index is complete without it
 */
export async function adaptIndex(
  { signal, onProgress }: AdaptIndexRequest,
  place: Place,
): Promise<AdaptationReport | undefined> {
  const { folder, settings, drivers } = place;
  const { embed: model, store: kind, retrieve } = settings;
  if (model.use !== 'built-in' || model.adapt === 'never' || kind.use === 'memory' || retrieve.mode === 'keyword')
    return;
  const active = (await readManifest(folder))?.active ?? null;
  if (active === null) return;
  const started = performance.now();
  const base = await staticModel();
  const adapted = adaptedModelOf(folder, active);
  const store = await openStore(settings, join(folder, active));
  await store.open(await drivers.schema(adapted), 'read');
  try {
    const documents = await store.documents();
    const before = (await store.get(ADAPTATION)) as Remembered | undefined;
    if (before?.base === base.model && changedShare(before.documents, documents) < CHANGED_ENOUGH) return;
    const inUse = adapted === undefined ? base : await readAdapted(adapted, base);
    const report = ({ model, ...counts }: Outcome): AdaptationReport => ({
      ...counts,
      model: model?.name ?? inUse.model,
      milliseconds: Math.round(performance.now() - started),
      finishedAt: new Date().toISOString(),
    });
    const opened = { store, name: active, generation: await store.generation() };
    const remembered = (found: Adaptation): Remembered => ({
      report: report(found),
      base: base.model,
      documents: sampleKeys(documents),
    });
    const options = signal === undefined ? {} : { signal };
    try {
      const found = await adapt({
        ...options,
        store,
        settings,
        base,
        inUse,
        onProgress: (done, total) => onProgress?.({ phase: 'adapt', source: '', done, total }),
      });
      const written =
        found.model === undefined
          ? await remember(remembered(found), opened, adapted, place)
          : await rebuildWith(found.model.bytes, () => remembered(found), opened, place, options);
      return written ?? report({ ...STOPPED, pairs: found.pairs });
    } catch (error) {
      if (signal?.aborted === true || (isRagError(error) && error.code === 'index-locked')) return report(STOPPED);
      throw error;
    }
  } finally {
    await store.close();
  }
}

type Outcome = Omit<Adaptation, 'outcome'> & Pick<AdaptationReport, 'outcome'>;

const STOPPED = { outcome: 'stopped', pairs: 0, heldBack: 0, without: null, with: null } as const;

interface Opened {
  /** For reading. */
  readonly store: Store;
  readonly name: string;
  readonly generation: number;
}

/** Whether the index is still the one that was read: asked under the writer's lock. */
const isCurrent = async ({ store, name, generation }: Opened, { folder }: Place): Promise<boolean> =>
  (await readManifest(folder))?.active === name &&
  (await store.generation()) === generation &&
  (await isBetweenRuns(store));

/** That it was tried and what came of it, so that the next run need not. */
async function remember(
  value: Remembered,
  opened: Opened,
  adapted: string | undefined,
  place: Place,
): Promise<AdaptationReport | undefined> {
  const writer = await openStore(place.settings, join(place.folder, opened.name));
  await writer.open(await place.drivers.schema(adapted), 'write');
  try {
    if (!(await isCurrent(opened, place))) return undefined;
    await writer.put(ADAPTATION, value);
    return value.report;
  } finally {
    await writer.close();
  }
}

/** Every chunk is embedded again, from the store; no source is read. @returns undefined when the index changed meanwhile */
async function rebuildWith(
  model: Uint8Array,
  remembered: () => Remembered,
  opened: Opened,
  place: Place,
  options: CallOptions,
): Promise<AdaptationReport | undefined> {
  const { folder, settings, drivers } = place;
  const name = await nextStoreName(folder);
  const adapted = await writeAdaptedModel(folder, name, model);
  const target = await openStore(settings, join(folder, name));
  await target.open(await drivers.schema(adapted), 'write');
  try {
    const manifest = await readManifest(folder);
    if (manifest === undefined || !(await isCurrent(opened, place))) return undefined;
    const parts = await drivers.ingesting(adapted);
    for (const { origin, documents } of await opened.store.origins()) {
      const stored = [];
      for (const id of documents) {
        const document = await opened.store.document(id);
        if (document === undefined) continue;
        const chunks = await opened.store.neighbours(id, 0, Number.MAX_SAFE_INTEGER);
        stored.push({ document, chunks: await embed(chunks, parts, options) });
      }
      await target.replace(origin, stored);
      await setImmediate();
      options.signal?.throwIfAborted();
    }
    await target.publish();
    await copyNamedValues(opened.store, target);
    const value = remembered();
    await target.put('model', value.report.model);
    await target.put(ADAPTATION, value);
    await writeManifest(folder, { ...manifest, active: name });
    await removeOldStores(folder, name);
    return value.report;
  } finally {
    await target.close();
  }
}
