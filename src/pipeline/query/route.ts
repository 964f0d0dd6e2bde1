import type { Filter } from '../../core/filter.ts';
import type { QuerySettings, Route } from '../../core/settings.ts';
import type { QuestionAnalysis } from './analysis.ts';

export interface ChosenRoute {
  readonly route: Route | undefined;
  /** What to ask back; null where the question is clear enough. */
  readonly clarification: string | null;
  /** Without a route: the filter that words of the question stand for. */
  readonly filter: Filter | undefined;
}

export function chooseRoute(_analysis: QuestionAnalysis, _settings: QuerySettings): ChosenRoute {
  return { route: undefined, clarification: null, filter: undefined };
}
