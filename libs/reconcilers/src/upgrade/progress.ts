import type { Instant } from '@ordinal/client';
import { conditionOf, instantOf } from '@ordinal/client';
import type { Member, Progress, RolloutObservation } from '@ordinal/lifecycle';
import { advanceOf, atTheLatest, isWaiting, updatedOf } from '@ordinal/lifecycle';
import type { Goal, Upgradable, UpgradeStatus } from './upgradable.ts';

/** Where an upgrade stood by the status; undefined where none is recorded. */
function progressOf(upgrade: UpgradeStatus | undefined): Progress | undefined {
  if (!upgrade) return undefined;
  const { revision, startedAt, lastProgressAt = startedAt, updated = 0, step, pod, podUID, blockedBy } = upgrade;
  const since = instantOf(upgrade.since);
  // A step that waits for time has none, either; a pause takes it from each step.
  const isSuspended =
    upgrade.deadline === undefined && step !== 'Failed' && (step === 'Paused' || !isWaiting({ step }));
  return {
    revision,
    step,
    updated,
    startedAt: instantOf(startedAt) ?? 0,
    lastProgressAt: instantOf(lastProgressAt) ?? 0,
    ...(isSuspended ? { isSuspended } : {}),
    ...(since === undefined ? {} : { since }),
    ...(pod === undefined ? {} : { pod }),
    ...(podUID === undefined ? {} : { podUID }),
    ...(blockedBy === undefined ? {} : { blockedBy }),
  };
}

/** What the upgrade that is under way depends on beside its record. */
interface Upgraded {
  readonly wanted: Goal;
  /** How many members the set keeps, or is to have where that is more. */
  readonly replicas: number;
  readonly now: Instant;
}

/** The upgrade that is under way: the recorded one, or one that begins now, because what is wanted is new. */
export function currentProgress(
  members: readonly Member[],
  { status }: Pick<Upgradable, 'status'>,
  { wanted, replicas, now }: Upgraded,
): Progress | undefined {
  const recorded = progressOf(status?.upgrade);
  const retried = recorded?.step === 'Failed' && !wanted.failed;
  const aim = { revision: wanted.revision, replicas };
  if (recorded?.revision === wanted.revision && !retried) {
    const begun = { ...recorded, startedAt: atTheLatest(recorded.startedAt, now) };
    // Of one that has failed it stays reported how far it had come.
    return begun.step === 'Failed' ? begun : { ...begun, ...advanceOf(begun, members, aim, now) };
  }
  if (members.every(({ revision }) => revision === wanted.revision) && !recorded) return undefined;
  return {
    ...recorded,
    revision: wanted.revision,
    startedAt: now,
    lastProgressAt: now,
    updated: updatedOf(members, aim),
    step: recorded && !retried && recorded.step !== 'Failed' ? recorded.step : 'Starting',
  };
}

/** What has been waited for by the status: the step of an upgrade or, outside of one, since when there is something to do. */
export function waitingOf({ status }: Pick<Upgradable, 'status'>): Pick<RolloutObservation, 'waiting'> {
  const { upgrade, conditions } = status ?? {};
  const progressing = conditionOf(conditions, 'Progressing');
  const since = instantOf(
    upgrade?.since ?? (progressing?.status === 'True' ? progressing.lastTransitionTime : undefined),
  );
  if (since === undefined) return {};
  const { step, podUID } = upgrade ?? {};
  return { waiting: { since, ...(step === undefined ? {} : { step }), ...(podUID === undefined ? {} : { podUID }) } };
}
