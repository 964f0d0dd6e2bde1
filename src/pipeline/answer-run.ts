/** The bookkeeping of one answer, kept out of its story: id, times, warnings, and the final object. */
import type { AnswerParts } from './parts.ts';
import type { Answer, AnswerEvent, Citation, StageName, Usage, Verification, Warning } from '../core/types.ts';
import type { Context } from './context.ts';
import type { Assessment } from './confidence.ts';
import { stopwatch } from './stopwatch.ts';

/** What `prove` gives back. */
export interface Proven {
  readonly text: string;
  readonly citations: readonly Citation[];
  readonly verification: Verification;
  readonly usage: Usage;
  readonly statements: number;
}

export interface AnswerRun {
  start(): AnswerEvent;
  /** Runs one stage: times it and reports its end. A stage may be entered twice; its times add up. */
  stage<T>(name: StageName, work: () => T | Promise<T>): AsyncGenerator<AnswerEvent, T>;
  warn(warnings: readonly Warning[]): Generator<AnswerEvent>;
  answered(context: Context, assessment: Assessment, proven: Proven): Answer;
  /** Without an answer, but with what it took to find none. */
  insufficient(context: Context, assessment: Assessment, proven?: Proven): Answer;
  /** Asks back: which of several things is meant. */
  unclear(clarification: string): Answer;
  end(answer: Answer): Generator<AnswerEvent>;
}

const NOTHING: Proven = {
  text: '',
  citations: [],
  verification: { unknownLabels: [], uncited: [], unsupported: [], contradicted: [] },
  usage: { inputTokens: 0, outputTokens: 0, costUsd: null },
  statements: 0,
};

const INSUFFICIENT_TEXT = 'The documents do not answer this question.';

export function answerRun(question: string, parts: AnswerParts): AnswerRun {
  const id = parts.newId();
  const watch = stopwatch();
  const warnings: Warning[] = [];
  const toAnswer = (
    outcome: Answer['outcome'],
    context: Context,
    assessment: Pick<Assessment, 'confidence'>,
    proven: Proven,
  ): Answer => ({
    id,
    conversationId: null,
    outcome,
    question,
    text: proven.text,
    confidence: assessment.confidence,
    citations: proven.citations,
    passages: context.passages,
    verification: proven.verification,
    conflicts: [],
    preset: parts.settings.preset,
    generator: parts.generator.model,
    cache: 'miss',
    usage: proven.usage,
    timings: watch.timings(),
    warnings,
  });
  return {
    start: () => ({ type: 'answer-start', id, preset: parts.settings.preset }),
    async *stage(name, work) {
      const before = watch.timings()[name] ?? 0;
      const result = await watch.time(name, work);
      yield { type: 'stage-end', stage: name, milliseconds: (watch.timings()[name] ?? 0) - before };
      return result;
    },
    *warn(found) {
      for (const warning of found) {
        warnings.push(warning);
        yield { type: 'warning', warning };
      }
    },
    answered: (context, assessment, proven) => toAnswer('answered', context, assessment, proven),
    insufficient: (context, assessment, proven = NOTHING) =>
      toAnswer('insufficient-context', context, assessment, { ...proven, text: INSUFFICIENT_TEXT }),
    unclear: (clarification) =>
      toAnswer(
        'needs-clarification',
        { passages: [], documents: new Map() },
        { confidence: null },
        { ...NOTHING, text: clarification },
      ),
    *end(answer) {
      if (answer.outcome !== 'answered') yield { type: 'text-delta', text: answer.text };
      yield { type: 'answer-end', answer };
    },
  };
}
