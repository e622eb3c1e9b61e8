import type { StatefulSet } from '@ordinal/client';
import type { PartitionedSet } from './partitioned-set.ts';
import { everyMember, sizeOf } from './partitioned-set.ts';

/**
 * The lowest ordinal whose volume may have seen another template than the one of which the StatefulSet's controller makes held members; `everyMember` where none has. A
 * partition above it would bring that member back as an older version (I30).
 *
 * **Guarantees.** An ordinal counts as soon as the recorded partition has come to it: its pod may have started and gone unseen. It stops to count only while
 * it is seen to run what the held ones run, and the StatefulSet's controller, which has looked at the partition that was written, counts as many of those as are seen. A
 * view of the members that is older than the StatefulSet's counts releases no member, and holds none that it shows as it was. Pure.
 */
export function aheadFrom(set: Omit<PartitionedSet, 'name' | 'present'>): number {
  const { members, held, applied, hasNoThird = false } = set;
  const size = sizeOf(set);
  const heldNow = members.filter(({ terminating, revision }) => !terminating && revision === held);
  const isCounted = set.heldReplicas === heldNow.length;
  const isHeld = (one: number): boolean => isCounted && heldNow.some(({ ordinal }) => ordinal === one);
  const released = [...Array(size).keys()].slice(Math.min(releasedFrom(set), size)).filter((one) => !isHeld(one));
  // What another client has set says no revision of ours, and is put back.
  const advanced = members
    .filter(({ revision }) => revision !== held && revision !== '' && !(hasNoThird && revision !== applied))
    .map(({ ordinal }) => ordinal);
  return Math.min(everyMember, ...released, ...advanced);
}

/**
 * Whether the StatefulSet's controller, which has looked at the set as it is, counts every member among those of its present revision and of the one before: none runs a third template, whatever an older view of the
 * members shows. False where it does not know, as while a member ends. Pure.
 */
export function runsTwoTemplates({ metadata, status }: StatefulSet): boolean {
  const { replicas = 0, currentReplicas = 0, updatedReplicas = 0, currentRevision, updateRevision } = status ?? {};
  const counted = currentRevision === updateRevision ? updatedReplicas : currentReplicas + updatedReplicas;
  return status?.observedGeneration === metadata.generation && replicas > 0 && counted >= replicas;
}

/** How many members the StatefulSet's controller, which has looked at the set as it is, counts of the template that it makes held ones of; undefined where it has not yet. Pure. */
export function heldReplicasOf({ metadata, status }: StatefulSet): number | undefined {
  return status?.observedGeneration === metadata.generation ? (status?.currentReplicas ?? 0) : undefined;
}

/** From which ordinal on members may have been made of what is brought to them: as the status records it or, where it does not, as the StatefulSet has it. */
function releasedFrom({
  record,
  applied,
  held,
  partition,
}: Pick<PartitionedSet, 'record' | 'applied' | 'held' | 'partition'>): number {
  return record?.partition ?? (applied === held ? everyMember : partition);
}

/**
 * Every member runs what the StatefulSet has, and serves, but its controller still makes held members of what ran before: it is about to notice. Until it has, no other
 * template is brought to them, since every held member would come back as that older one. Pure.
 */
export function isCatchingUp({
  members,
  held,
  applied,
  present,
}: Pick<PartitionedSet, 'members' | 'held' | 'applied' | 'present'>): boolean {
  return (
    applied !== held &&
    present > 0 &&
    members.length === present &&
    members.every(({ revision, ready }) => revision === applied && ready)
  );
}
