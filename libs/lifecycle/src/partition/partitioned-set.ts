import type { Member } from '../rollout/member.ts';

/** A StatefulSet whose members are replaced by moving its partition, and where an upgrade of it stands. */
export interface PartitionedSet {
  readonly name: string;
  readonly members: readonly Member[];
  /** The revision of the StatefulSet's template; empty where there is no StatefulSet. */
  readonly applied: string;
  /** The revision of which the StatefulSet's controller makes the members that the partition holds. */
  readonly held: string;
  readonly partition: number;
  /** How many members at most run neither what is applied nor what is held, as the StatefulSet's controller counts them: where more are seen to, they are seen as they were. */
  readonly maxThird?: number;
  /** How many members run what is held, as the StatefulSet's controller counts them; undefined where it has not looked at the set as it is. */
  readonly heldReplicas?: number | undefined;
  /** How many members the StatefulSet keeps now; 0 where there is none. */
  readonly present: number;
  /** How many members it keeps, or should have where that is more. */
  readonly replicas: number;
  /** What the status records of the upgrade; undefined where none is under way. */
  readonly record: PartitionRecord | undefined;
}

/** What the record of an upgrade says about the partition. */
export interface PartitionRecord {
  /** From which ordinal on members were released; absent where none was. */
  readonly partition?: number;
}

/**
 * The partition at which no ordinal gets the new template: the largest `int32`. The number of replicas is not enough, as members that a user adds beyond it would
 * be made of the new template.
 */
export const everyMember = 2 ** 31 - 1;

/** The record of an upgrade that releases members from this ordinal on. Where none is released, it names none. Pure. */
export function heldFrom<Kept extends PartitionRecord>(record: Kept, partition: number): Kept {
  const { partition: _before, ...rest } = record;
  return { ...rest, ...(partition === everyMember ? {} : { partition }) } as Kept; // The rest of a record is that record: its partition is optional.
}

/** How many ordinals there are to look at: those of the members that are there, and of those that should be. */
export const sizeOf = ({ members, replicas }: Pick<PartitionedSet, 'members' | 'replicas'>): number =>
  Math.max(replicas, ...members.map(({ ordinal }) => ordinal + 1));
