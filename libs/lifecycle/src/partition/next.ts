import type { Member } from '../rollout/member.ts';
import { areAllCurrent, isCurrent, proceed } from '../rollout/outcome.ts';
import type { Verdict } from '../rollout/outcome.ts';
import { isCatchingUp } from './ahead.ts';
import { frontierOf } from './frontier.ts';
import type { Frontier } from './frontier.ts';
import type { PartitionObservation, PartitionRule } from './observation.ts';
import { everyMember, sizeOf } from './partitioned-set.ts';

/** Members go back to what ran, or all run what is wanted: no strategy has a say. */
export const bringBack: PartitionRule = ({ given }) =>
  given === undefined
    ? undefined
    : proceed('RollingBack', 'members are brought to what all of them run', { partition: given });

/** A StatefulSet that its controller has not looked at is made as it was, and releases none: an upgrade goes on from there. */
export const awaitTakenUp: PartitionRule = ({ isTakenUp }) =>
  isTakenUp ? undefined : proceed('Starting', 'waiting until the StatefulSet is there, and its controller observes it');

/** Every member runs another template than what is wanted, and the StatefulSet's controller is about to notice. A pause comes first. */
export const awaitFormer: PartitionRule = (seen) => {
  const { set, revision, paused } = seen;
  if ((paused && !areAllCurrent(seen)) || set.applied === revision || !isCatchingUp(set)) return undefined;
  const blockedBy = 'waiting until the StatefulSet’s controller observes that all members run the former version';
  return proceed('Completing', 'the version before is completed', { blockedBy });
};

/** A member runs what is wanted and serves. */
export const isUpdated = (member: Member, seen: PartitionObservation): boolean =>
  isCurrent(member, seen) && member.ready;

/** What keeps a member from getting ready; nothing where it starts as usual, or is on its way out. */
const waitsFor = (member: Member | undefined): { readonly blockedBy?: string } =>
  member?.cause === undefined || member.terminating ? {} : { blockedBy: member.cause };

/** This member goes, or is awaited. */
export function replacing({ ordinal, member }: Frontier, { set }: PartitionObservation): Verdict {
  const pod = `${set.name}-${ordinal}`;
  return proceed('Replacing', `replacing ${pod}`, { partition: ordinal, pod, ...waitsFor(member) });
}

/**
 * The highest member that is missing, does not run what is wanted or does not serve goes next. The others are held meanwhile: one that is lost comes back as what it ran. That
 * a member serves counts when the StatefulSet's controller has noticed: a partition that is moved in the same instant meets a conflict.
 */
export const releaseHighest: PartitionRule = (seen) => {
  const { members, set, readyReplicas } = seen;
  const size = sizeOf(set);
  const isNoticed = (readyReplicas ?? size) >= members.filter(({ ready }) => ready).length;
  const isDone = (member: Member): boolean =>
    isUpdated(member, seen) && (isNoticed || member.ordinal > (set.record?.partition ?? everyMember));
  const next = frontierOf(size, members, isDone);
  return next ? replacing(next, seen) : proceed('Completing', 'every member is released', { partition: 0 });
};
