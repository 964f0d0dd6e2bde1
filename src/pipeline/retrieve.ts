import type { CallOptions, LegRun, Store } from '../core/contracts.ts';
import type { Leg, Plan } from './plan.ts';

export interface Run extends LegRun {
  readonly leg: Leg;
}

/** One run per leg, all legs at once. */
export async function retrieve(plan: Plan, store: Store, options: CallOptions = {}): Promise<Run[]> {
  return Promise.all(plan.legs.map(async ({ leg, query }) => ({ leg, ...(await store.search(query, options)) })));
}
