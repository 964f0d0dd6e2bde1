/** Addresses of lines of a file at a commit, as forges have them. */
import { encodePath } from '../text/uri.ts';

interface Forge {
  readonly host: RegExp;
  readonly template: string;
}

const GITEA = '{repository}/src/commit/{commit}/{path}#L{start}-L{end}';

/** Self-hosted forges are recognised by the usual first part of their host name; any other takes `urlTemplate`. */
const FORGES: readonly Forge[] = [
  { host: /^github\.com$|^github\./u, template: '{repository}/blob/{commit}/{path}#L{start}-L{end}' },
  { host: /^gitlab\.com$|^gitlab\./u, template: '{repository}/-/blob/{commit}/{path}#L{start}-{end}' },
  { host: /^bitbucket\.org$/u, template: '{repository}/src/{commit}/{path}#lines-{start}:{end}' },
  { host: /^codeberg\.org$|^(?:gitea|forgejo)\./u, template: GITEA },
];

/** The web page of a repository: its https address, or what an ssh address stands for. No page for a local one. */
export function repositoryPage(repository: string): string | undefined {
  const scp = /^[^/@:]+@([^/:]+):(.+)$/u.exec(repository);
  const url = scp === null ? repository : `ssh://${scp[1]}/${scp[2]}`;
  if (!URL.canParse(url)) return undefined;
  const { protocol, host, hostname, pathname } = new URL(url);
  const path = pathname.replace(/\/+$/u, '').replace(/\.git$/u, '');
  if (hostname === '' || path === '') return undefined;
  if (protocol === 'https:' || protocol === 'http:') return `${protocol}//${host}${path}`;
  // The port of an ssh or git address is not that of the web page.
  return protocol === 'ssh:' || protocol === 'git:' ? `https://${hostname}${path}` : undefined;
}

/** The template of the forge that hosts a repository, or `undefined` when it is local or on an unknown host. */
export function permalinkTemplate(repository: string): string | undefined {
  const page = repositoryPage(repository);
  if (page === undefined) return undefined;
  const { hostname } = new URL(page);
  return FORGES.find((forge) => forge.host.test(hostname))?.template;
}

export interface PermalinkPlace {
  /** As the source has it; `{repository}` becomes its web page. */
  readonly repository: string;
  readonly commit: string;
  /** Relative to the repository's root, not encoded. */
  readonly path: string;
  /** First and last line, 1-based. Without them `{start}` and `{end}` stay, to be filled for each citation. */
  readonly start?: number;
  readonly end?: number;
}

export function fillTemplate(template: string, place: PermalinkPlace): string {
  const values: Readonly<Record<string, string | undefined>> = {
    repository: repositoryPage(place.repository) ?? place.repository,
    commit: place.commit,
    path: encodePath(place.path),
    start: place.start?.toString(),
    end: (place.end ?? place.start)?.toString(),
  };
  return template.replace(/\{(repository|commit|path|start|end)\}/gu, (field, name: string) => values[name] ?? field);
}

/** The address of the whole file: without the fragment, or the last parameter, that names lines. */
export const withoutLines = (filled: string): string => filled.replace(/[#?&][^#?&]*\{(?:start|end)\}.*$/u, '');
