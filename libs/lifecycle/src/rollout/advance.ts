import type { Instant } from '@ordinal/client';
import { atTheLatest } from '../decision/index.ts';
import type { Member } from './member.ts';
import type { Progress, RolloutObservation } from './observation.ts';
import type { RolloutOutcome } from './outcome.ts';
import { isCurrent } from './outcome.ts';
import type { Step } from './step.ts';

/** What members are brought to, and how many there are to be: as many as the set keeps, or should have where that is more. */
export interface Aim {
  readonly revision: string;
  readonly replicas: number;
}

/** How far members have come, and when that was. */
export type Advance = Pick<Progress, 'lastProgressAt' | 'updated'>;

const staying = (members: readonly Member[], { replicas }: Aim): readonly Member[] =>
  members.filter(({ ordinal }) => ordinal < replicas);

/** How many of the members that stay are as they should be. */
export const updatedOf = (members: readonly Member[], aim: Aim): number =>
  staying(members, aim).filter(({ revision, ready }) => revision === aim.revision && ready).length;

/**
 * How far members have come by now, when they were this far.
 *
 * **Guarantees.** More members that are as they should be than ever before are progress: one that flaps, or is lost and comes back, is not progress each time. Where some
 * of those that were counted were taken away, which shows when more are outdated than can be beside them, it is counted again from those that are left.
 */
export function advanceOf(recorded: Advance, members: readonly Member[], aim: Aim, now: Instant): Advance {
  const outdated = staying(members, aim).filter(({ revision }) => revision !== aim.revision).length;
  const updated = updatedOf(members, aim);
  const counted = recorded.updated + outdated > aim.replicas ? updated : recorded.updated;
  return updated > counted
    ? { updated, lastProgressAt: now }
    : { updated: counted, lastProgressAt: atTheLatest(recorded.lastProgressAt, now) };
}

/** The steps in which nothing is expected to move by itself: time has to pass, or a user has to say so. */
const waitingSteps: ReadonlySet<string> = new Set<Step>(['Baking', 'AwaitingPromotion', 'Paused']);

/** Whether an upgrade at this step waits for time or for a user, and has no deadline meanwhile. Pure. */
export const isWaiting = ({ step }: Pick<RolloutOutcome, 'step'>): boolean => waitingSteps.has(step);

/**
 * Whether a user has paused an upgrade of which there is something left to do: it has no deadline, whatever it waits for beside. Pure.
 *
 * **Guarantees.** A member that is away is nothing left to do: one that comes and goes would have no deadline (I19). One that has ended and is held has one, as no pause
 * may hold it for good (I3).
 */
export const isSuspended = (seen: RolloutObservation): boolean =>
  seen.paused &&
  seen.members.some((member) => !isCurrent(member, seen)) &&
  !seen.members.some(({ terminating, held }) => terminating && held);

/** The steps to which an upgrade falls back from waiting: a member is not there, or not as it should be any more. */
const fallenBack: ReadonlySet<string> = new Set<Step>([
  ...(['Starting', 'AwaitingTermination', 'AwaitingReplacement'] as const),
  ...(['AwaitingReady', 'AwaitingSync', 'Paused', 'Failed'] as const),
]);

/** When a step began, and where the deadline counted from then. */
export interface Waited {
  readonly since: Instant;
  readonly lastProgressAt: Instant;
}

/** Where the deadline counts from when a step is over that has waited for time or for a user: that time does not count. That it is over is no progress by itself: a canary that flaps would never meet the deadline. Pure. */
export const afterWaiting = ({ since, lastProgressAt }: Waited, now: Instant): Instant =>
  atTheLatest(lastProgressAt + Math.max(0, now - since), now);

/**
 * When the deadline counts from after this outcome. The Job before the first member, a bake time and a wait for a user do not make the next member slow.
 *
 * **Guarantees.** Only what is over counts, once: a step that comes back is not progress each time. When a pause is over, the deadline begins again (I20). Pure.
 */
export function progressAfter(
  seen: RolloutObservation,
  { step, member }: Pick<RolloutOutcome, 'step' | 'member'>,
  now: Instant,
): Instant {
  const { progress, hook } = seen;
  if (!progress) return now;
  const { lastProgressAt, since = now } = progress;
  if (progress.isSuspended === true) return isSuspended(seen) || step === 'Failed' ? lastProgressAt : now;
  if (progress.step === 'BeforeFirstPod') return hook === undefined && step !== 'Failed' ? now : lastProgressAt;
  if (!isWaiting(progress) || (progress.step === step && (member?.uid ?? progress.podUID) === progress.podUID))
    return lastProgressAt;
  return isWaiting({ step }) || fallenBack.has(step) ? afterWaiting({ since, lastProgressAt }, now) : now;
}
