import type { Instant } from '@ordinal/client';
import { timestamp } from '@ordinal/client';
import type { Progress, RolloutObservation, RolloutOutcome } from '@ordinal/lifecycle';
import {
  catchingUpAfter,
  isSuspended,
  isWaiting,
  membersInFlight,
  progressAfter,
  shrinkingFrom,
  withRecords,
} from '@ordinal/lifecycle';
import type { Naming } from '../commands.ts';
import { releaseCommand } from '../commands.ts';
import { sinceIn } from './since.ts';
import type { Goal, Upgradable, UpgradeFields, UpgradeStatus } from './upgradable.ts';

/** What the part of the status is made of that speaks of upgrades. */
export interface UpgradeFindings {
  readonly object: Upgradable;
  readonly naming: Naming;
  readonly wanted: Goal;
  readonly rollout: RolloutObservation;
  /** Undefined when nothing is left to do. */
  readonly outcome: RolloutOutcome | undefined;
  /** How many members the StatefulSet is to keep for now. */
  readonly kept: number;
  readonly now: Instant;
}

const shownStep = (outcome: RolloutOutcome, { rollingBack }: Goal): UpgradeStatus['step'] =>
  outcome.step === 'Starting' && rollingBack ? 'RollingBack' : (outcome.step as UpgradeStatus['step']); // No other step is one of pods that are deleted.

/** What of single members the next reconcile has to know. */
function rememberedOf({ rollout, outcome }: UpgradeFindings): Pick<UpgradeFields, 'handedOff' | 'catchingUp'> {
  const handedOff = outcome && (outcome.handedOff ?? rollout.handedOff);
  const catchingUp = catchingUpAfter(rollout, outcome ?? { actions: [] });
  return {
    ...(handedOff === undefined ? {} : { handedOff }),
    ...(catchingUp.length === 0 ? {} : { catchingUp }),
  };
}

/** The judgments of this upgrade. Of one that has failed they stay. */
function analysedOf({ rollout }: UpgradeFindings, { analysed }: RolloutOutcome): Pick<UpgradeStatus, 'analysed'> {
  const judgements = analysed ?? rollout.canary?.judgements ?? [];
  return judgements.length === 0 ? {} : { analysed: [...judgements] };
}

/** All members that are down or about to go, where more than one may be. One that is not there is named after its ordinal. */
function inFlightOf({
  object,
  rollout,
  outcome,
  now,
}: UpgradeFindings & { readonly outcome: RolloutOutcome }): Pick<UpgradeStatus, 'members'> {
  const members = membersInFlight(rollout, outcome, now).map(({ ordinal, uid, step, ...rest }) => ({
    pod: `${object.metadata.name}-${ordinal}`,
    ...(uid === undefined ? {} : { podUID: uid }),
    step: step as NonNullable<UpgradeStatus['members']>[number]['step'], // A member in flight is at no other step.
    ...rest,
  }));
  return members.length === 0 ? {} : { members };
}

/** The deadline. An upgrade that waits for time or for a user has none. */
function deadlineOf(
  { outcome, rollout }: UpgradeFindings & { readonly outcome: RolloutOutcome },
  lastProgressAt: Instant,
): Pick<UpgradeStatus, 'deadline'> {
  if (isWaiting(outcome) || (isSuspended(rollout) && outcome.step !== 'Failed')) return {};
  return { deadline: timestamp(lastProgressAt + rollout.deadlineMs) };
}

/** The part of the status that explains an upgrade under way. */
function upgradeStatus(
  findings: UpgradeFindings & { readonly outcome: RolloutOutcome; readonly progress: Progress },
): UpgradeStatus {
  const { object, outcome, progress, rollout, wanted, now } = findings;
  const before = object.status?.upgrade;
  const step = shownStep(outcome, wanted);
  const pod = outcome.member?.name ?? progress.pod;
  const podUID = outcome.member?.uid ?? progress.podUID;
  const same =
    before?.revision === progress.revision && before.step === step && before.pod === pod && before.podUID === podUID;
  // A failed upgrade is reported once, with what it was waiting for then.
  const message = outcome.message === '' ? before?.message : outcome.message;
  const release = releaseCommand(outcome, findings);
  const lastProgressAt = progressAfter(rollout, outcome, now);
  return {
    revision: progress.revision,
    startedAt: timestamp(progress.startedAt),
    lastProgressAt: timestamp(lastProgressAt),
    updated: progress.updated,
    ...deadlineOf(findings, lastProgressAt),
    step,
    since: sinceIn(same ? before : undefined, now),
    ...(pod === undefined ? {} : { pod }),
    ...(podUID === undefined ? {} : { podUID }),
    ...inFlightOf(findings),
    ...rememberedOf(findings),
    ...analysedOf(findings, outcome),
    ...(message === undefined ? {} : { message }),
    ...(outcome.blockedBy === undefined ? {} : { blockedBy: outcome.blockedBy }),
    ...(release === undefined ? {} : { release }),
  };
}

/** Why the upgrade to what the spec asks for has failed, as long as that is remembered. */
function failureOf(
  { object, outcome, now }: UpgradeFindings,
  failsNow: boolean,
  failedRevision: string | undefined,
): UpgradeFields['failure'] {
  if (failsNow && outcome?.failed) return { ...outcome.failed, at: timestamp(now) };
  return failedRevision === undefined ? undefined : object.status?.failure;
}

/** The Jobs that are remembered. What one has come before has happened when all members run it. */
function hooksOf({ object, outcome }: UpgradeFindings): UpgradeFields['hooks'] {
  const records = withRecords(object.status?.hooks, outcome?.tasks ?? []);
  if (records.length === 0) return undefined;
  return records.map((record) =>
    outcome === undefined && record.purpose === 'BeforeUpgrade' ? { ...record, spent: true } : record,
  );
}

/** Fields of a status; what is undefined is not there any more. */
type Cleared<Fields> = { readonly [Key in keyof Fields]: Fields[Key] | undefined };

/**
 * What the status says of upgrades from now on. `currentVersion` moves only when every member runs what is wanted; what has failed is remembered until something else is wanted,
 * so that it is not tried again by itself (S0.7, S0.8).
 */
export function upgradeFields(findings: UpgradeFindings): Cleared<Required<UpgradeFields>> {
  const { object, wanted, rollout, outcome } = findings;
  const before = object.status ?? {};
  const { progress } = rollout;
  const upgrade = outcome && progress ? upgradeStatus({ ...findings, outcome, progress }) : undefined;
  const failsNow = upgrade?.step === 'Failed' && !wanted.rollingBack;
  const completed = outcome === undefined;
  const current = completed
    ? { currentVersion: wanted.image, currentRevision: wanted.revision }
    : { currentVersion: before.currentVersion, currentRevision: before.currentRevision };
  const failedRevision = failsNow
    ? wanted.specRevision
    : wanted.failed && !(completed && !wanted.rollingBack)
      ? before.failedRevision
      : undefined;
  return {
    ...current,
    targetVersion: upgrade ? wanted.image : undefined,
    failedRevision,
    failure: failureOf(findings, failsNow, failedRevision),
    hooks: hooksOf(findings),
    upgrade,
    // Of an upgrade it stands there.
    step: upgrade ? undefined : outcome && shownStep(outcome, wanted),
    // Outside of an upgrade: while the set shrinks, and after members went.
    ...{ handedOff: undefined, catchingUp: undefined, ...(upgrade ? {} : rememberedOf(findings)) },
    shrinkingFrom: shrinkingFrom({
      from: before.shrinkingFrom,
      kept: findings.kept,
      wanted: rollout.wantedReplicas,
      members: rollout.members,
    }),
  };
}
