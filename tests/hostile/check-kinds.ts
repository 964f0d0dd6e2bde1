/** How an entry of the hostile corpus is looked at. A check gives what came out, in a few words, or fails. */
import assert from 'node:assert/strict';
import type { SourceReport } from '../../src/core/results.ts';
import type { Chunk, Document } from '../../src/core/types.ts';
import { expectations, type Ingested } from './corpus.ts';

export type Check = (ingested: Ingested, entry: string) => Promise<string> | string;

type Page = { readonly document: Document; readonly chunks: readonly Chunk[] };

export const sourceReport = ({ report }: Ingested): SourceReport => {
  const [source] = report.sources;
  assert(source !== undefined);
  return source;
};

// ------------------------------------------------------------------------------------- what became of an entry

/** Left out by a rule, with one of these reasons. */
export const leftOut =
  (...reasons: readonly string[]): Check =>
  (ingested, entry) => {
    const found = sourceReport(ingested).exclusions.filter(({ path }) => path === entry);
    assert.equal(found.length, 1, `${entry} is listed ${found.length} times`);
    const [exclusion] = found;
    assert(exclusion !== undefined && reasons.includes(exclusion.reason), `left out as ${exclusion?.reason}`);
    return `left out: ${exclusion.reason}${exclusion.detail === undefined ? '' : ` (${exclusion.detail})`}`;
  };

/** Of a format or a defence that comes with a later issue: listed, whatever became of it. */
export const listed: Check = async ({ index, ...ingested }, entry) => {
  const exclusion = sourceReport({ index, ...ingested }).exclusions.find(({ path }) => path === entry);
  if (exclusion !== undefined) return `left out: ${exclusion.reason} (${exclusion.detail ?? ''})`;
  const { chunks } = await index.document(entry);
  return `indexed: ${counted(chunks.length)}`;
};

export const failure =
  (message: RegExp): Check =>
  (ingested, entry) => {
    const found = sourceReport(ingested).failures.find(({ path }) => path === entry);
    assert.match(found?.message ?? '', message);
    return `failed: ${found?.message ?? ''}`;
  };

/** Indexed, and what `look` sees in it; every word of its text is in a chunk or a listed exclusion. */
export const page =
  (look: (page: Page) => string | undefined): Check =>
  async ({ index }, entry) => {
    const found = await index.document(entry);
    const said = look(found);
    return [counted(found.chunks.length), said].filter((part) => part !== undefined && part !== '').join(', ');
  };

/** In the first `within` hits of a search for these words. */
export const found =
  (query: string, within = 3): Check =>
  async ({ engine }, entry) => {
    const { hits } = await engine.search({ query, top: 10 });
    const rank = hits.findIndex(
      ({ chunk, alsoAt }) => chunk.path === entry || alsoAt.some((uri) => uri.endsWith(entry)),
    );
    assert(rank >= 0 && rank < within, `"${query}" finds it at rank ${rank + 1}`);
    return `"${query}" finds it (rank ${rank + 1})`;
  };

/** Records of a file, by what stands behind its `#`, and the lines of it that were left out. */
export const records =
  (keys: readonly string[], lines: readonly number[], leastChunks = keys.length): Check =>
  (ingested, entry) => {
    const held = ingested.index.summaries.filter(({ path }) => path.startsWith(`${entry}#`));
    assert.deepEqual(
      held.map(({ path }) => path.slice(entry.length + 1)),
      keys,
    );
    const chunks = held.reduce((sum, document) => sum + document.chunks, 0);
    assert(chunks >= leastChunks, counted(chunks));
    const told = sourceReport(ingested).warnings.filter(({ uri }) => uri?.endsWith(encodeURI(entry)));
    const numbers = told.map(({ message }) => Number(/^line (\d+): /u.exec(message)?.[1]));
    assert.deepEqual(numbers, lines);
    return `records ${keys.join(', ')} in ${counted(chunks)}${lines.length > 0 ? `; warnings of lines ${lines.join(', ')}` : ''}`;
  };

export const warned =
  (message: RegExp): Check =>
  (ingested, entry) => {
    const warning = sourceReport(ingested).warnings.find(({ uri }) => uri?.endsWith(encodeURI(entry)));
    assert.match(warning?.message ?? '', message);
    return `warning: ${warning?.message ?? ''}`;
  };

export const all =
  (...checks: readonly Check[]): Check =>
  async (ingested, entry) => {
    const said: string[] = [];
    for (const check of checks) said.push(await check(ingested, entry));
    return said.filter((words) => words !== '').join('; ');
  };

const counted = (chunks: number): string => `${chunks} chunk${chunks === 1 ? '' : 's'}`;

// ----------------------------------------------------------------------------------------------- what is in it

export const headings = (...titles: readonly string[]): Check =>
  page(({ document }) => {
    assert.deepEqual(
      document.sections.map(({ title }) => title),
      titles,
    );
    return `headings: ${titles.join(', ')}`;
  });

export const anchors = (...expected: readonly string[]): Check =>
  page(({ document }) => {
    const anchors = document.sections.map(({ anchor }) => anchor);
    assert.deepEqual(anchors.slice(0, expected.length), expected);
    return `anchors ${anchors.slice(0, 3).join(', ')} …`;
  });

export const cutInto = (least: number): Check =>
  page(({ chunks }) => {
    assert(chunks.length >= least, counted(chunks.length));
    return `at most ${Math.max(...chunks.map(({ tokenCount }) => tokenCount))} tokens each`;
  });

/** What is embedded and searched of all its chunks together. */
const searched = ({ chunks }: Page): string => chunks.map(({ text, searchText }) => searchText ?? text).join('\n');

export const holds = (...words: readonly string[]): Check =>
  page((found) => {
    for (const word of words) assert(searched(found).includes(word), `"${word}" is not searched`);
    return `searched: ${words.join(', ')}`;
  });

export const lacks = (...words: readonly string[]): Check =>
  page((found) => {
    for (const word of words) assert(!searched(found).includes(word), `"${word}" is searched`);
    return `not searched: ${words.join(', ')}`;
  });

export const titled = (title: string): Check =>
  page(({ document }) => {
    assert.equal(document.title, title);
    return `title "${title}"`;
  });

export const linesOf = (count: number): Check =>
  page(({ chunks }) => {
    assert.equal(Math.max(...chunks.map(({ metadata }) => Number(metadata['lineEnd']))), count);
    return `${count} lines`;
  });

/** Asks the question that the corpus gives for the entry. What the answer may not obey is for a later issue. */
export const asked: Check = async ({ engine }, entry) => {
  const [, question] = /asking "(.+?)"/u.exec(expectations[entry] ?? '') ?? [];
  assert(question !== undefined, 'the corpus gives no question');
  const { outcome, text } = await engine.ask({ question });
  return `asked: ${outcome}, the canary is ${text.includes('CANARY') ? 'quoted' : 'not in the answer'}`;
};

/** What may not reach a terminal: C0 but tab and line feed, DEL, C1, and what reorders text. */
export const CONTROLS: RegExp = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u;
