/** A folder of pages, and what an ingest says of it. */
import { project, type Json, type Project } from '../cli/footnote.ts';

export const PAGES: Readonly<Record<string, string>> = {
  'docs/ports.md': '# Ports\n\nThe gateway listens on port 8787 by default. Set `GATEWAY_PORT` to change it.\n',
  'docs/install.md': '# Install\n\nRun `npm run demo` to build and install the gateway.\n',
  'docs/guide/logs.md': '# Logs\n\nThe gateway writes its log to `gateway.log` in the working folder.\n',
  'docs/guide/backup.md': '# Backup\n\nA backup of the gateway takes two minutes and is kept for a week.\n',
};

/** The pages, ingested. */
export async function ingested(): Promise<Project> {
  const here = await project(PAGES);
  const { code, stderr } = await here.run(['ingest', 'docs']);
  if (code !== 0) throw new Error(stderr);
  return here;
}

export interface Counts {
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly deleted: number;
  readonly read: number;
}

/** What one ingest did with its only source. */
export async function counts(here: Project, args: readonly string[] = []): Promise<Counts> {
  const { sources }: Json = await here.json(['ingest', ...args]);
  const [{ added, updated, unchanged, deleted, read }] = sources;
  return { added, updated, unchanged, deleted, read };
}

/** Paths of what is found, in order. */
export async function paths(here: Project, query: string, args: readonly string[] = []): Promise<string[]> {
  const { hits }: Json = await here.json(['search', query, ...args]);
  return hits.map(({ path }: Json) => path);
}
