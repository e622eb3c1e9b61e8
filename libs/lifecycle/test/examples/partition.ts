import { aheadFrom, everyMember, releaseThroughGates } from '@ordinal/lifecycle';
import type { PartitionedSet, RolloutObservation } from '@ordinal/lifecycle';

/** The partition that a StatefulSet with the wanted template should have now. `rollout` has the answers of the members that were asked. */
export function nextPartition(set: PartitionedSet, rollout: RolloutObservation, now: number): number {
  // Who has gone ahead stays ahead: a partition above it would bring it back as an older version.
  const ahead = aheadFrom(set);
  const canHoldBelow = (ordinal: number): boolean => ahead > ordinal;
  const intended = { revision: rollout.revision, partition: 0, canHoldBelow };
  const { partition, holdUpTo } = releaseThroughGates({ set, rollout, intended }, now);
  return holdUpTo === undefined ? partition : Math.min(ahead, set.record?.partition ?? everyMember);
}
