import type { Instant } from '@ordinal/client';
import type { Action } from '../decision/index.ts';
import { earliest } from '../decision/index.ts';
import { isSuspended, isWaiting, progressAfter } from './advance.ts';
import { takeFollowers } from './batch.ts';
import { awaitCanaries, judgeCanaries } from './canaries.ts';
import { awaitReserved, shrink, takeNextDown } from './next.ts';
import type { RolloutObservation } from './observation.ts';
import type { Verdict } from './outcome.ts';
import { release } from './outcome.ts';
import type { Actuator } from './rollout.ts';
import {
  awaitAvailable,
  awaitMissing,
  awaitSet,
  awaitSync,
  awaitUnready,
  dropUnneeded,
  releaseEnded,
  replaceBroken,
} from './transit.ts';

/** Nothing is left to do, save to let members go that are still held. */
export interface Settled {
  readonly settled: readonly Action[];
}

/**
 * The operator deletes the pods, whose StatefulSet updates `OnDelete`.
 *
 * **Expected flow.** Highest ordinal or follower first: hold the pod; let it hand over; ask the gates while it still serves; delete it by UID. When it
 * has ended, release its name once its role is elsewhere; wait until the replacement is ready and in sync; next member.
 *
 * **Guarantees.** A ready member is deleted only while no other one is down by our hand (I8). A member that is outdated and broken is replaced without
 * asking (I1), and so is one deleted that is to leave and does not serve. A held member is always released in the end, also after a failure (I3).
 *
 * **Assumptions.** The set creates members in parallel, unless `isOrdered`.
 *
 * **Caveats.** Someone else may delete a pod at any time; then we wait for its replacement like for our own, the caller shows what was done to those that are held.
 */
export const byDeletion: Actuator<RolloutObservation, Verdict | Settled> = {
  awaitSet: [awaitSet],
  awaitMembers: [
    replaceBroken,
    releaseEnded,
    dropUnneeded,
    judgeCanaries,
    takeFollowers,
    awaitMissing,
    awaitSync,
    awaitUnready,
    awaitAvailable,
    awaitReserved,
    shrink,
  ],
  takeNext: [awaitCanaries, takeNextDown],
  carryOut: (verdict, seen, now) =>
    verdict
      ? withDeadline(verdict, seen, now)
      : {
          settled: seen.members
            .filter(({ held }) => held)
            .map((member) => release(member, 'it is not to be replaced', seen)),
        },
};

/** Looks again at the deadline at the latest, where that is still to come. A step that waits for time or for a user has none. */
function withDeadline(verdict: Verdict, seen: RolloutObservation, now: Instant): Verdict {
  if ('ask' in verdict || verdict.outcome.step === 'Failed') return verdict;
  if (isWaiting(verdict.outcome) || isSuspended(seen)) return verdict;
  const deadline = seen.progress && progressAfter(seen, verdict.outcome, now) + seen.deadlineMs;
  if (deadline === undefined || seen.progress?.step === 'Failed' || now >= deadline) return verdict;
  const lookAgainAt = earliest(verdict.outcome.lookAgainAt, deadline);
  return { outcome: { ...verdict.outcome, ...(lookAgainAt === undefined ? {} : { lookAgainAt }) } };
}
