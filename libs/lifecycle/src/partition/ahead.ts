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
  const { members, held, applied, maxThird = Infinity } = set;
  const size = sizeOf(set);
  const heldNow = members.filter(({ terminating, revision }) => !terminating && revision === held);
  const isCounted = set.heldReplicas === heldNow.length;
  const isHeld = (one: number): boolean => isCounted && heldNow.some(({ ordinal }) => ordinal === one);
  const released = [...Array(size).keys()].slice(Math.min(releasedFrom(set), size)).filter((one) => !isHeld(one));
  // What another client has set says no revision of ours, and is put back.
  const other = members.filter(({ revision }) => revision !== held && revision !== '');
  const third = other.filter(({ revision }) => revision !== applied);
  const advanced = (third.length > maxThird ? other.filter((member) => !third.includes(member)) : other).map(
    ({ ordinal }) => ordinal,
  );
  return Math.min(everyMember, ...released, ...advanced);
}

/**
 * How many members at most run a third template: those that the StatefulSet's controller does not count among its present revision and the one before. One that ends is not counted either. Where
 * it has not looked at the last write, only those count that ran what it makes held ones of: the rest may be of a template that is neither by now. `Infinity` where it has counted no members. Pure.
 */
export function maxThirdOf({ metadata, status }: StatefulSet): number {
  const { replicas = 0, currentReplicas = 0, updatedReplicas = 0, currentRevision, updateRevision } = status ?? {};
  if (replicas === 0) return Infinity;
  const held = currentRevision === updateRevision ? updatedReplicas : currentReplicas;
  const isCounted = status?.observedGeneration === metadata.generation && currentRevision !== updateRevision;
  return Math.max(0, replicas - held - (isCounted ? updatedReplicas : 0));
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
