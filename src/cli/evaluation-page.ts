/** `eval --html`: collects what the evaluation sees, and writes the page when it is done. */
import type { EvaluatePresetsRequest } from '../evaluate-presets.ts';
import type { Evaluation } from '../evaluation/evaluate.ts';
import type { PageIndex } from '../evaluation/html/input.ts';
import { sightingOf, type Sighting } from '../evaluation/html/sighting.ts';
import { prepareFile } from './prepare-file.ts';
import type { Grid } from '../vary.ts';
import type { GlobalOptions } from './options.ts';
import { version } from './version.ts';

export interface PageWriter extends Pick<EvaluatePresetsRequest, 'onObserved' | 'onOpened'> {
  write(evaluation: Evaluation): Promise<void>;
}

/** @throws RagError `storage-failed` when the file cannot be written, before anything is measured */
export async function preparePage(
  file: string,
  target: string,
  { presets, varied }: Pick<Grid, 'presets' | 'varied'>,
  options: GlobalOptions,
): Promise<PageWriter> {
  const write = await prepareFile(file);
  const sightings = new Map<string, Sighting[]>();
  const indexes = new Map<string, PageIndex>();
  const changes = new Map(varied.flatMap(({ points }) => [...points]));
  return {
    onOpened(preset, { index, documents, chunks, model }) {
      indexes.set(preset, { folder: index, documents, chunks, model });
      sightings.set(preset, []);
    },
    onObserved(preset, observation) {
      sightings.get(preset)?.push(sightingOf(observation));
    },
    async write(evaluation) {
      // Settings and templates are only needed now: the page's modules load when there is something to write.
      const [{ evaluationPage }, { settingsToPaste }] = await Promise.all([
        import('../evaluation/html/page.ts'),
        import('../vary.ts'),
      ]);
      const measured = presets.filter(({ name }) => evaluation.results.has(name));
      const page = evaluationPage({
        target,
        date: new Date(),
        version: version(),
        evaluation,
        sightings,
        presets: measured.map(({ name, settings }) => {
          const index = indexes.get(name) ?? null;
          const { environment } = settingsToPaste(changes.get(name) ?? new Map<string, unknown>());
          const preset = options.preset === undefined ? undefined : settings.preset;
          const command = searchCommand({ environment, preset, index: index?.folder, config: options.config });
          return { name, settings, index, command };
        }),
      });
      await write(page);
    },
  };
}

interface CommandParts {
  readonly environment: readonly string[];
  readonly preset: string | undefined;
  readonly index: string | undefined;
  readonly config: string | undefined;
}

/** For a POSIX shell; the question is last, where it may begin with a dash. */
function searchCommand({ environment, preset, index, config }: CommandParts): (query: string) => string {
  const options = Object.entries({ index, preset, config }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${quoted(value)}`],
  );
  return (query) => [...environment, 'footnote search', ...options, '--explain', '--', always(query)].join(' ');
}

const quoted = (text: string): string => (/^[\w./:@-]+$/u.test(text) ? text : always(text));

const always = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
