import type { Instant } from '@ordinal/client';
import type { Action } from '../decision/index.ts';
import { earliest } from '../decision/index.ts';
import { isWaiting, progressAfter } from './advance.ts';
import { takeFollowers } from './batch.ts';
import { beforeFirstPod } from './before-first-pod.ts';
import { awaitCanaries, judgeCanaries } from './canaries.ts';
import { giveUp } from './deadline.ts';
import { awaitReserved, shrink, holdWhilePaused, takeNextDown } from './next.ts';
import type { RolloutObservation } from './observation.ts';
import type { Rule, Verdict } from './outcome.ts';
import { release } from './outcome.ts';
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

/** In the order of their precedence: the first that has something to say decides. */
const rules: readonly Rule[] = [
  giveUp,
  awaitSet,
  beforeFirstPod,
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
  holdWhilePaused,
  awaitCanaries,
  takeNextDown,
];

/** Nothing is left to do, save to let members go that are still held. */
export interface Settled {
  readonly settled: readonly Action[];
}

/**
 * Decides the next step of a rollout in which a member goes down only when the others can carry its data and its role. Pure: it says what must be
 * asked before it can decide, and is called again with the answers.
 *
 * **Expected flow.** Highest ordinal or follower first: hold the pod; let it hand over; ask the gates while it still serves; delete it by UID. When it
 * has ended, release its name once its role is elsewhere; wait until the replacement is ready and in sync; next member.
 *
 * **Guarantees.** A ready member is deleted only while no other one is down by our hand (I8). A member that is outdated and broken is replaced without
 * asking (I1), and so is one deleted that is to leave and does not serve. A held member is always released in the end, also after a failure (I3). The deadline is
 * looked at first (I19). What is wanted comes from the spec alone, so that a changed or reverted spec is followed at once (I2, I21).
 *
 * **Assumptions.** The set updates `OnDelete`. It creates members in parallel, unless `isOrdered`. The observation may lag behind the truth, but shows it as it once was.
 *
 * **Caveats.** Someone else may delete a pod at any time; then we wait for its replacement like for our own, the caller shows what was done to those that are held.
 */
export function decideRollout(seen: RolloutObservation, now: Instant): Verdict | Settled {
  for (const rule of rules) {
    const verdict = rule(seen, now);
    if (verdict) return withDeadline(verdict, seen, now);
  }
  return {
    settled: seen.members.filter(({ held }) => held).map((member) => release(member, 'it is not to be replaced', seen)),
  };
}

/** Looks again at the deadline at the latest, where that is still to come. A step that waits for time or for a user has none. */
function withDeadline(verdict: Verdict, seen: RolloutObservation, now: Instant): Verdict {
  if ('ask' in verdict || verdict.outcome.step === 'Failed' || isWaiting(verdict.outcome)) return verdict;
  const deadline = seen.progress && progressAfter(seen, verdict.outcome, now) + seen.deadlineMs;
  if (deadline === undefined || seen.progress?.step === 'Failed' || now >= deadline) return verdict;
  const lookAgainAt = earliest(verdict.outcome.lookAgainAt, deadline);
  return { outcome: { ...verdict.outcome, ...(lookAgainAt === undefined ? {} : { lookAgainAt }) } };
}
