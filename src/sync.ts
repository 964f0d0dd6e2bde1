/** One ingest run on an index folder: which sources, into which store file, and the switch at the end. */
import { join } from 'node:path';
import type { Source, Store } from './core/contracts.ts';
import { isRagError, RagError } from './core/errors.ts';
import type { IngestReport } from './core/results.ts';
import type { Settings } from './core/settings.ts';
import type { Drivers, IngestRequest } from './engine.ts';
import { ingest } from './pipeline/ingest.ts';
import { openSource, openStore } from './registry.ts';
import type { AnySource } from './registry.ts';
import { nextStoreName, prepareFolder, readManifest, removeOldStores, writeManifest } from './workspace.ts';
import type { Manifest } from './workspace.ts';

interface Place {
  readonly folder: string;
  readonly settings: Settings;
  readonly drivers: Drivers;
}

export async function ingestIntoFolder(request: IngestRequest, place: Place): Promise<IngestReport> {
  const { folder, settings } = place;
  const started = performance.now();
  await prepareFolder(folder);
  const before = await readManifest(folder);
  const plan = planSources(request, before?.sources ?? []);
  const sources = await Promise.all(
    plan.sync.map((definition) => openSource(definition, settings, join(folder, 'git'))),
  );
  const target = await openTarget(request, before, place);
  try {
    const { parse, chunk, embed, analyze, store } = settings;
    const manifest: Manifest = {
      format: 1,
      active: request.rebuild === true && before !== undefined ? before.active : target.name,
      preset: settings.preset,
      settings: { parse, chunk, embed, analyze, store },
      sources: plan.all,
    };
    // Written before the run, so that a killed first run is continued by a plain `ingest`; a rebuild only at its end.
    if (request.rebuild !== true || before === undefined) await writeManifest(folder, manifest);
    const report = await run(request, sources, plan.remove, target.store, place, started).catch(
      async (error: unknown) => {
        // A source that could not be opened is not remembered.
        if (isRagError(error) && error.code.startsWith('source-'))
          await writeManifest(folder, { ...manifest, sources: before?.sources ?? [] });
        throw error;
      },
    );
    await writeManifest(folder, { ...manifest, active: target.name });
    await target.close();
    if (settings.store.use !== 'memory') await removeOldStores(folder, target.name);
    return report;
  } finally {
    await target.close();
    await Promise.all(sources.map((source) => source.close?.()));
  }
}

interface SourcePlan {
  readonly all: readonly AnySource[];
  readonly sync: readonly AnySource[];
  readonly remove: readonly string[];
}

function planSources(request: IngestRequest, known: readonly AnySource[]): SourcePlan {
  const given = request.sources ?? [];
  const remove = request.remove ?? [];
  for (const id of remove) {
    if (known.some((source) => source.id === id)) continue;
    throw new RagError('source-missing', `the index has no source "${id}"`, {
      hint: `it has: ${known.map((source) => source.id).join(', ') || 'none'}`,
    });
  }
  for (const source of given) {
    const other = [...known, ...given].find(({ id, from }) => id === source.id && from !== source.from);
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

interface Target {
  readonly store: Store;
  readonly name: string;
  close(): Promise<void>;
}

async function openTarget(
  request: IngestRequest,
  before: Manifest | undefined,
  { folder, settings, drivers }: Place,
): Promise<Target> {
  if (settings.store.use === 'memory')
    return { store: await drivers.memoryStore(), name: 'memory', close: () => Promise.resolve() };
  const fresh = request.rebuild === true || before?.active == null;
  const name = fresh ? await nextStoreName(folder) : (before?.active ?? '');
  const store = await openStore(settings, join(folder, name));
  await store.open(await drivers.schema(), 'write');
  let closed = false;
  return {
    store,
    name,
    async close() {
      if (!closed) await store.close();
      closed = true;
    },
  };
}

async function run(
  request: IngestRequest,
  sources: readonly Source[],
  remove: readonly string[],
  store: Store,
  { drivers }: Place,
  started: number,
): Promise<IngestReport> {
  for (const id of remove) for (const uri of (await store.revisions(id)).keys()) await store.remove(id, uri);
  const base = await drivers.ingesting();
  const reports = await ingest(sources, { ...base, store }, request);
  const statistics = await store.statistics();
  const report: IngestReport = {
    generation: statistics.generation,
    sources: reports,
    removed: remove,
    documents: statistics.documents,
    chunks: statistics.chunks,
    milliseconds: Math.round(performance.now() - started),
    finishedAt: new Date().toISOString(),
  };
  await store.put('lastSync', report);
  if (base.embedder !== undefined) await store.put('model', base.embedder.model);
  return report;
}
