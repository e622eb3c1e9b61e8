import type { ClusteredCache } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import type { RolloutOutcome, RolloutObservation } from '@ordinal/lifecycle';
import type { Goal } from './template.ts';

/** What the status is made of. */
export interface Findings {
  readonly cache: ClusteredCache;
  readonly wanted: Goal;
  readonly rollout: RolloutObservation;
  /** Undefined when nothing is left to do. */
  readonly outcome: RolloutOutcome | undefined;
  /** How many members the StatefulSet is to keep for now. */
  readonly kept: number;
  readonly now: Instant;
}
