/** question → plan → retrieve → fuse → context → answer → proof, as a stream of events. `ask` is this, collected. */
import type { CallOptions } from '../core/contracts.ts';
import { fromPublicError, isRagError, RagError, toPublicError } from '../core/errors.ts';
import type { AskRequest } from '../core/results.ts';
import type { Answer, AnswerEvent } from '../core/types.ts';
import { answerRun } from './answer-run.ts';
import { assess } from './confidence.ts';
import { adjust } from './adjust.ts';
import { buildContext } from './context.ts';
import { diversify } from './diversify.ts';
import { fuseSteps } from './fuse.ts';
import { loadHits } from './hits.ts';
import { ofOneGeneration } from './one-generation.ts';
import type { AnswerParts } from './parts.ts';
import { plan } from './plan.ts';
import { prove } from './prove.ts';
import { candidatesWanted, rerank } from './rerank.ts';
import { allRuns, retrieve } from './retrieve.ts';
import { thresholdWarnings } from './threshold.ts';

export async function* answer(
  request: AskRequest,
  parts: AnswerParts,
  options: CallOptions = {},
): AsyncGenerator<AnswerEvent> {
  const { settings, store, embedder } = parts;
  const countTokens = embedder === undefined ? undefined : (text: string): number => embedder.countTokens(text);
  const run = answerRun(request.question, parts);
  yield run.start();
  try {
    const planned = yield* run.stage('plan', () =>
      plan({ ...request, query: request.question }, parts, settings.retrieve.depth, options),
    );
    yield* run.warn([...planned.warnings, ...thresholdWarnings(parts)]);
    if (planned.clarification !== null) {
      yield* run.end(run.unclear(planned.clarification));
      return;
    }
    const { runs, hits, context } = yield* ofOneGeneration(store, async function* () {
      const steps = yield* run.stage('retrieve', () => retrieve(planned, parts, options));
      const fused = yield* run.stage('fuse', () => fuseSteps(steps, planned.fuse, planned.depth));
      const top = Math.max(planned.top, candidatesWanted(parts));
      const found = yield* run.stage('fuse', async () =>
        loadHits((await adjust(fused, planned.analysis, parts, options)).hits, store, { top }),
      );
      const reranked = yield* run.stage('rerank', () => rerank(planned, found, parts, options));
      yield* run.warn(reranked.warnings);
      const hits = diversify(reranked.hits, settings.adjust.diversity, parts.analyzer).slice(0, planned.top);
      const context = yield* run.stage('context', () => buildContext(hits, settings.context, store, countTokens));
      return { runs: allRuns(steps), hits, context };
    });
    yield { type: 'passages-available', passages: context.passages };
    yield* run.warn(parts.warnings);

    const assessment = assess(planned.query, runs, hits, parts);
    yield* run.warn(assessment.warnings);
    if (context.passages.length === 0 || assessment.insufficient) {
      yield* run.end(run.insufficient(context, assessment));
      return;
    }
    const terms = runs.find(({ leg }) => leg === 'keyword')?.terms ?? [];
    const draft = parts.generator.generate({ question: planned.query, terms, ...context }, options);
    const proven = yield* prove(draft, context, parts, run);
    yield* run.end(
      proven.statements === 0
        ? run.insufficient(context, assessment, proven)
        : run.answered(context, assessment, proven),
    );
  } catch (error) {
    if (options.signal?.aborted === true) throw new RagError('aborted', 'the question was withdrawn', { cause: error });
    if (!isRagError(error)) throw error;
    yield { type: 'answer-error', error: toPublicError(error) };
  }
}

/** The last event of a stream as a value. @throws RagError when the stream ended in an error */
export async function collect(events: AsyncIterable<AnswerEvent>): Promise<Answer> {
  for await (const event of events) {
    if (event.type === 'answer-end') return event.answer;
    if (event.type === 'answer-error') throw fromPublicError(event.error);
  }
  throw new RagError('internal', 'the answer ended without a result');
}
