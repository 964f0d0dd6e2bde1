import { resolveSettings } from '../../config/resolve.ts';
import type { Settings } from '../../core/settings.ts';
import { evaluatePresets } from '../../evaluate-presets.ts';
import { formatEvaluation } from '../../evaluation/table.ts';
import { findIndexFolder } from '../../workspace.ts';
import { interruptible } from '../interrupt.ts';
import type { GlobalOptions } from '../options.ts';
import { writeJson, writeOut } from '../output.ts';
import { terminalProgress } from '../progress.ts';
import { indexOption, openSession } from '../session.ts';

const STOPPED = 'stopped; indexes that were built for the evaluation are kept, and used by the next footnote eval';

export async function evaluateCommand(target: string, options: GlobalOptions): Promise<number> {
  const { folder } = findIndexFolder(process.cwd(), indexOption(options));
  const presets = await presetsOf(options);
  const progress = terminalProgress();
  const { report } = await interruptible(STOPPED, (signal) =>
    evaluatePresets({
      target,
      folder,
      presets,
      signal,
      onIngest({ source, done, total }) {
        progress.update(`indexing ${source}`, done, total);
      },
      onProgress({ preset, done, total }) {
        progress.update(`${preset}: questions`, done, total);
      },
    }),
  ).finally(progress.clear);
  await (options.json === true ? writeJson(report) : writeOut(formatEvaluation(report)));
  return 0;
}

/** Presets that are named are measured as they are, on an index of their own; without one it is the index as it is. */
async function presetsOf(options: GlobalOptions): Promise<readonly Settings[]> {
  const names = (options.preset ?? '').split(',').flatMap((name) => name.trim() || []);
  if (names.length === 0)
    return [(await openSession({ ...options, preset: undefined }, { index: false })).resolved.settings];
  const request = { cwd: process.cwd(), env: process.env, addsSources: false };
  return Promise.all(
    names.map(
      async (preset) => (await resolveSettings({ ...request, flags: { preset, config: options.config } })).settings,
    ),
  );
}
