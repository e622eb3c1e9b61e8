import type { Instant } from '@ordinal/client';
import { timestamp } from '@ordinal/client';
import type { Bake } from '../canary/judgement.ts';
import { bakedAt, judgementOf } from '../canary/judgement.ts';
import { awaitPromotion, judgeMember } from '../rollout/canaries.ts';
import type { CanaryPolicy } from '../rollout/canary-policy.ts';
import type { Member } from '../rollout/member.ts';
import { isCurrent, proceed } from '../rollout/outcome.ts';
import type { Verdict } from '../rollout/outcome.ts';
import { aheadFrom } from './ahead.ts';
import type { Frontier } from './frontier.ts';
import { frontierOf } from './frontier.ts';
import { isUpdated, replacing } from './next.ts';
import type { PartitionObservation, PartitionRule } from './observation.ts';

/** A rollout with canaries. */
type Seen = PartitionObservation & { readonly canary: CanaryPolicy };

/** The lowest ordinal of the members that are judged as canaries before the others follow. */
const firstCanary = ({ wantedReplicas, canary }: Seen): number => Math.max(0, wantedReplicas - canary.replicas);

/** How long a member bakes, and since when that is recorded. */
function bakeOf({ name }: Member, { canary, progress }: Seen): Bake {
  const since = progress?.step === 'Baking' && progress.pod === name ? progress.since : undefined;
  return { bakeMs: canary.bakeMs, recordedSince: since === undefined ? undefined : timestamp(since) };
}

/** When a member has baked; one that the partition has let others follow has, where the clock was set back since it got ready. */
function hasBakedAt(member: Member, seen: Seen, now: Instant): Instant {
  const isFollowed = (seen.set.record?.partition ?? member.ordinal) < member.ordinal;
  return member.since > now && isFollowed ? now : bakedAt(member, bakeOf(member, seen), now);
}

/** A canary without an analysis is done when it has baked. One that others have followed already is not baked again. */
function isBaking(member: Member, seen: Seen, now: Instant): boolean {
  const canary = firstCanary(seen);
  if (seen.canary.analysis !== undefined || member.ordinal < canary) return false;
  if (seen.members.some((one) => one.ordinal < canary && isCurrent(one, seen))) return false;
  return now < hasBakedAt(member, seen, now);
}

/** The highest ordinal that is not done: not replaced, not serving, not baked, or not judged. Undefined when all are. */
function canaryFrontier(seen: Seen, now: Instant): Frontier | undefined {
  const { analysis, judgements } = seen.canary;
  const isJudged = (member: Member): boolean =>
    analysis === undefined || judgementOf(judgements, member)?.result === 'Passed';
  const isDone = (member: Member): boolean =>
    isUpdated(member, seen) && !isBaking(member, seen, now) && isJudged(member);
  return frontierOf(seen.wantedReplicas, seen.members, isDone);
}

/** It was released already, and does not serve as what is wanted yet: no promotion is awaited that would release it. */
const isOnItsWay = (frontier: Frontier | undefined, seen: Seen): boolean =>
  frontier !== undefined &&
  frontier.ordinal >= aheadFrom(seen.set) &&
  !(frontier.member !== undefined && isUpdated(frontier.member, seen));

/** Whether the canaries are done, and the others wait for a user. */
function awaitsPromotion(frontier: Frontier | undefined, seen: Seen): boolean {
  const { canary: policy, members } = seen;
  const canary = firstCanary(seen);
  return (
    (!frontier || frontier.ordinal < canary) &&
    !policy.isPromoted &&
    !isOnItsWay(frontier, seen) &&
    members.some((member) => !isCurrent(member, seen))
  );
}

/**
 * The next step of a canary.
 *
 * **Expected flow.** From the highest ordinal down, one member at a time: the partition lets it go, it comes back with the new revision, it stays ready
 * through the bake time, its analysis passes. After the canaries, a person promotes where the spec asks for it. The others follow in the same
 * way, without baking. Members that had gone ahead to another template before go on to what is wanted first, each when the one before is ready: held, they would come
 * back as an older version (I30).
 *
 * **Guarantees.** The partition never lets a member go while the one above it is not done. A judgment counts for the pod (UID) and revision that were
 * judged and for no other (S0.9). It is recorded before it is acted on.
 */
export const releaseCanary: PartitionRule = (observed, now) => {
  const { canary, progress } = observed;
  if (!canary) return undefined;
  const seen = { ...observed, canary };
  const frontier = canaryFrontier(seen, now);
  if (awaitsPromotion(frontier, seen)) return awaitPromotion(canary, { partition: firstCanary(seen) });
  // A status write of our own starts no reconcile: look again, once, to see that it is complete.
  if (!frontier) {
    const again = progress?.step === 'Completing' ? {} : { lookAgainAt: now };
    return proceed('Completing', 'every member is judged', { partition: 0, ...again });
  }
  const { member } = frontier;
  if (!member || !isUpdated(member, seen)) return replacing(frontier, seen);
  return judged(seen, member, now);
};

/** Bakes and judges a member that runs what is wanted. Those below it are held meanwhile. */
function judged(seen: Seen, member: Member, now: Instant): Verdict {
  const { ordinal, name: pod } = member;
  const { canary, progress, answer } = seen;
  const isBaking = ordinal >= firstCanary(seen) && now < hasBakedAt(member, seen, now);
  const isOnRecord = progress?.step === 'Analysing' && progress.pod === pod;
  const judging = {
    ...{ ...canary, ...bakeOf(member, seen), answer },
    ...(isBaking ? {} : { bakeMs: 0 }),
    analysedSince: isOnRecord ? progress.since : undefined,
  };
  const judgement = judgeMember(member, judging, now);
  const held = { partition: ordinal, pod };
  if ('ask' in judgement) {
    const blockedBy = `${pod} has not been asked yet`;
    return proceed('Analysing', `${pod} is analysed`, { ...held, ...judgement, blockedBy });
  }
  const { step, message, member: _member, ...found } = judgement;
  return proceed(step, message, { ...held, ...found });
}
