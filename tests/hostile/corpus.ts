/** The hostile corpus as a user meets it: a copy with what no archive can hold, ingested by the command. */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { IngestReport } from '../../src/core/results.ts';
import type { Settings } from '../../src/core/settings.ts';
import { createEngine, type Engine } from '../../src/index.ts';
import { defaultPreset } from '../../src/presets/default.ts';
import type { Outcome, Project } from '../cli/footnote.ts';
import { openStoredIndex, type StoredIndex } from '../life/stored-index.ts';

const CORPUS = fileURLToPath(new URL('../../../shared/data/corpora/hostile/', import.meta.url));
export const haveCorpus: boolean = existsSync(CORPUS);

/** Entry → what it must do, as the corpus says. */
export const expectations: Readonly<Record<string, string>> = haveCorpus
  ? (JSON.parse(readFileSync(join(CORPUS, 'expectations.json'), 'utf8')) as Record<string, string>)
  : {};

/** Parts of the corpus that are no case: they quote the cases. */
const NO_CASES = ['SOURCE.md', 'expectations.json', 'gen_hostile.py'];

export interface Corpus {
  readonly folder: string;
  /** Cases that this machine allows beside those of the corpus, and what each must do. */
  readonly made: ReadonlyMap<string, string>;
}

/** A writable copy in the project's folder `hostile`. */
export function copyCorpus(project: Project): Corpus {
  const folder = join(project.folder, 'hostile');
  cpSync(CORPUS, folder, { recursive: true });
  execFileSync('chmod', ['-R', 'u+w', folder]);
  for (const name of NO_CASES) rmSync(join(folder, name));
  return { folder, made: makeCases(project, folder) };
}

function makeCases(project: Project, folder: string): Map<string, string> {
  writeFileSync(join(project.folder, 'outside.md'), '# Outside\n\nThe canary of the outside world.\n');
  symlinkSync(join(project.folder, 'outside.md'), join(folder, 'md/symlink-out.md'));
  symlinkSync('.', join(folder, 'md/loop'));
  const made = new Map<string, string>();
  execFileSync('mkfifo', [join(folder, 'md/pipe.md')]);
  made.set('md/pipe.md', 'a named pipe is never waited for');
  mkdirSync(join(folder, 'build'));
  writeFileSync(join(folder, 'build/artefact.md'), '# Artefact\n\nThe folder of the quokka is called build.\n');
  made.set('build/artefact.md', 'no folder is left out for its name');
  if (process.getuid?.() !== 0) {
    writeFileSync(join(folder, 'md/unreadable.md'), '# Unreadable\n');
    chmodSync(join(folder, 'md/unreadable.md'), 0);
    made.set('md/unreadable.md', 'a failure of this file only');
  }
  try {
    writeFileSync(Buffer.concat([Buffer.from(join(folder, 'md/')), Buffer.from('caf\xe9.md', 'latin1')]), '# Latin\n');
    made.set('md/caf\uFFFD.md', 'a name that is not UTF-8: a failure of this file only');
  } catch {
    // Some file systems know UTF-8 names only.
  }
  return made;
}

export interface Ingested {
  readonly milliseconds: number;
  readonly report: IngestReport;
  /** The same for people, by a second run that reads everything again. */
  readonly human: Outcome;
  /** The command, in the project's folder. */
  run(args: readonly string[]): Promise<Outcome>;
  readonly index: StoredIndex;
  readonly engine: Engine;
  close(): Promise<void>;
}

const SETTINGS: Settings = { ...defaultPreset, preset: 'default', sources: [] };

/** Ingests the copy twice, as JSON and anew for people, and opens the index. */
export async function ingestCorpus(project: Project): Promise<Ingested> {
  const started = performance.now();
  const json = await project.run(['ingest', 'hostile', '--json']);
  const milliseconds = performance.now() - started;
  // A file that cannot be read is listed, and makes the exit code 1.
  if (json.code !== 1 && json.code !== 0) throw new Error(`exit ${json.code}: ${json.stderr}`);
  const human = await project.run(['ingest', '--rebuild', '--verbose']);
  const folder = join(project.folder, '.footnote');
  const index = await openStoredIndex(folder);
  const engine = await createEngine({ folder, settings: SETTINGS });
  return {
    milliseconds,
    report: JSON.parse(json.stdout) as IngestReport,
    human,
    run: (args) => project.run(args),
    index,
    engine,
    async close() {
      await engine.close();
      await index.close();
    },
  };
}
