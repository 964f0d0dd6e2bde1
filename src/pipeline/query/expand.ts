import type { CallOptions } from '../../core/contracts.ts';
import type { SearchParts } from '../parts.ts';
import type { QuestionAnalysis } from './analysis.ts';
import type { Expansion } from './expansion.ts';

export function expand(
  _question: string,
  _analysis: QuestionAnalysis,
  _parts: SearchParts,
  _options: CallOptions,
): Promise<Expansion> {
  return Promise.resolve({ queries: [], warnings: [] });
}
