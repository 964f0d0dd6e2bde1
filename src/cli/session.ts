/** What every command that touches an index begins with: which index, which settings, an engine. */
import { resolveSettings, type ResolvedSettings } from '../config/resolve.ts';
import { flagVariable } from '../config/environment.ts';
import { RagError } from '../core/errors.ts';
import { createEngine, type Engine } from '../engine.ts';
import { findIndexFolder, readManifest, type Manifest } from '../workspace.ts';
import type { GlobalOptions } from './options.ts';
import { noteWarning } from './output.ts';

export interface Session {
  readonly folder: string;
  readonly exists: boolean;
  readonly manifest: Manifest | undefined;
  readonly resolved: ResolvedSettings;
}

export interface SessionNeeds {
  /** Refuse where there is no index. */
  readonly index: boolean;
  /** The configuration file's sources are going to be read. */
  readonly addsSources?: boolean;
  readonly rebuild?: boolean;
  /** Flags that are settings, by dotted key. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** @throws RagError `index-missing`, and what the settings are refused for */
export async function openSession(options: GlobalOptions, needs: SessionNeeds): Promise<Session> {
  const { folder, exists } = findIndexFolder(process.cwd(), indexOption(options));
  if (needs.index && !exists) {
    throw new RagError(
      'index-missing',
      `there is no index ${options.index === undefined ? 'here or above' : `in ${folder}`}`,
      {
        hint: 'footnote ingest PATH builds one',
      },
    );
  }
  const manifest = exists ? await readManifest(folder) : undefined;
  const resolved = await resolveSettings({
    cwd: process.cwd(),
    env: process.env,
    flags: {
      config: options.config,
      preset: options.preset,
      asDesigned: options.asDesigned,
      rebuild: needs.rebuild,
      settings: needs.settings,
    },
    manifest,
    addsSources: needs.addsSources ?? false,
    foundIndex: indexOption(options) === undefined ? folder : undefined,
  });
  resolved.warnings.forEach(noteWarning);
  return { folder, exists, manifest, resolved };
}

/** Runs `use` with an engine on the index, and closes it whatever happens. */
export async function withEngine<T>(session: Session, use: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await createEngine({ folder: session.folder, settings: session.resolved.settings });
  try {
    return await use(engine);
  } finally {
    await engine.close();
  }
}

export const indexOption = (options: GlobalOptions): string | undefined =>
  options.index ?? flagVariable(process.env, 'FOOTNOTE_INDEX');
