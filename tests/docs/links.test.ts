import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { filesBelow, pages, readPage, readText, REPOSITORY, type Page } from './pages.ts';

const local = (page: Page): { readonly target: string; readonly file: string; readonly anchor: string | undefined }[] =>
  page.links
    .filter((target) => !/^[a-z]+:/u.test(target))
    .map((target) => {
      const [path = '', anchor] = target.split('#');
      return { target, anchor, file: path === '' ? page.path : posix.join(posix.dirname(page.path), path) };
    });

test.each(pages.map((page) => [page.path, page] as const))('%s: every link leads somewhere', (_, page) => {
  for (const { target, file, anchor } of local(page)) {
    expect(existsSync(join(REPOSITORY, file)), target).toBe(true);
    if (anchor !== undefined) expect([...readPage(file).anchors], target).toContain(anchor);
  }
});

test('every page is reached from the README', () => {
  const reached = new Set<string>();
  const visit = (path: string): void => {
    const page = pages.find((candidate) => candidate.path === path);
    if (page === undefined || reached.has(path)) return;
    reached.add(path);
    for (const { file } of local(page)) visit(file);
  };
  visit('README.md');
  expect(pages.map(({ path }) => path).filter((path) => !reached.has(path) && path !== 'CHANGELOG.md')).toEqual([]);
});

test('every page that a comment of the source names is there', () => {
  const named = filesBelow('src', '.ts').flatMap((file) =>
    [...readText(file).matchAll(/\b(?<page>docs\/(?:decisions\/)?[\w-]+\.md)\b/gu)]
      .map(({ groups }) => groups?.['page'] ?? '')
      // The example of a label in an evaluation.
      .filter((page) => page !== 'docs/guide/build.md')
      .map((page) => ({ file, page })),
  );
  expect(named.filter(({ page }) => !existsSync(join(REPOSITORY, page)))).toEqual([]);
});

test('every file of the repository that a page names is there', () => {
  const missing = pages
    .filter(({ path }) => path !== 'CHANGELOG.md')
    .flatMap(({ path, inlineCode }) =>
      inlineCode
        .filter((code) => /^(?:src|tests|tools|examples|models|native|schema|bench)\/[\w./-]*$/u.test(code))
        .filter((code) => !existsSync(join(REPOSITORY, code)))
        .map((code) => `${path}: ${code}`),
    );
  expect(missing).toEqual([]);
});
