/** What is known of documents beside their words moves their scores: kinds that count more or less, and importance. */
import type { CallOptions } from '../core/contracts.ts';
import type { AdjustSettings } from '../core/settings.ts';
import { fieldValue } from '../core/filter.ts';
import type { Chunk, MetadataValue } from '../core/types.ts';
import type { FusedHit } from './fuse.ts';
import type { SearchParts } from './parts.ts';
import type { QuestionAnalysis } from './query/analysis.ts';

export interface Adjusted {
  readonly hits: readonly FusedHit[];
  /** Factors other than 1, by chunk, with their reasons. */
  readonly factors: ReadonlyMap<string, Factor>;
}

export interface Factor {
  readonly factor: number;
  readonly reasons: readonly string[];
}

/** Only so many of the first hits are adjusted: those behind could not come far enough to be shown. */
const ADJUSTED = 200;

export async function adjust(
  fused: readonly FusedHit[],
  analysis: QuestionAnalysis,
  parts: Pick<SearchParts, 'settings' | 'store' | 'importance'>,
  options: CallOptions = {},
): Promise<Adjusted> {
  const settings = parts.settings.adjust;
  const factors = new Map<string, Factor>();
  if (settings.weights.length === 0 && settings.changelogs === 1 && settings.importance === 0)
    return { hits: fused, factors };
  const head = fused.slice(0, ADJUSTED);
  options.signal?.throwIfAborted();
  const importance = settings.importance === 0 ? new Map<string, number>() : await parts.importance();
  for (const chunk of await parts.store.chunks(head.map(({ chunkId }) => chunkId))) {
    const found = factorOf(chunk, analysis, settings, importance);
    if (found.factor !== 1) factors.set(chunk.id, found);
  }
  const moved = head.map((hit) => ({ ...hit, score: hit.score * (factors.get(hit.chunkId)?.factor ?? 1) }));
  // A stable sort: equal scores keep the order of the fusion.
  return { hits: [...moved.sort((a, b) => b.score - a.score), ...fused.slice(ADJUSTED)], factors };
}

function factorOf(
  chunk: Chunk,
  { asksForChange }: QuestionAnalysis,
  settings: AdjustSettings,
  known: ReadonlyMap<string, number>,
): Factor {
  const reasons: string[] = [];
  let factor = 1;
  const by = (each: number, reason: string): void => {
    if (each === 1) return;
    factor *= each;
    reasons.push(`${reason} × ${String(Math.round(each * 1000) / 1000)}`);
  };
  for (const { field, value, weight } of settings.weights) {
    if (holds(fieldValue(chunk, field), value)) by(weight, `${field}=${value}`);
  }
  if (!asksForChange && isChangelog(chunk)) by(settings.changelogs, 'changelog');
  // What the document says of itself counts before the table.
  const importance = chunk.metadata['importance'] ?? known.get(chunk.path);
  if (typeof importance === 'number') by(importanceFactor(importance, settings.importance), 'importance');
  return { factor, reasons };
}

/** 1 − w for no importance, 1 for the middle, 1 + w for the highest; unknown is the middle. */
const importanceFactor = (importance: number, weight: number): number =>
  1 + weight * (2 * Math.min(1, Math.max(0, importance)) - 1);

const holds = (found: MetadataValue | undefined, value: string): boolean =>
  (typeof found === 'object' ? found : [found]).some((each) => each !== undefined && String(each) === value);

/** By the names of its file, folder and page: these are conventions of many projects. */
const isChangelog = ({ path, title }: Chunk): boolean => CHANGELOG.test(path) || CHANGELOG_TITLE.test(title);

const CHANGELOG =
  /(?:^|[/_.-])(?:change-?logs?|changes|release-?notes?|releases|history|news|whats-?new)(?:[/_.-]|$)/iu;
const CHANGELOG_TITLE = /^(?:change ?log|release notes?|what['’]s new)\b/iu;
