/** One ingest run on an index folder: which sources, into which store file, and the switch at the end. */
import { join } from 'node:path';
import type { CallOptions, Source, Store } from './core/contracts.ts';
import { isRagError, RagError } from './core/errors.ts';
import type { IngestProgress, IngestReport } from './core/results.ts';
import type { Settings } from './core/settings.ts';
import type { Drivers } from './drivers.ts';
import { ingest } from './pipeline/ingest.ts';
import { openSource, openStore, placeOf } from './registry.ts';
import type { AnySource } from './registry.ts';
import {
  adaptedModelOf,
  nextStoreName,
  prepareFolder,
  readManifest,
  removeOldStores,
  writeManifest,
} from './workspace.ts';
import type { Manifest } from './workspace.ts';

export interface IngestRequest extends CallOptions {
  /** Sources to add or to sync; without them, all that the index and the settings name. */
  readonly sources?: readonly AnySource[];
  /** Ids of sources to take out. */
  readonly remove?: readonly string[];
  /** Build everything anew beside the old index, and switch at the end. */
  readonly rebuild?: boolean;
  /** A CSV of page views or importances by path; replaces the one given before. */
  readonly importance?: string;
  readonly onProgress?: (progress: IngestProgress) => void;
}

interface Place {
  readonly folder: string;
  readonly settings: Settings;
  readonly drivers: Drivers;
}

export async function ingestIntoFolder(request: IngestRequest, place: Place): Promise<IngestReport> {
  const { folder, settings } = place;
  const started = performance.now();
  // What is refused for its sources leaves no trace.
  planSources(request, (await readManifest(folder))?.sources ?? []);
  await prepareFolder(folder);
  const { target, before } = await openTarget(request, place);
  try {
    const known = before?.sources ?? [];
    const begun = await begunIn(target.store);
    const plan = withBegun(planSources(request, known), begun);
    const { parse, chunk, embed, analyze, store } = settings;
    const manifest: Manifest = {
      format: 1,
      active: target.name,
      preset: settings.preset,
      settings: { parse, chunk, embed, analyze, store },
      sources: plan.all,
    };
    // Sources are remembered before the run, so that a killed one is continued by a plain `ingest`; those that are
    // taken out are forgotten after it. A rebuild leaves everything as it was until it is done.
    const building = request.rebuild === true && before?.active != null;
    const remember = async (sources: readonly AnySource[]): Promise<void> => {
      if (!building) await writeManifest(folder, { ...manifest, sources });
    };
    const added = plan.all.filter(({ id }) => !known.some((source) => source.id === id));
    await remember([...known.map((source) => plan.all.find(({ id }) => id === source.id) ?? source), ...added]);
    const report = await withSources(plan.sync, place, (sources) =>
      run(request, plan, sources, target, place, started),
    ).catch(async (error: unknown) => {
      if (isRagError(error) && error.code.startsWith('source-')) {
        await forget(plan.sync, known, target.store);
        // A source throws before its first change.
        await target.store.put(BEGUN, [...new Set([...begun, ...plan.remove])]);
        await remember(known);
      }
      throw error;
    });
    await writeManifest(folder, manifest);
    // Still under the lock: the next writer must not meet a store that goes away.
    if (settings.store.use !== 'memory') await removeOldStores(folder, target.name);
    return report;
  } finally {
    await target.store.close();
  }
}

/** A new source that could not be read is not remembered, nor what was read of it. */
async function forget(tried: readonly AnySource[], known: readonly AnySource[], store: Store): Promise<void> {
  for (const { id } of tried) {
    if (known.some((source) => source.id === id)) continue;
    for (const uri of (await store.revisions(id)).keys()) await store.remove(id, uri);
  }
}

async function withSources<T>(
  definitions: readonly AnySource[],
  { folder, settings }: Place,
  use: (sources: readonly Source[]) => Promise<T>,
): Promise<T> {
  const sources = await Promise.all(
    definitions.map((definition) => openSource(definition, settings, join(folder, 'git'))),
  );
  try {
    return await use(sources);
  } finally {
    for (const source of sources) await source.close?.();
  }
}

interface SourcePlan {
  readonly all: readonly AnySource[];
  readonly sync: readonly AnySource[];
  readonly remove: readonly string[];
}

function planSources(request: IngestRequest, known: readonly AnySource[]): SourcePlan {
  const given = [...new Map((request.sources ?? []).map((source) => [source.id, source])).values()];
  const remove = request.remove ?? [];
  for (const id of remove) {
    if (known.some((source) => source.id === id)) continue;
    throw new RagError('source-missing', `the index has no source "${id}"`, {
      hint: `it has: ${known.map((source) => source.id).join(', ') || 'none'}`,
    });
  }
  for (const source of request.sources ?? []) {
    const other = [...known, ...given].find((named) => named.id === source.id && placeOf(named) !== placeOf(source));
    if (other !== undefined)
      throw new RagError('source-refused', `the name "${source.id}" already stands for ${other.from}`, {
        hint: 'give the new one another name with --as NAME',
      });
  }
  const kept = known.filter(({ id }) => !remove.includes(id) && !given.some((source) => source.id === id));
  const all = [...kept, ...given];
  const sync = request.rebuild === true ? all : given.length > 0 ? given : remove.length > 0 ? [] : all;
  if (all.length === 0 && remove.length === 0) {
    throw new RagError('source-missing', 'there is nothing to ingest: the index remembers no source', {
      hint: 'name one: footnote ingest PATH',
    });
  }
  return { all, sync, remove };
}

/**
 * What a run that was killed or stopped had begun is published with the next run, whatever that is about: so it is
 * finished first, and readers never see half of it.
 */
function withBegun(plan: SourcePlan, begun: readonly string[]): SourcePlan {
  const also = plan.all.filter(({ id }) => begun.includes(id) && !plan.sync.some((source) => source.id === id));
  return { ...plan, sync: [...plan.sync, ...also] };
}

const begunIn = async (store: Store): Promise<readonly string[]> =>
  ((await store.get(BEGUN)) as readonly string[] | undefined) ?? [];

/** Where the store keeps the ids of the sources that the current run changes. */
const BEGUN = 'begun';

interface Target {
  readonly store: Store;
  /** File name of the store in the folder. */
  readonly name: string;
  /** Path of the model that was adapted to it. */
  readonly adapted: string | undefined;
}

/**
 * Opens the store to write to, and what the folder remembered when that was: the lock comes with the store, so a
 * rebuild that ended just before it is seen only by looking again.
 */
async function openTarget(
  request: IngestRequest,
  { folder, settings, drivers }: Place,
): Promise<{ readonly target: Target; readonly before: Manifest | undefined }> {
  if (settings.store.use === 'memory') {
    const store = await drivers.memoryStore();
    return {
      target: { store: { ...store, close: () => Promise.resolve() }, name: 'memory', adapted: undefined },
      before: await readManifest(folder),
    };
  }
  for (;;) {
    const active = (await readManifest(folder))?.active ?? null;
    const name = request.rebuild === true || active === null ? await nextStoreName(folder) : active;
    const store = await openStore(settings, join(folder, name));
    const adapted = adaptedModelOf(folder, name);
    await store.open(await drivers.schema(adapted), 'write');
    const before = await readManifest(folder);
    if ((before?.active ?? null) === active) return { target: { store, name, adapted }, before };
    await store.close();
  }
}

async function run(
  request: IngestRequest,
  plan: SourcePlan,
  sources: readonly Source[],
  { store, adapted }: Target,
  { drivers }: Place,
  started: number,
): Promise<IngestReport> {
  await store.put(BEGUN, [...plan.sync.map(({ id }) => id), ...plan.remove]);
  for (const id of plan.remove) for (const uri of (await store.revisions(id)).keys()) await store.remove(id, uri);
  const base = await drivers.ingesting(adapted);
  const before = drivers.embedded();
  const definitions = await definitionsOf(store);
  const reports = await ingest(sources, { ...base, store: rereading(store, definitions, plan.sync) }, request);
  await store.put(DEFINITIONS, {
    ...definitions,
    ...Object.fromEntries(plan.sync.map((source) => [source.id, addressing(source)])),
  });
  const statistics = await store.statistics();
  const after = drivers.embedded();
  const embeddings = { computed: after.computed - before.computed, kept: after.kept - before.kept };
  const report: IngestReport = {
    generation: statistics.generation,
    sources: reports,
    removed: plan.remove,
    documents: statistics.documents,
    chunks: statistics.chunks,
    milliseconds: Math.round(performance.now() - started),
    finishedAt: new Date().toISOString(),
    ...(embeddings.computed + embeddings.kept === 0 ? {} : { embeddings }),
  };
  await store.put(LAST_SYNC, report);
  await store.put(BEGUN, []);
  if (base.embedder !== undefined) await store.put('model', base.embedder.model);
  return report;
}

/** Where the store keeps the report of its last completed run. */
export const LAST_SYNC = 'lastSync';

/** What each source was last read with; kept in the store, so that a killed run does not count. */
const DEFINITIONS = 'definitions';

const definitionsOf = async (store: Store): Promise<Readonly<Record<string, string>>> =>
  ((await store.get(DEFINITIONS)) as Record<string, string> | undefined) ?? {};

/** What shapes the documents of a source beside its files. */
function addressing(source: AnySource): string {
  if (source.use === 'beir') return '';
  const { baseUrl, urlTemplate, language } = source;
  return JSON.stringify([baseUrl, urlTemplate, language]);
}

/** Whether no run has begun that has not ended: what a store then holds is what its readers see. */
export const isBetweenRuns = async (store: Store): Promise<boolean> => (await begunIn(store)).length === 0;

/** What a copy of an index remembers of its runs. */
export async function copyNamedValues(from: Store, to: Store): Promise<void> {
  for (const name of [LAST_SYNC, DEFINITIONS]) {
    const value = await from.get(name);
    if (value !== undefined) await to.put(name, value);
  }
}

/** The store, in which the documents of a source that is now addressed otherwise count as changed. */
function rereading(store: Store, definitions: Readonly<Record<string, string>>, sources: readonly AnySource[]): Store {
  const changed = sources.filter((source) => (definitions[source.id] ?? addressing(source)) !== addressing(source));
  if (changed.length === 0) return store;
  return {
    ...store,
    async revisions(sourceId) {
      const known = await store.revisions(sourceId);
      if (!changed.some(({ id }) => id === sourceId)) return known;
      return new Map([...known.keys()].map((uri) => [uri, { revision: '', stamp: '' }]));
    },
  };
}
