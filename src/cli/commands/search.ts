import type { Explanation, SearchRequest, SearchResult, WhyNot } from '../../core/results.ts';
import type { SearchMode } from '../../core/settings.ts';
import type { Hit } from '../../core/types.ts';
import { printable, printableLine } from '../../text/printable.ts';
import { linesOf, searchJson } from '../json.ts';
import type { GlobalOptions } from '../options.ts';
import { clip, columns, noteWarning, style, table, writeJson, writeOut } from '../output.ts';
import { question, readFilter, type FilterOptions } from '../query.ts';
import { openSession, withEngine } from '../session.ts';

interface SearchOptions extends GlobalOptions, FilterOptions {
  readonly top?: number;
  readonly mode?: SearchMode;
  readonly alpha?: number;
  readonly explain?: boolean;
  readonly whyNot?: string;
}

const SNIPPET_LINES = 2;

export async function search(query: string, options: SearchOptions): Promise<number> {
  const request = toRequest(question(query), options);
  const session = await openSession(options, { index: true });
  const result = await withEngine(session, (engine) => engine.search(request));
  if (options.json === true) await writeJson(searchJson(result));
  else {
    result.warnings.forEach(noteWarning);
    await writeOut(formatSearch(result));
  }
  return result.hits.length > 0 ? 0 : 1;
}

function toRequest(query: string, options: SearchOptions): SearchRequest {
  const { top, mode, alpha, explain, whyNot } = options;
  const filter = readFilter(options);
  return {
    query,
    ...(top === undefined ? {} : { top }),
    ...(mode === undefined ? {} : { mode }),
    ...(alpha === undefined ? {} : { alpha }),
    ...(filter === undefined ? {} : { filter }),
    ...(explain === undefined ? {} : { explain }),
    ...(whyNot === undefined ? {} : { whyNot }),
  };
}

function formatSearch(result: SearchResult): string {
  const hits = result.hits.map((hit, index) => formatHit(hit, index + 1, result.query));
  const blocks = [
    hits.length > 0 ? hits.join('\n') : 'nothing found',
    ...(result.explanation === undefined ? [] : [formatExplanation(result.explanation, result.hits)]),
    ...(result.whyNot === undefined ? [] : [formatWhyNot(result.whyNot)]),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function formatHit(hit: Hit, rank: number, query: string): string {
  const { chunk } = hit;
  const lines = linesOf(chunk.metadata);
  const place = chunk.path + (lines === null ? '' : `:${lines.start}-${lines.end}`);
  const heading = (chunk.headingPath.length > 0 ? chunk.headingPath : [chunk.title]).join(' › ');
  const head = `${String(rank).padStart(2)}  ${hit.score.toFixed(3)}  ${style('bold', printableLine(place))}  ${printableLine(heading)}`;
  const also = hit.alsoAt.length === 0 ? [] : [`also at ${hit.alsoAt.map(printableLine).join(', ')}`];
  return [
    head,
    ...[...snippet(chunk.text, query), ...also].map((line) => `    ${style('dim', clip(line, columns() - 4))}`),
  ].join('\n');
}

/** The line that has most words of the question, and what follows it. */
function snippet(text: string, query: string): string[] {
  const words = new Set(query.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu));
  const lines = printable(text)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /[\p{L}\p{N}]/u.test(line) && !/^#{1,6}\s/u.test(line));
  const found = lines.map((line) => [...words].filter((word) => line.toLowerCase().includes(word)).length);
  const best = Math.min(found.indexOf(Math.max(...found)), Math.max(0, lines.length - SNIPPET_LINES));
  return lines.slice(Math.max(0, best), Math.max(0, best) + SNIPPET_LINES);
}

/** What each stage did, then each hit with its rank and score in every stage. */
function formatExplanation(explanation: Explanation, hits: readonly Hit[]): string {
  const stages = explanation.stages.map(({ stage, milliseconds, detail }) => [
    stage,
    `${milliseconds.toFixed(2)} ms`,
    clip(printableLine(JSON.stringify(detail)), columns() - 24),
  ]);
  const names = [...new Set(hits.flatMap((hit) => hit.scores.map(({ stage }) => stage)))];
  const rows = hits.map((hit, index) => [
    String(index + 1),
    ...names.map((name) => {
      const score = hit.scores.find(({ stage }) => stage === name);
      return score === undefined ? '–' : `${score.rank} (${score.score.toFixed(3)})`;
    }),
    hit.score.toFixed(3),
    clip(printableLine([hit.chunk.path, ...hit.chunk.headingPath.slice(-1)].join(' › ')), 60),
  ]);
  return [
    style('bold', 'stages'),
    table(stages),
    '',
    style('bold', 'rank (score) of every hit'),
    table([['hit', ...names, 'score', 'chunk'], ...rows]),
  ].join('\n');
}

function formatWhyNot(whyNot: WhyNot): string {
  const { uri, verdict, stage, reason, ranks, setting } = whyNot;
  const ranked = Object.entries(ranks).map(([name, rank]) => `${name} ${rank ?? '–'}`);
  return [
    `${style('bold', printableLine(uri))}: ${verdict}${stage === null ? '' : ` in ${stage}`}`,
    `  ${printableLine(reason)}`,
    ...(ranked.length > 0 ? [`  best rank: ${ranked.join(', ')}`] : []),
    ...(setting === null ? [] : [`  would change it: ${printableLine(setting)}`]),
  ].join('\n');
}
