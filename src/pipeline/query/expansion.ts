/** More to search with than the question's own words. */
import type { Warning } from '../../core/types.ts';

export interface ExpandedQuery {
  /** How it came about; part of the leg's name, e.g. `dense (hyde)`. */
  readonly by: 'synonyms' | 'queries' | 'hyde';
  readonly text: string;
  /** Which legs search it. */
  readonly legs: readonly ('keyword' | 'dense')[];
}

export interface Expansion {
  readonly queries: readonly ExpandedQuery[];
  readonly warnings: readonly Warning[];
}
