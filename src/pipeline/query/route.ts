/** Which searches a question takes, and what is asked back when nothing tells which of several things is meant. */
import type { Filter } from '../../core/filter.ts';
import type { QuerySettings, Route, RouteStep } from '../../core/settings.ts';
import type { QuestionAnalysis, Topic } from './analysis.ts';

export interface ChosenRoute {
  /** null: one search over everything that `filter` leaves. */
  readonly name: string | null;
  readonly steps: readonly Pick<RouteStep, 'topK' | 'whenFewerThan' | 'filter'>[] | null;
  /** Without a route: the filter that words of the question stand for. */
  readonly filter: Filter | undefined;
}

/** Stands, in a step's filter, for the value that the question was found to be about. */
const TOPIC = '$topic';

/** The first route that fits. */
export function chooseRoute({ topics, comparison }: QuestionAnalysis, settings: QuerySettings): ChosenRoute {
  const told = topics.filter(({ by }) => by !== 'evidence');
  const route = settings.routes.find(({ when }) => {
    if (when === 'always') return true;
    if (when === 'comparison') return comparison;
    if (when === 'unclear') return told.length !== 1 && !comparison;
    return told.length === 1 && told[0]?.value === when.about;
  });
  if (route === undefined) return { name: null, steps: null, filter: settings.filters ? filterOf(told) : undefined };
  return { name: route.name, steps: route.steps.map((step) => withTopic(step, topics)), filter: undefined };
}

/** Whether a route of these settings depends on what the first hits are about. */
export const wantsEvidence = ({ topics, comparison }: QuestionAnalysis, settings: QuerySettings): boolean =>
  settings.vocabulary.length > 0 &&
  topics.length !== 1 &&
  !comparison &&
  (settings.clarify || settings.routes.some(({ when }) => when === 'unclear'));

/** One short question that names the choices. */
export const clarification = (choices: readonly Topic[]): string => {
  const labels = choices.map(({ label }) => label);
  const last = labels.pop() ?? '';
  return `Is this about ${[labels.join(', '), last].filter((part) => part !== '').join(' or ')}?`;
};

/** Named values become a filter: several of one field are alternatives, several fields must all hold. */
function filterOf(topics: readonly Topic[]): Filter | undefined {
  const named = topics.filter(({ by }) => by === 'name');
  if (named.length === 0) return undefined;
  const fields = [...new Set(named.map(({ field }) => field))];
  return Object.fromEntries(
    fields.map((field) => [field, named.filter((each) => each.field === field).map(({ value }) => value)]),
  );
}

/** A step that speaks of the topic, where there is none, is open to all documents. */
function withTopic(step: Route['steps'][number], topics: readonly Topic[]): RouteStep {
  const entries = Object.entries(step.filter).flatMap(([field, wanted]): [string, string | readonly string[]][] => {
    const values = typeof wanted === 'string' ? [wanted] : wanted;
    if (!values.includes(TOPIC)) return [[field, wanted]];
    const found = topics.filter((each) => each.field === field).slice(0, 1);
    const filled = values.flatMap((value) => (value === TOPIC ? found.map((each) => each.value) : [value]));
    return found.length === 0 ? [] : [[field, filled]];
  });
  return { ...step, filter: Object.fromEntries(entries) };
}
