import type { QuerySettings } from '../../core/settings.ts';
import type { QuestionAnalysis } from './analysis.ts';

export function analyzeQuestion(_question: string, _settings: QuerySettings): QuestionAnalysis {
  return { intent: null, topics: [], comparison: false, asksForChange: false };
}
