import type { Instant } from '@ordinal/client';
import { instantOf, timestamp } from '@ordinal/client';
import type { Announcement, RolloutObservation } from '@ordinal/lifecycle';
import { deadlineOf, defaultDeadlineMs, giveUp, isSuspended } from '@ordinal/lifecycle';
import type { UpgradeFindings } from './record.ts';
import type { Naming } from '../commands.ts';
import type { Goal, Upgradable, UpgradeStatus } from './upgradable.ts';

/** What the deadline of an upgrade does while nothing else is decided about its object. */
export interface Lateness {
  /** The upgrade has failed, now or before: nothing is to be held any more. */
  readonly failed: boolean;
  /** What the status is made of from now on, where the upgrade fails now. */
  readonly findings?: UpgradeFindings;
  /** Where an upgrade stands that has time until its deadline. */
  readonly upgrade?: UpgradeStatus;
  readonly events: readonly Announcement[];
  /** The deadline, where it is still to come. */
  readonly lookAgainAt?: Instant;
}

/** The deadline of the upgrade that the status records; undefined where none is under way. */
export function recordedDeadline({ status }: Pick<Upgradable, 'status'>): Instant | undefined {
  const { upgrade } = status ?? {};
  return upgrade?.step === 'Failed' ? undefined : instantOf(upgrade?.deadline);
}

/** How long the next member may take by what the status says of it: a spec that is invalid is not followed in this, either. */
function deadlineMsOf({ startedAt, lastProgressAt = startedAt, deadline }: UpgradeStatus): number {
  const [from, until] = [instantOf(lastProgressAt), instantOf(deadline)];
  return from === undefined || until === undefined ? defaultDeadlineMs : until - from;
}

/** What the recorded upgrade leads to. What the spec asks for instead by now is not begun. */
function goalOf({ status }: Upgradable, { revision }: UpgradeStatus): Goal {
  const { failedRevision, targetVersion = '' } = status ?? {};
  const specRevision = failedRevision ?? revision;
  const failed = failedRevision !== undefined;
  return { revision, specRevision, image: targetVersion, failed, rollingBack: specRevision !== revision };
}

/** An object about whose upgrade nothing can be decided. */
export interface Undecided {
  readonly object: Upgradable;
  readonly naming: Naming;
  /** How many members the StatefulSet keeps. */
  readonly kept: number;
  /** How its kind sees the rollout to a goal. */
  readonly observe: (wanted: Goal, deadlineMs: number) => RolloutObservation;
}

/**
 * What the deadline says of the upgrade that the status records: it is examined in every reconcile (I19), also where nothing can be done about the upgrade itself.
 * Undefined where none is under way. Pure.
 */
export function latenessOf({ object, naming, kept, observe }: Undecided, now: Instant): Lateness | undefined {
  const upgrade = object.status?.upgrade;
  if (!upgrade) return undefined;
  const wanted = goalOf(object, upgrade);
  const rollout = observe(wanted, deadlineMsOf(upgrade));
  const verdict = giveUp(rollout, now);
  if (!verdict || 'ask' in verdict) return underWay(upgrade, rollout, now);
  const { outcome } = verdict;
  // It is reported once.
  if (upgrade.step === 'Failed') return { failed: true, events: [] };
  const findings = { object, naming, wanted, rollout, outcome, kept, now };
  return { failed: true, findings, events: outcome.events ?? [] };
}

/** It has time until its deadline, which a member that comes back puts off, and none while a user has paused it. What is recorded to be in the future, because the clock was set back, is now. */
function underWay(upgrade: UpgradeStatus, rollout: RolloutObservation, now: Instant): Lateness {
  const unchanged = { failed: false, events: [] };
  if (isSuspended(rollout)) {
    const { deadline: _none, ...suspended } = upgrade;
    return { ...unchanged, upgrade: suspended };
  }
  const progress = goingOn(rollout, now);
  const deadline = deadlineOf({ ...rollout, ...(progress && { progress }) });
  if (!progress || deadline === undefined || deadline <= now) return unchanged;
  const { startedAt, lastProgressAt, updated, step } = progress;
  const goesOn = { step: 'Starting', since: timestamp(now) } as const;
  const moved = {
    ...{ ...upgrade, updated, deadline: timestamp(deadline), ...(step !== upgrade.step && goesOn) },
    ...{ startedAt: timestamp(startedAt), lastProgressAt: timestamp(lastProgressAt) },
  };
  return { ...unchanged, upgrade: moved, lookAgainAt: deadline };
}

/** Where an upgrade stands that is not paused. One that was, and waits because of a problem now, has a deadline that counts from here. */
function goingOn({ progress }: RolloutObservation, now: Instant): RolloutObservation['progress'] {
  if (progress?.isSuspended !== true) return progress;
  const { isSuspended: _was, ...rest } = progress;
  return { ...rest, lastProgressAt: now, step: progress.step === 'Paused' ? 'Starting' : progress.step };
}
