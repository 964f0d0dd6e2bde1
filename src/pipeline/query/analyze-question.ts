import type { QuerySettings } from '../../core/settings.ts';
import type { QuestionAnalysis, Topic } from './analysis.ts';
import { asksForChange, intentOf } from './intent.ts';
import { topicsOf } from './topics.ts';

export function analyzeQuestion(question: string, settings: QuerySettings): QuestionAnalysis {
  const topics = topicsOf(question, settings.vocabulary);
  return {
    intent: settings.intent ? intentOf(question) : null,
    topics,
    comparison: isComparison(topics),
    asksForChange: asksForChange(question),
  };
}

/** It names two values of one field; hints alone may be of one thing that two fields share. */
const isComparison = (topics: readonly Topic[]): boolean =>
  topics.some(({ by, field }, i) => by === 'name' && topics.some((other, j) => j > i && other.field === field));
