import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { flatten } from '../../config/flat.ts';
import { trustIndex } from '../../config/trust.ts';
import { isRagError, RagError, toPublicError } from '../../core/errors.ts';
import type { IngestReport } from '../../core/results.ts';
import type { Engine, IngestRequest } from '../../index.ts';
import { placeOf, type AnySource } from '../../registry.ts';
import { defineSource } from '../../sources/address.ts';
import { printableLine } from '../../text/printable.ts';
import { formatIngest, isChange } from '../ingest-report.ts';
import { interruptible } from '../interrupt.ts';
import type { GlobalOptions } from '../options.ts';
import { note, writeJson, writeJsonLine, writeOut } from '../output.ts';
import { terminalProgress } from '../progress.ts';
import { openSession, withEngine, type Session } from '../session.ts';

interface IngestOptions extends GlobalOptions {
  readonly as?: string;
  readonly remove?: readonly string[];
  readonly rebuild?: boolean;
  readonly watch?: boolean;
  readonly importance?: string;
  readonly verbose?: boolean;
}

/**
 * `--watch` compares stamps every two seconds instead of listening: file events are lost on network file systems and
 * in containers, and say nothing of git. A sync that takes long is repeated less often.
 */
const WATCH_PAUSE_MS = 2000;
const WATCH_PAUSE_FACTOR = 5;

const STOPPED = 'stopped; what was read so far is kept, and the next footnote ingest goes on from there';

export async function ingest(args: readonly string[], options: IngestOptions): Promise<number> {
  const named = args.length > 0;
  if (options.as !== undefined && args.length !== 1) {
    throw new RagError('setting-invalid', '--as names one source', { hint: 'footnote ingest PATH --as NAME' });
  }
  const addsSources = !named && options.remove === undefined;
  const session = await openSession(options, { index: false, addsSources, rebuild: options.rebuild ?? false });
  // Later commands find the index, and what it sends where is known to be this user's wish.
  await trustIndex(session.folder, flatten(session.resolved.settings), process.env);
  const request = {
    ...(named ? { sources: namedSources(args, options.as, session) } : addsSources ? configuredSources(session) : {}),
    ...(options.remove === undefined ? {} : { remove: options.remove.map((source) => removedId(source, session)) }),
    ...(options.rebuild === undefined ? {} : { rebuild: options.rebuild }),
    ...(options.importance === undefined ? {} : { importance: options.importance }),
  };
  return withEngine(session, (engine) =>
    interruptible(STOPPED, async (signal) => {
      const report = await sync(engine, { ...request, signal });
      await show(report, options);
      if (options.watch === true) await watch(engine, report, options, signal);
      return failed(report) ? 1 : 0;
    }),
  );
}

async function sync(engine: Engine, request: IngestRequest): Promise<IngestReport> {
  const progress = terminalProgress();
  try {
    return await engine.ingest({
      ...request,
      onProgress({ phase, source, done, total }) {
        progress.update(phase === 'index' ? source : [phase, source].join(' ').trim(), done, total);
      },
    });
  } finally {
    progress.clear();
  }
}

/** Until Ctrl-C. A failure of one sync is told, and the next one tries again. */
async function watch(engine: Engine, first: IngestReport, options: IngestOptions, signal: AbortSignal): Promise<void> {
  note('watching; Ctrl-C ends it');
  let pause = WATCH_PAUSE_MS;
  let lastFailure = '';
  let last = first;
  const stopped = (): boolean => signal.aborted;
  while (!stopped()) {
    try {
      await sleep(pause, undefined, { signal });
      const report = await engine.ingest({ signal });
      if (isChange(report, last)) await show(report, options);
      pause = Math.max(WATCH_PAUSE_MS, report.milliseconds * WATCH_PAUSE_FACTOR);
      last = report;
      lastFailure = '';
    } catch (error) {
      if (stopped()) return;
      if (!isRagError(error)) throw error;
      const { message } = toPublicError(error);
      if (message !== lastFailure) note(`footnote: ${printableLine(message)}`);
      lastFailure = message;
    }
  }
}

async function show(report: IngestReport, options: IngestOptions): Promise<void> {
  if (options.json !== true) await writeOut(formatIngest(report, options.verbose === true));
  else await (options.watch === true ? writeJsonLine(report) : writeJson(report));
}

const failed = (report: IngestReport): boolean => report.sources.some(({ failures }) => failures.length > 0);

/** Sources of the command line: one that the file or the index knows keeps its name, globs and addresses. */
function namedSources(args: readonly string[], as: string | undefined, session: Session): AnySource[] {
  const known = [...fileSources(session, 'leave out what is missing'), ...(session.manifest?.sources ?? [])];
  return args.map((arg) => {
    const byName = known.find(({ id }) => id === arg);
    if (byName !== undefined && as === undefined && !existsSync(resolve(arg))) return byName;
    const defined = defineSource(as === undefined ? { from: arg } : { from: arg, as }, process.cwd());
    const same = known.find((other) => placeOf(other) === placeOf(defined) && (as === undefined || other.id === as));
    const taken = known.find(({ id }) => id === defined.id);
    if (same === undefined && taken !== undefined) {
      throw new RagError('source-refused', `the name "${defined.id}" already stands for ${placeOf(taken)}`, {
        hint: `give the new one another name: footnote ingest ${arg} --as NAME`,
      });
    }
    return same ?? defined;
  });
}

/** All that the file and the index name; the file's word counts where both know a source. */
function configuredSources(session: Session): { readonly sources?: readonly AnySource[] } {
  const inFile = fileSources(session, 'all');
  if (inFile.length === 0) return {};
  const remembered = (session.manifest?.sources ?? []).filter(({ id }) => !inFile.some((source) => source.id === id));
  return { sources: [...remembered, ...inFile] };
}

function fileSources({ resolved }: Session, which: 'all' | 'leave out what is missing'): AnySource[] {
  const { configFile, settings } = resolved;
  if (configFile === undefined) return [];
  return settings.sources.flatMap((source) => {
    try {
      return [defineSource(source, configFile.folder)];
    } catch (error) {
      if (which === 'leave out what is missing' && isRagError(error) && error.code === 'source-missing') return [];
      throw error;
    }
  });
}

/** A source is taken out by its name, or by where it is; what is gone from the disk has its name only. */
function removedId(source: string, { manifest }: Session): string {
  const known = manifest?.sources ?? [];
  if (known.some(({ id }) => id === source)) return source;
  try {
    const place = placeOf(defineSource({ from: source }, process.cwd()));
    return known.find((other) => placeOf(other) === place)?.id ?? source;
  } catch {
    return known.find((other) => placeOf(other) === resolve(source))?.id ?? source;
  }
}
