import type { KVStoreCluster, KVStoreClusterSpecBackupJob } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { defined, instantOf, timestamp } from '@ordinal/client';
import type { Announcement, Member, PartitionedSet, Progress, TaskStep } from '@ordinal/lifecycle';
import {
  advanceOf,
  afterWaiting,
  deadlineOf as deadlineOfRollout,
  everyMember,
  heldFrom,
  heldReplicasOf,
  hookSubject,
  isHookChanged as hookIsChanged,
  isWaiting,
  judgementOf,
  maxThirdOf,
  updatedOf,
} from '@ordinal/lifecycle';
import { retries } from '../annotations.ts';
import { sinceIn } from '../upgrade/since.ts';
import { hashIn } from '@ordinal/constructs';
import { upgradePolicy, upgradeSteps } from './member-checks.ts';
import type { Observation, PodTemplate } from './observation.ts';
import { membersOf, wantedHash } from './observation.ts';
import { definitionOf, imageOf, recordOf } from './records.ts';
import type { Asked, UpgradeRecord, Verdict } from './verdict.ts';

/** Where a cluster stands between the version that ran and the one that is wanted. */
export interface UpgradeView extends PartitionedSet {
  readonly cluster: KVStoreCluster;
  /** The hash of the template that the spec asks for. */
  readonly wanted: string;
  /** The hash of the template that all members ran when the cluster was last complete; empty where it never was. */
  readonly previous: string;
  readonly record: UpgradeRecord | undefined;
}

/** What an upgrade's own Job is run for: this upgrade to this revision. One that is asked for again is another one: what stopped the Job may be mended. */
export const subjectOf = ({ toRevision = '', startedAt = '' }: UpgradeRecord): string =>
  hookSubject(toRevision, startedAt);

/** Reads where an upgrade stands. */
export function viewOf(seen: Observation): UpgradeView {
  const { cluster, statefulSet, heldRevision } = seen;
  const previous = cluster.status?.currentRevision ?? '';
  return {
    cluster,
    name: cluster.metadata.name,
    members: membersOf(seen),
    wanted: wantedHash(cluster),
    applied: hashIn(statefulSet?.spec?.template),
    previous,
    held: heldRevision ?? previous,
    ...(statefulSet && { maxThird: maxThirdOf(statefulSet) }),
    heldReplicas: statefulSet && heldReplicasOf(statefulSet),
    present: statefulSet?.spec?.replicas ?? 0,
    partition: statefulSet?.spec?.updateStrategy?.rollingUpdate?.partition ?? 0,
    replicas: Math.max(statefulSet?.spec?.replicas ?? 0, cluster.spec.replicas),
    record: cluster.status?.upgrade,
  };
}

/** A member runs what is wanted and serves. */
export const isUpdated = (member: Member, { wanted }: Pick<UpgradeView, 'wanted'>): boolean =>
  member.revision === wanted && member.ready;

/** The last member runs what is wanted before it was judged: an upgrade by canaries is not complete before its strategy has said so of each. */
function awaitsJudgement({ cluster, members, wanted, previous, record }: UpgradeView): boolean {
  const { canary } = upgradeSteps(cluster);
  if (canary === undefined || previous === '' || previous === wanted) return false;
  if (record?.toRevision !== wanted || record.step !== 'Completing') return true;
  if (canary.analysis === undefined) return false;
  return staying({ cluster, members }).some((member) => judgementOf(record.analysed, member)?.result !== 'Passed');
}

/** The members that the spec asks for. Those above are on their way out, though that may wait for a Job. */
const staying = ({ cluster, members }: Pick<UpgradeView, 'cluster' | 'members'>): readonly Member[] =>
  members.filter(({ ordinal }) => ordinal < cluster.spec.replicas);

/** Every member that the spec asks for is there, and none runs anything else than what is wanted: none above, as long as it is there, either. */
function allRun(view: Pick<UpgradeView, 'cluster' | 'members' | 'wanted'>): boolean {
  const { cluster, members, wanted } = view;
  return staying(view).length === cluster.spec.replicas && members.every(({ revision }) => revision === wanted);
}

/** Every member that the spec asks for is there, runs what is wanted, and serves; canaries were judged. */
export function isComplete(view: UpgradeView): boolean {
  const { wanted, applied } = view;
  return (
    applied === wanted &&
    !awaitsJudgement(view) &&
    allRun(view) &&
    staying(view).every((member) => isUpdated(member, view))
  );
}

/** The Job before the first member of an upgrade, such as a schema migration. Undefined where there is none. */
export function taskBeforeUpgrade(cluster: KVStoreCluster): KVStoreClusterSpecBackupJob | undefined {
  const task = upgradeSteps(cluster).beforeFirstPod;
  return task && { ...task, image: task.image ?? imageOf(cluster) };
}

/** The Job before the first member has failed, and is another one by now, or none. */
function isHookChanged(cluster: KVStoreCluster): boolean {
  const { failure, upgrade } = cluster.status ?? {};
  const record = recordOf(cluster.status, 'BeforeUpgrade');
  if (record?.subject !== subjectOf(upgrade ?? {})) return false;
  const task = taskBeforeUpgrade(cluster);
  return hookIsChanged({ reason: failure?.reason, record }, task && definitionOf(cluster, task));
}

/**
 * All members run another template than the one that is wanted since, and it is not the one that ran before: an upgrade whose aim has changed when no member was
 * left to be replaced. What they run is what a rollback goes back to.
 */
export function haveAllMoved(view: UpgradeView): boolean {
  const { applied, held, wanted, previous } = view;
  return (
    previous !== '' &&
    applied !== wanted &&
    applied !== previous &&
    applied === held &&
    allRun({ ...view, wanted: applied })
  );
}

/**
 * The upgrade that is wanted has failed before: it is not tried again until the template that is wanted changes, its Job that has failed changes, or a user asks for it. Where all members run it after all, and are ready,
 * there is nothing to try or to undo any more.
 */
export function hasFailed(seen: Observation): boolean {
  const { cluster } = seen;
  if (retries.isRequested(cluster) || isHookChanged(cluster)) return false;
  return cluster.status?.failedRevision === wantedHash(cluster) && !isComplete(viewOf(seen));
}

/** What the StatefulSet should be now, and what of it stands in the status. */
export interface UpgradeStep extends Asked {
  /** The template to apply; undefined: the one that the spec asks for. */
  readonly template: PodTemplate | undefined;
  readonly partition: number;
  /** How many members the StatefulSet makes for now, where that is fewer than it is to have. */
  readonly maxReplicas?: number;
  /** From which ordinal on the cluster controls the members itself, so that its StatefulSet brings none back as what ran before. */
  readonly keepFrom?: number;
  readonly record: UpgradeRecord | undefined;
  readonly failed?: { readonly reason: string; readonly message: string };
  /** Members to delete because they are broken and will come back as what is wanted of them. */
  readonly replace: readonly Member[];
  readonly events: readonly Announcement[];
  readonly lookAgainAt?: Instant;
  readonly tasks: readonly TaskStep[];
}

/** The record of an upgrade that may still succeed or fail. One that goes back, or has failed, does neither. */
export function recordUnderWay({ status }: KVStoreCluster): UpgradeRecord | undefined {
  const { upgrade, currentVersion, currentRevision, failedRevision } = status ?? {};
  const ends = [currentRevision, failedRevision].includes(upgrade?.toRevision);
  return currentVersion === undefined || ends ? undefined : upgrade;
}

/** An upgrade begins with this record, or one that is asked for again. */
export const begins = (record: UpgradeRecord, before: UpgradeRecord | undefined): boolean =>
  record.toRevision !== before?.toRevision || record.startedAt !== before?.startedAt;

/** The record of an upgrade towards what is wanted now: the one that runs, or a new one that begins. */
export function recordFor(view: UpgradeView, now: Instant): UpgradeRecord {
  const { record, wanted, cluster, members, replicas } = view;
  const aim = { revision: wanted, replicas };
  // One that has failed and is tried again is another one: its deadline counts from now, and its Jobs run again.
  if (record?.toRevision !== wanted || cluster.status?.failedRevision === wanted) {
    return {
      toRevision: wanted,
      toVersion: cluster.spec.version,
      ...(cluster.status?.currentVersion === undefined ? {} : { fromVersion: cluster.status.currentVersion }),
      generation: cluster.metadata.generation ?? 0,
      startedAt: timestamp(now),
      lastProgressAt: timestamp(now),
      updated: updatedOf(members, aim),
      // Who had gone ahead stays ahead, whatever is wanted since.
      ...(record?.partition === undefined ? {} : { partition: record.partition }),
    };
  }
  const recorded = { updated: record.updated ?? 0, lastProgressAt: instantOf(record.lastProgressAt) ?? 0 };
  const { updated, lastProgressAt } = advanceOf(recorded, members, aim, now);
  return { ...record, updated, lastProgressAt: timestamp(lastProgressAt) };
}

/** Where an upgrade stood when it was last recorded, as the rules of a rollout see it. */
export function progressOf(record: UpgradeRecord): Progress {
  const { toRevision = '', startedAt, lastProgressAt, updated = 0, step = 'Starting', since, ...rest } = record;
  const { pod, podUID, blockedBy } = rest;
  return {
    ...{ revision: toRevision, updated },
    // The status records no other, and no failure: that stands beside it.
    step: step === 'Failed' ? 'Starting' : (step as Progress['step']),
    ...{ startedAt: instantOf(startedAt) ?? 0, lastProgressAt: instantOf(lastProgressAt) ?? 0 },
    ...defined({ since: instantOf(since), pod, podUID, blockedBy }),
  };
}

/** When the upgrade has failed unless it moves before; undefined while it waits for a person or for a bake time. */
export const deadlineOf = (cluster: KVStoreCluster, record: UpgradeRecord): Instant | undefined =>
  deadlineOfRollout({ progress: progressOf(record), deadlineMs: upgradePolicy(cluster).deadlineMs });

/** Members that run something else than what the StatefulSet would make of them now, and do not serve: they come back as it (kubernetes#67250). Those that the partition holds come back as they were. */
export function brokenAndOutdated(view: UpgradeView, partition: number): readonly Member[] {
  return view.members.filter(
    (member) =>
      !member.ready &&
      !member.terminating &&
      (member.ordinal >= partition ? member.revision !== view.applied : member.foreign === true),
  );
}

/** It has to be replaced although it was done, or was on its way to be: it is not ready any more. */
const fellBack = ({ step: before }: UpgradeRecord, { step }: Verdict): boolean =>
  (before === 'Baking' || before === 'AwaitingPromotion') && step === 'Replacing';

/** What waited goes on, or the next member is released: the deadline counts from here. One that runs what is wanted has been released before. */
function movesOn({ members, wanted }: UpgradeView, record: UpgradeRecord, verdict: Verdict): boolean {
  const { partition } = verdict;
  const waited = isWaiting(progressOf(record)) && !isWaiting(verdict) && !fellBack(record, verdict);
  const isReplacedAgain = members.some(({ ordinal, revision }) => ordinal === partition && revision === wanted);
  return waited || (partition < (record.partition ?? everyMember) && !isReplacedAgain);
}

/**
 * Where the deadline counts from after this verdict; undefined where it stays as it is. What a step has waited for time or for a person does not count. That it
 * is over is no progress by itself: a canary that flaps would never meet the deadline.
 */
function progressAt(view: UpgradeView, record: UpgradeRecord, verdict: Verdict, now: Instant): Instant | undefined {
  if (movesOn(view, record, verdict)) return now;
  if (!isWaiting(progressOf(record)) || isSameStep(record, verdict)) return undefined;
  const { since, lastProgressAt } = record;
  return afterWaiting({ since: instantOf(since) ?? now, lastProgressAt: instantOf(lastProgressAt) ?? now }, now);
}

const isSameStep = (record: UpgradeRecord, { step, pod, podUID }: Verdict): boolean =>
  record.step === step && record.pod === pod && record.podUID === podUID;

/** What a verdict asks of members and keeps of them, as a step does. */
export const asksOf = ({ actions, ask, check, remembered }: Asked): Asked => ({
  ...defined({ actions, check, remembered }),
  ...(ask === undefined || ask.length === 0 ? {} : { ask }),
});

/** An upgrade that is under way. */
export type DueView = UpgradeView & { readonly record: NonNullable<UpgradeView['record']> };

/** A verdict, turned into a step. */
export function stepOf(
  view: UpgradeView,
  record: UpgradeRecord,
  verdict: Verdict,
  now: Instant,
): UpgradeStep & { readonly record: UpgradeRecord } {
  const { partition, step, pod, podUID, blockedBy, release, template, ...rest } = verdict;
  const {
    step: _step,
    pod: _pod,
    podUID: _uid,
    blockedBy: _blockedBy,
    release: _release,
    since: _since,
    ...kept
  } = record;
  const progress = progressAt(view, record, verdict, now);
  return {
    template,
    partition,
    record: {
      ...heldFrom(kept, partition),
      ...(progress === undefined ? {} : { lastProgressAt: timestamp(progress) }),
      step,
      since: sinceIn(isSameStep(record, verdict) ? record : undefined, now),
      ...defined({ pod, podUID, blockedBy, release, analysed: rest.analysed }),
    },
    replace: [
      ...(view.applied === view.wanted ? brokenAndOutdated(view, Math.max(partition, view.partition)) : []),
      ...(rest.replace ?? []),
    ],
    events: rest.events ?? [],
    tasks: rest.tasks ?? [],
    ...asksOf(rest),
    ...defined({ failed: rest.failed, lookAgainAt: rest.lookAgainAt }),
  };
}
