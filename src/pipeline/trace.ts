import type { Hit } from '../core/types.ts';
import type { Adjusted } from './adjust.ts';
import type { FusedHit } from './fuse.ts';
import type { Plan } from './plan.ts';
import type { Reranked } from './rerank.ts';
import type { StepResult } from './retrieve.ts';

/** What each stage of a search gave to the next: `explain` and `why-not` are told from it. */
export interface Trace {
  readonly plan: Plan;
  readonly steps: readonly StepResult[];
  readonly fused: readonly FusedHit[];
  readonly adjusted: Adjusted;
  /** The same content at several addresses is one hit by now. */
  readonly loaded: readonly Hit[];
  readonly reranked: Reranked;
  /** What is returned. */
  readonly hits: readonly Hit[];
  /** Milliseconds by stage. */
  readonly timings: Readonly<Record<string, number>>;
}
