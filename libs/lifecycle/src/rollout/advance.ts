import type { Instant } from '@ordinal/client';
import { atTheLatest } from '../decision/index.ts';
import type { Member } from './member.ts';
import type { Progress, RolloutObservation } from './observation.ts';
import type { RolloutOutcome } from './outcome.ts';

/** What members are brought to, and how many there are to be: as many as the set keeps, or shall have where that is more. */
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
 * of those that were counted were taken away, which shows when more are outdated than can be beside them, it is counted anew from those that are left.
 */
export function advanceOf(recorded: Advance, members: readonly Member[], aim: Aim, now: Instant): Advance {
  const outdated = staying(members, aim).filter(({ revision }) => revision !== aim.revision).length;
  const updated = updatedOf(members, aim);
  const counted = recorded.updated + outdated > aim.replicas ? updated : recorded.updated;
  return updated > counted
    ? { updated, lastProgressAt: now }
    : { updated: counted, lastProgressAt: atTheLatest(recorded.lastProgressAt, now) };
}

/**
 * When the deadline counts from after this outcome: the Job before the first member is not what the first member is slow at.
 *
 * **Guarantees.** Only what is over counts, once: a step that comes back is not progress each time. Pure.
 */
export function progressAfter(
  { progress, hook }: Pick<RolloutObservation, 'progress' | 'hook'>,
  { step }: Pick<RolloutOutcome, 'step'>,
  now: Instant,
): Instant {
  const hasEnded = progress?.step === 'BeforeFirstPod' && hook === undefined && step !== 'Failed';
  return hasEnded ? now : (progress?.lastProgressAt ?? now);
}
