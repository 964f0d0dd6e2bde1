/** question → plan → retrieve → fuse → context → answer → proof, as a stream of events. `ask` is this, collected. */
import type { CallOptions } from '../core/contracts.ts';
import { fromPublicError, isRagError, RagError, toPublicError } from '../core/errors.ts';
import type { AskRequest } from '../core/results.ts';
import type { Answer, AnswerEvent } from '../core/types.ts';
import { answerRun } from './answer-run.ts';
import { assess } from './confidence.ts';
import { buildContext } from './context.ts';
import { fuse } from './fuse.ts';
import { loadHits } from './hits.ts';
import { ofOneGeneration } from './one-generation.ts';
import type { AnswerParts } from './parts.ts';
import { plan } from './plan.ts';
import { prove } from './prove.ts';
import { retrieve } from './retrieve.ts';

export async function* answer(
  request: AskRequest,
  parts: AnswerParts,
  options: CallOptions = {},
): AsyncGenerator<AnswerEvent> {
  const { settings, store } = parts;
  const run = answerRun(request.question, parts);
  yield run.start();
  try {
    const planned = yield* run.stage('plan', () =>
      plan({ ...request, query: request.question }, parts, settings.retrieve.depth, options),
    );
    yield* run.warn(planned.warnings);
    const { runs, hits, context } = yield* ofOneGeneration(store, async function* () {
      const runs = yield* run.stage('retrieve', () => retrieve(planned, store, options));
      const fused = yield* run.stage('fuse', () => fuse(runs, planned.fuse, planned.depth));
      const hits = yield* run.stage('context', () => loadHits(fused, store, { top: settings.retrieve.topK }));
      const context = yield* run.stage('context', () => buildContext(hits, settings.context, store));
      return { runs, hits, context };
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
