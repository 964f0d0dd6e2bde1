/** The question becomes a plan: what is understood of it, which searches, by which legs, and how they will be fused. */
import type { CallOptions } from '../core/contracts.ts';
import { RagError } from '../core/errors.ts';
import type { Filter } from '../core/filter.ts';
import type { SearchRequest } from '../core/results.ts';
import type { FuseSettings, SearchMode } from '../core/settings.ts';
import type { Warning } from '../core/types.ts';
import { plannedLegs } from './legs.ts';
import type { PlannedLeg } from './legs.ts';
import type { SearchParts } from './parts.ts';
import type { QuestionAnalysis, Topic } from './query/analysis.ts';
import { analyzeQuestion } from './query/analyze-question.ts';
import { expand } from './query/expand.ts';
import type { Expansion } from './query/expansion.ts';
import { evidenceOf } from './query/evidence.ts';
import { chooseRoute, clarification, wantsEvidence } from './query/route.ts';

export interface Plan {
  readonly query: string;
  readonly mode: SearchMode;
  readonly analysis: QuestionAnalysis;
  readonly expansion: Expansion;
  /** Name of the route taken; null for a single search over everything. */
  readonly route: string | null;
  /** What to ask back instead of answering; `search` ignores it. */
  readonly clarification: string | null;
  /** Searched one after the other; without a route there is one. */
  readonly steps: readonly PlannedStep[];
  readonly fuse: Pick<FuseSettings, 'method' | 'k'>;
  /** Length of the lists that min–max normalises over, whatever the depth of this search. */
  readonly depth: number;
  readonly top: number;
  readonly warnings: readonly Warning[];
}

export interface PlannedStep {
  readonly filter: Filter | undefined;
  /** Hits that it may add before the next step's; null: all. */
  readonly topK: number | null;
  readonly whenFewerThan: number | null;
  readonly legs: readonly PlannedLeg[];
}

const MAX_QUESTION_CHARS = 100_000;

/** @param depth How many hits each leg returns; at least the settings' own. */
export async function plan(
  request: SearchRequest,
  parts: SearchParts,
  depth: number,
  options: CallOptions = {},
): Promise<Plan> {
  const { settings } = parts;
  const query = checkedQuestion(request.query);
  const { mode, warnings } = searchMode(request, parts);
  const understood = analyzeQuestion(query, settings.query);
  const expansion = await expand(query, parts, options);
  const alpha = checkedAlpha(request.alpha ?? settings.fuse.alpha);
  const legs = await plannedLegs(
    { query, mode, alpha, expansion, topK: Math.max(depth, settings.retrieve.depth) },
    parts,
    options,
  );
  const { analysis, rivals } = await withEvidence(understood, legs, request.filter, parts, options);
  const { name, steps: own, filter } = chooseRoute(analysis, settings.query);
  const steps = (own ?? [{ filter, topK: null, whenFewerThan: null }]).map(
    ({ filter: narrower, topK, whenFewerThan }): PlannedStep => {
      const both = allOf([request.filter, isEmpty(narrower) ? undefined : narrower]);
      return {
        filter: both,
        topK,
        whenFewerThan,
        legs: both === undefined ? legs : legs.map((leg) => ({ ...leg, query: { ...leg.query, filter: both } })),
      };
    },
  );
  const { method, k } = settings.fuse;
  return {
    query,
    mode,
    analysis,
    expansion,
    route: name,
    clarification: settings.query.clarify && rivals.length > 0 ? clarification([...analysis.topics, ...rivals]) : null,
    steps,
    fuse: { method: alpha === null ? method : 'weighted', k },
    depth: settings.retrieve.depth,
    top: request.top ?? settings.retrieve.topK,
    warnings: [...warnings, ...expansion.warnings],
  };
}

/** What the question does not say, the passages that it finds may tell. */
async function withEvidence(
  analysis: QuestionAnalysis,
  legs: readonly PlannedLeg[],
  filter: Filter | undefined,
  parts: SearchParts,
  options: CallOptions,
): Promise<{ readonly analysis: QuestionAnalysis; readonly rivals: readonly Topic[] }> {
  const { query } = parts.settings;
  if (!wantsEvidence(analysis, query)) return { analysis, rivals: [] };
  const { topic, rivals } = await evidenceOf(legs, query.vocabulary, filter, parts, options);
  return { analysis: topic === undefined ? analysis : { ...analysis, topics: [topic] }, rivals };
}

function checkedQuestion(text: string): string {
  const query = text.trim();
  if (query === '')
    throw new RagError('question-invalid', 'the question is empty', {
      hint: 'ask in words: footnote ask "How do I …?"',
    });
  if (query.length > MAX_QUESTION_CHARS) {
    throw new RagError(
      'question-invalid',
      `the question has ${String(query.length)} characters; at most ${String(MAX_QUESTION_CHARS)} are read`,
      { hint: 'ask a shorter question' },
    );
  }
  return query;
}

/** The settings are checked where they come from; a request of a program is not. */
function checkedAlpha(alpha: number | null): number | null {
  if (alpha === null || (alpha >= 0 && alpha <= 1)) return alpha;
  throw new RagError('setting-invalid', `alpha is a number from 0 to 1, not ${String(alpha)}`, {
    hint: '1 is --mode dense, 0 is --mode keyword',
  });
}

/** An index without vectors is searched by words, and says so. */
function searchMode(
  request: SearchRequest,
  { settings, embedder }: SearchParts,
): { readonly mode: SearchMode; readonly warnings: readonly Warning[] } {
  const alpha = request.alpha ?? settings.fuse.alpha;
  const mode = request.mode ?? (alpha === 1 ? 'dense' : alpha === 0 ? 'keyword' : settings.retrieve.mode);
  if (embedder !== undefined || mode === 'keyword') return { mode, warnings: [] };
  if (mode === 'dense')
    throw new RagError('setting-invalid', 'this index has no vectors to search', {
      hint: 'use --mode keyword, or set embed.use and run footnote ingest --rebuild',
    });
  const message = 'this index has no vectors: only keywords are searched';
  return { mode: 'keyword', warnings: [{ code: 'no-dense-leg', message }] };
}

function allOf(filters: readonly (Filter | undefined)[]): Filter | undefined {
  const given = filters.filter((filter) => filter !== undefined);
  return given.length > 1 ? { and: given } : given[0];
}

const isEmpty = (filter: object | undefined): boolean => filter === undefined || Object.keys(filter).length === 0;
