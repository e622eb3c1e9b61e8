import type { RolloutObservation } from '../rollout/observation.ts';
import type { Rule } from '../rollout/outcome.ts';
import type { PartitionedSet } from './partitioned-set.ts';

/** All that a step of a rollout is decided from whose members a partition releases. */
export interface PartitionObservation extends RolloutObservation {
  /** The StatefulSet, and from which ordinal on the record says that members were released. */
  readonly set: PartitionedSet;
  /** The StatefulSet is there, and its controller has looked at it: until then a new template counts as the one that every member runs, and no partition holds any. */
  readonly isTakenUp: boolean;
  /** How many members serve by what the StatefulSet's controller has noticed; undefined where it does not say. */
  readonly readyReplicas: number | undefined;
  /** From which ordinal on members may run `revision`, where that is decided already: they go back to what ran, or all run it. Absent in an upgrade, in which the rules decide it. */
  readonly given?: number;
  /** The set is about to become smaller: no other member goes meanwhile. */
  readonly isShrinking: boolean;
}

/** One consideration about members that a partition releases. */
export type PartitionRule = Rule<PartitionObservation>;
