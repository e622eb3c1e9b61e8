import type { KVStoreClusterStatus } from '@ordinal/api';
import type { Instant, Finding } from '@ordinal/client';
import { defined, timestamp, withFindings } from '@ordinal/client';
import { kvStoreSelector, selectorText } from '@ordinal/constructs';
import type { Remembered, TaskRecord, TaskStep } from '@ordinal/lifecycle';
import { membersReadyText, shrinkingFrom, withRecords } from '@ordinal/lifecycle';
import { abortAnnotation, retries } from '../annotations.ts';
import { bypassesOver } from '../gate-bypasses.ts';
import type { BackupRecord } from './backup/records.ts';
import type { ScheduleState } from './backup/schedule-state.ts';
import { backupsOnSchedule, scheduleFinding, scheduleStatus } from './backup/schedule-status.ts';
import { withCauseOfMembers } from './causes.ts';
import type { DeletionStep } from './deletion-step.ts';
import type { DrillStep } from './drill/drill.ts';
import { mayHoldData } from './held-data.ts';
import { versionIn } from './history.ts';
import { isGated, upgradeSteps } from './member-checks.ts';
import type { Observation } from './observation.ts';
import { membersOf, objectOf, toBuild, wantedHash } from './observation.ts';
import { scaleDownFailed } from './scale.ts';
import type { UpgradeRecord } from './verdict.ts';
import type { UpgradeStep } from './upgrade.ts';
import { begins, hasFailed, haveAllMoved, isComplete, isUpdated, viewOf } from './upgrade.ts';
import { volumeStatus } from './volumes.ts';

/** What was decided in a reconcile, for the status to tell. */
export interface Decided {
  readonly upgrade: UpgradeStep;
  readonly tasks: readonly TaskStep[];
  /** What of single members the next look has to know. */
  readonly remembered: Remembered;
  /** The backups that the status lists, after this reconcile. */
  readonly backups: readonly BackupRecord[];
  /** What the status says of restore drills. */
  readonly drill: Pick<DrillStep, 'records' | 'request' | 'schedule' | 'finding'>;
  /** How many members the StatefulSet is to keep now; absent where that stays as it is. */
  readonly kept?: number;
  /** Reasons why the cluster is not what the spec asks for, beside the upgrade. */
  readonly blocked: readonly Finding[];
  readonly restore?: TaskStep;
  /** How far `spec.backup.schedule` has come. */
  readonly schedule?: ScheduleState | undefined;
}

const condition = (type: string, holds: boolean, reason: string, message: string): Finding => ({
  type,
  status: holds ? 'True' : 'False',
  reason,
  message,
});

/** What every status shows, whatever is going on. */
function counts(seen: Observation): KVStoreClusterStatus {
  const members = membersOf(seen);
  const view = viewOf(seen);
  const storage = volumeStatus(seen);
  return {
    observedGeneration: seen.cluster.metadata.generation ?? 0,
    replicas: members.length,
    readyReplicas: members.filter(({ ready }) => ready).length,
    updatedReplicas: members.filter((member) => isUpdated(member, view)).length,
    selector: selectorText(kvStoreSelector(toBuild(seen.cluster))),
    ...(storage ? { storage } : {}),
    ...(mayHoldData(seen) ? { mayHoldData: true } : {}),
  };
}

/** The newest backup that succeeded, of the recorded ones and the one that was known. */
function lastBackup(
  status: KVStoreClusterStatus | undefined,
  records: readonly TaskRecord[],
  backups: readonly BackupRecord[],
): KVStoreClusterStatus['lastBackup'] {
  const listed = backups.map(({ name, ...record }) => ({ purpose: 'Backup', subject: name, ...record }));
  const made = [...listed, ...records]
    .filter(({ purpose, result }) => (purpose === 'Backup' || purpose === 'FinalBackup') && result === 'Succeeded')
    .map(({ subject, location, finishedAt }) => ({
      name: subject,
      ...defined({ location, finishedAt }),
    }));
  const known = status?.lastBackup === undefined ? [] : [status.lastBackup];
  return [...known, ...made].sort((a, b) => (a.finishedAt ?? '').localeCompare(b.finishedAt ?? '')).at(-1);
}

type Phase = NonNullable<KVStoreClusterStatus['phase']>;

/** What all members ran when the cluster was last complete. */
function ranNow(seen: Observation): { readonly version: string | undefined; readonly revision: string | undefined } {
  const { status, spec } = seen.cluster;
  const view = viewOf(seen);
  if (isComplete(view)) return { version: spec.version, revision: view.wanted };
  const moved = haveAllMoved(view) ? versionIn(seen.statefulSet?.spec?.template, seen.cluster) : undefined;
  return moved === undefined
    ? { version: status?.currentVersion, revision: status?.currentRevision }
    : { version: moved, revision: view.applied };
}

/** What is kept of the status before, because it reports the past. */
function history(
  seen: Observation,
  { tasks, backups, drill }: Pick<Decided, 'tasks' | 'backups' | 'drill'>,
): KVStoreClusterStatus {
  const { status } = seen.cluster;
  const { version, revision } = ranNow(seen);
  const moved = status?.currentVersion !== undefined && status.currentVersion !== version;
  const previous = moved ? status.currentVersion : status?.previousVersion;
  return {
    ...defined({ currentVersion: version, currentRevision: revision, previousVersion: previous }),
    ...recordsOf(status, tasks, backups),
    ...drillStatus(drill),
  };
}

/** What the status keeps of restore drills. */
const drillStatus = ({ records, request, schedule }: Decided['drill']): KVStoreClusterStatus => ({
  ...(records.length > 0 ? { drills: [...records] } : {}),
  ...defined({ drillRequest: request, drillSchedule: schedule }),
});

/** What the status says of an upgrade to this revision that fails now. */
export function failedNow(
  failedRevision: string,
  failed: NonNullable<UpgradeStep['failed']>,
  now: Instant,
): Pick<KVStoreClusterStatus, 'failedRevision' | 'failure'> {
  return { failedRevision, failure: { ...failed, at: timestamp(now) } };
}

/** What the status keeps of a failed upgrade: until what is wanted is something else, or runs everywhere after all. */
function failureRecord(seen: Observation, { failed }: UpgradeStep, now: Instant): KVStoreClusterStatus {
  const wanted = wantedHash(seen.cluster);
  const { status } = seen.cluster;
  if (failed) return failedNow(wanted, failed, now);
  if (!hasFailed(seen)) return {};
  return { failedRevision: wanted, ...(status?.failure ? { failure: status.failure } : {}) };
}

/** The status of a cluster that lives. `currentVersion` moves only when every member runs what is wanted (S0.7). */
export function statusOf(seen: Observation, decided: Decided, now: Instant): KVStoreClusterStatus {
  const { cluster } = seen;
  const record = withRemembered(decided.upgrade.record, decided.remembered);
  const past = history(seen, decided);
  const failure = failureRecord(seen, decided.upgrade, now);
  const complete = isSettled(seen);
  const isBlocked = decided.blocked.some(({ status }) => status === 'False');
  const failed = whatFailed(decided, failure);
  const phase = failed ? 'Failed' : phaseOf(past, complete && !isBlocked);
  const onSchedule = scheduleFinding(decided.schedule, decided.backups);
  const reported = findingsOf(seen, { ...decided, complete, phase, failed, failure: failure.failure });
  const over = record && begins(record, cluster.status?.upgrade) ? bypassesOver(cluster.status?.conditions) : [];
  const findings = [...reported, ...(onSchedule ? [onSchedule] : []), ...over];
  // One that says nothing any more goes.
  const before = cluster.status?.conditions?.filter(
    ({ type }) => onSchedule !== undefined || type !== backupsOnSchedule,
  );
  const target = record && !complete ? { targetVersion: record.toVersion ?? cluster.spec.version } : {};
  return {
    ...counts(seen),
    ...past,
    ...target,
    phase,
    ...(record ? { upgrade: record } : decided.remembered),
    ...reductionOf(seen, decided),
    ...failure,
    ...retries.status(cluster),
    ...scheduleStatus(decided.schedule, decided.backups),
    conditions: [...withFindings(before, findings, { now, generation: cluster.metadata.generation })],
  };
}

/** How far a reduction has come whose members leave through their gates: what another client does to the StatefulSet meanwhile is put back to it. */
function reductionOf(seen: Observation, { kept }: Decided): Pick<KVStoreClusterStatus, 'shrinkingFrom'> {
  const { spec, status } = seen.cluster;
  if (kept === undefined || !isGated(seen.cluster)) return {};
  const from = shrinkingFrom({ from: status?.shrinkingFrom, kept, wanted: spec.replicas, members: membersOf(seen) });
  return from === undefined ? {} : { shrinkingFrom: from };
}

/** The record of an upgrade, with what the next look has to know of single members, and nothing of what it had to know before. */
function withRemembered(record: UpgradeRecord | undefined, remembered: Remembered): UpgradeRecord | undefined {
  if (record === undefined) return undefined;
  const { handedOff: _handedOff, catchingUp: _catchingUp, ...rest } = record;
  return { ...rest, ...remembered };
}

/** It is complete, and has no member too many: a reduction may wait for its Job. */
const isSettled = (seen: Observation): boolean =>
  isComplete(viewOf(seen)) && membersOf(seen).length === seen.cluster.spec.replicas;

/** What has failed and needs a person, for the phase and the conditions alike: the upgrade, the restore, or the Job before a reduction. Undefined where nothing has. */
function whatFailed({ restore, blocked }: Decided, { failedRevision, failure }: KVStoreClusterStatus): Failure {
  if (failedRevision !== undefined) return failure ?? { reason: 'UpgradeFailed', message: '' };
  if (restore?.state === 'Failed')
    return { reason: 'RestoreFailed', message: restore.blockedBy ?? restore.record.message ?? '' };
  return blocked.find(({ reason }) => reason === scaleDownFailed);
}

type Failure = { readonly reason: string; readonly message: string } | undefined;

function phaseOf(past: KVStoreClusterStatus, complete: boolean): Phase {
  if (complete) return 'Ready';
  return past.currentVersion === undefined ? 'Creating' : 'Upgrading';
}

interface Reported extends Decided {
  readonly complete: boolean;
  readonly phase: Phase;
  readonly failed: Failure;
  readonly failure: KVStoreClusterStatus['failure'];
}

function readyText(seen: Observation): string {
  const members = membersOf(seen);
  const ready = members.filter((member) => member.ready).length;
  return membersReadyText({ ready, present: members.length, wanted: seen.cluster.spec.replicas });
}

/** Whether the cluster can be used, and its data is safe: one member down is what it is made for. */
function available(seen: Observation, reason: string): Finding {
  const serving = membersOf(seen).filter(({ ready }) => ready).length;
  const { replicas } = seen.cluster.spec;
  return condition('Available', serving > 0 && serving >= replicas - 1, reason, readyText(seen));
}

/** `Ready` and `Degraded` say what the phase says, so that none of the three denies another. */
function findingsOf(seen: Observation, reported: Reported): readonly Finding[] {
  const members = membersOf(seen);
  const serving = members.filter(({ ready }) => ready).length;
  const { replicas } = seen.cluster.spec;
  const all = serving === replicas && members.length === replicas;
  const blocked = reported.blocked.find(({ status }) => status === 'False');
  const progress = progressOf(seen, reported, withCauseOfMembers(members, readyText(seen)));
  return [
    condition(
      'Ready',
      reported.phase === 'Ready',
      reported.complete ? (blocked?.reason ?? 'AllMembersReady') : progress.reason,
      reported.complete
        ? (blocked?.message ?? `all ${replicas} members run ${seen.cluster.spec.version}`)
        : progress.message,
    ),
    available(seen, all ? 'AllMembersReady' : 'MembersMissing'),
    progress,
    condition(
      'Degraded',
      reported.failed !== undefined,
      reported.failed?.reason ?? 'AsExpected',
      reported.failed?.message ?? '',
    ),
    ...reported.blocked,
    ...(reported.drill.finding ? [reported.drill.finding] : []),
  ];
}

/** What has failed is not tried again by itself. */
function toTryAgain({ cluster }: Observation): string {
  // As long as the annotation is there, the upgrade is ended again at once.
  const isAborted = cluster.metadata.annotations?.[abortAnnotation] !== undefined;
  const object = `${objectOf(cluster)}${isAborted ? ` ${abortAnnotation}-` : ''}`;
  return `to try again, change the spec, or: ${retries.command(object)}`;
}

function restoreProgress(seen: Observation, { state, record: task, blockedBy }: TaskStep): Finding {
  const hasFailed = state === 'Failed';
  const how = hasFailed ? `failed: ${task.message ?? ''}; ${toTryAgain(seen)}` : 'restores the backup';
  const reason = hasFailed ? 'RestoreFailed' : 'Restoring';
  return condition('Progressing', !hasFailed, reason, blockedBy ?? `the Job ${task.job} ${how}`);
}

/** The one condition that says why the cluster moves, or does not. */
function progressOf(seen: Observation, reported: Reported, ready: string): Finding {
  const { record } = reported.upgrade;
  if (reported.failure) {
    const unchanged =
      upgradeSteps(seen.cluster).onFailure === 'Stop'
        ? 'members stay as they are'
        : `back to ${seen.cluster.status?.currentVersion ?? 'the version before'}`;
    return condition(
      'Progressing',
      false,
      'UpgradeFailed',
      `${reported.failure.message}; ${unchanged}; ${toTryAgain(seen)}`,
    );
  }
  if (reported.restore) return restoreProgress(seen, reported.restore);
  if (reported.complete) return condition('Progressing', false, 'Settled', ready);
  const [reduction] = reported.blocked.filter(({ status }) => status === 'False');
  if (!record?.step && reduction)
    return { ...reduction, type: 'Progressing', status: reduction.reason === scaleDownFailed ? 'False' : 'True' };
  if (!record?.step)
    return condition('Progressing', true, reported.phase === 'Creating' ? 'Creating' : 'WaitingForMembers', ready);
  const where = record.pod === undefined ? '' : `${record.pod}: `;
  const command = record.release === undefined ? '' : `; to go on: ${record.release}`;
  return condition(
    'Progressing',
    record.step !== 'Paused',
    record.step,
    `${where}${record.blockedBy ?? ready}${command}`,
  );
}

/** The status of a cluster that is being deleted. */
export function deletingStatus(
  seen: Observation,
  step: DeletionStep,
  reported: {
    readonly now: Instant;
    readonly circumstances: readonly string[];
    readonly backups: readonly BackupRecord[];
    readonly drill: Pick<DrillStep, 'records'>;
    /** A required final backup can't be made any more. */
    readonly isLost: boolean;
  },
): KVStoreClusterStatus {
  const { cluster } = seen;
  const message = [step.message, ...reported.circumstances].join('; ');
  const findings = [
    condition('Ready', false, 'Terminating', message),
    available(seen, 'Terminating'),
    condition('Progressing', true, step.reason, message),
    condition(
      'Degraded',
      step.failed === true || reported.isLost,
      step.failed ? `${step.reason}Failed` : reported.isLost ? 'FinalBackupLeftOut' : 'AsExpected',
      step.failed || reported.isLost ? message : '',
    ),
  ];
  const { failedRevision, failure } = cluster.status ?? {};
  return {
    ...counts(seen),
    ...pastOf(cluster.status),
    ...defined({ failedRevision, failure }),
    ...retries.status(cluster),
    ...recordsOf(cluster.status, step.tasks, reported.backups),
    ...(cluster.status?.backupSchedule ? { backupSchedule: cluster.status.backupSchedule } : {}),
    ...drillStatus({ ...reported.drill, ...requestOf(cluster.status) }),
    // As seed 001 has it: a clean-up that fails shows in the phase; it is tried again all the same. One that goes on without its backup does not fail: Degraded alone says it.
    phase: step.failed === true ? 'Failed' : 'Terminating',
    conditions: [
      ...withFindings(cluster.status?.conditions, findings, {
        now: reported.now,
        generation: cluster.metadata.generation,
      }),
    ],
  };
}

const requestOf = ({ drillRequest }: KVStoreClusterStatus = {}): Pick<DrillStep, 'request'> =>
  drillRequest === undefined ? {} : { request: drillRequest };

function pastOf(status: KVStoreClusterStatus | undefined): KVStoreClusterStatus {
  const { currentVersion, currentRevision, previousVersion } = status ?? {};
  return {
    ...defined({ currentVersion, currentRevision, previousVersion }),
  };
}

function recordsOf(
  status: KVStoreClusterStatus | undefined,
  tasks: readonly TaskStep[],
  backups: readonly BackupRecord[],
): KVStoreClusterStatus {
  const hooks = [...withRecords(status?.hooks, tasks)];
  const backup = lastBackup(status, hooks, backups);
  return {
    ...(hooks.length > 0 ? { hooks } : {}),
    ...(backups.length > 0 || status?.backups !== undefined ? { backups: [...backups] } : {}),
    ...(backup ? { lastBackup: backup } : {}),
  };
}
