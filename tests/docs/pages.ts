/** The documentation as the tests of this folder see it: pages, headings, links and code. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import GithubSlugger from 'github-slugger';

export const REPOSITORY: string = fileURLToPath(new URL('../..', import.meta.url));

export interface CodeBlock {
  readonly language: string;
  readonly code: string;
}

export interface Page {
  /** Relative to the repository. */
  readonly path: string;
  readonly text: string;
  readonly headings: readonly string[];
  readonly anchors: ReadonlySet<string>;
  /** Targets of links outside of code, as written. */
  readonly links: readonly string[];
  readonly blocks: readonly CodeBlock[];
  /** Inline code outside of code blocks. */
  readonly inlineCode: readonly string[];
}

const BLOCK = /^```(?<language>[^\n`]*)\n(?<code>[^]*?)^```$/gmu;

export const readText = (path: string): string => readFileSync(join(REPOSITORY, path), 'utf8');

export function readPage(path: string): Page {
  const text = readText(path);
  const blocks = [...text.matchAll(BLOCK)].map(({ groups }) => ({
    language: groups?.['language'] ?? '',
    code: groups?.['code'] ?? '',
  }));
  const prose = text.replace(BLOCK, '');
  const headings = [...prose.matchAll(/^#{1,6} (.+)$/gmu)].map(([, heading = '']) => heading);
  const slugger = new GithubSlugger();
  const inlineCode = [...prose.matchAll(/`([^`\n]+)`/gu)].map(([, code = '']) => code);
  return {
    path,
    text,
    headings,
    anchors: new Set(headings.map((heading) => slugger.slug(heading.replaceAll('`', '')))),
    links: [...prose.replace(/`([^`\n]+)`/gu, '').matchAll(/\]\(([^()\s]+)\)/gu)].map(([, target = '']) => target),
    blocks,
    inlineCode,
  };
}

/** All files below a folder with an ending, as paths relative to the repository. */
export function filesBelow(folder: string, ending: string): string[] {
  return readdirSync(join(REPOSITORY, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => relative(REPOSITORY, join(entry.parentPath, entry.name)))
    .filter((path) => !path.includes('node_modules'))
    .sort();
}

const docs = filesBelow('docs', '.md');

/** What is written for users and contributors. */
export const pages: readonly Page[] = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...docs].map(readPage);

export function pageNamed(path: string): Page {
  const found = pages.find((page) => page.path === path);
  if (found === undefined) throw new Error(`there is no page ${path}`);
  return found;
}
