import type {
  MonitoredStatefulSet,
  MonitoredStatefulSetStatus,
  MonitoredStatefulSetStatusRegistrations,
} from '@ordinal/api';
import type { Condition, Instant, Finding } from '@ordinal/client';
import { conditionOf, withFindings } from '@ordinal/client';
import type { Blocked, ExternalRecord, ExternalStatus, TaskRecord } from '@ordinal/lifecycle';
import { isRetained, membersReadyText } from '@ordinal/lifecycle';
import { retries } from '../annotations.ts';
import { upgradeConditions, failureMessage } from '../upgrade/conditions.ts';
import type { Lateness } from '../upgrade/lateness.ts';
import type { UpgradeFindings } from '../upgrade/record.ts';
import { upgradeFields } from '../upgrade/record.ts';
import { adoptedFinding } from './adoption.ts';
import type { FormerStatus } from './conditions.ts';
import {
  degradedFinding,
  isOfMonitors,
  isStuck,
  leavingFindings,
  readyFinding,
  registeredFinding,
  toTryAgain,
} from './conditions.ts';
import type { UsedCredentials } from './credentials.ts';
import { replicasOf } from './members.ts';
import { recordable } from './place-limit.ts';
import type { MonitoredSetObservation } from './observation.ts';
import type { PlaceDecision } from './registration.ts';
import { labelsText } from './selector.ts';
import { revisionNameOf } from './template.ts';
import type { UpgradeDecision } from './upgrade.ts';
import { latenessOf } from './upgrade.ts';

/** What a status is made of. */
export interface StatusParts {
  readonly problem: Blocked | undefined;
  /** What the upgrade by the operator has come to; undefined where it replaces no pods, or nothing is decided about them. */
  readonly upgrade?: Pick<UpgradeDecision, 'findings' | 'revisions'> | undefined;
  /** Whether pods are being replaced, or are about to be: the StatefulSet is written after the status. */
  readonly isRolling: boolean;
  /** What was decided for each monitor, the one of the spec first; empty where nothing was decided. */
  readonly places: readonly PlaceDecision[];
  readonly now: Instant;
}

/** The status of a set that is wanted. */
export function statusFor(
  seen: MonitoredSetObservation,
  { problem, upgrade, isRolling, places, now }: StatusParts,
): MonitoredStatefulSetStatus {
  const { set } = seen;
  const [current, ...former] = places;
  const registrations = current === undefined ? set.status?.registrations : recordsOf(set, places);
  const id = registrations?.find(({ endpoint }) => endpoint === set.spec.monitorEndpoint)?.id;
  const registered = registeredFinding(set, current?.externalStatus, now);
  const there = former.map(({ endpoint, externalStatus, calls }) => ({
    endpoint,
    externalStatus,
    isTried: calls.length > 0,
  }));
  const fields = upgrade && { ...upgradeFields(upgrade.findings), ...membersOfUpgrade(seen, upgrade) };
  const wrong = problem ?? failureOf(upgrade?.findings, fields?.failedRevision);
  const degraded = degradedFinding(set, wrong, { registered, former: there });
  const ofPods = upgrade ? upgradeFindings(upgrade.findings) : [progressFinding(seen, isRolling)];
  const findings = [...ofPods, degraded, registered, ...adoptedFinding(seen)];
  return {
    ...observed(seen),
    ...present(fields ?? {}),
    phase: phaseOf(findings, withoutKept(registrations ?? [], former)),
    ...(id === undefined ? {} : { externalMonitorID: id }),
    ...(registrations === undefined || registrations.length === 0 ? {} : { registrations }),
    conditions: withFindings(set.status?.conditions, [readyFinding(findings), ...findings], at(set, now)),
  };
}

/** What a status keeps: what is undefined is not there. */
const present = <Fields extends object>(fields: Fields): Partial<MonitoredStatefulSetStatus> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** What the status says of members that the operator replaces. */
function membersOfUpgrade(
  { pods, statefulSet }: MonitoredSetObservation,
  { findings: { rollout, wanted }, revisions }: NonNullable<StatusParts['upgrade']>,
): Partial<MonitoredStatefulSetStatus> {
  const named = new Set([...pods.map(revisionNameOf), statefulSet?.status?.updateRevision]);
  const used = [...revisions].filter(([name]) => named.has(name)).map(([name, revision]) => ({ name, revision }));
  return {
    updatedReplicas: rollout.members.filter(({ revision }) => revision === wanted.specRevision).length,
    ...(used.length === 0 ? {} : { revisions: used.sort((a, b) => (a.name < b.name ? -1 : 1)) }),
  };
}

/** The status of a set that is being deleted. `places` is undefined while the clean-up Job comes first. */
export function leavingStatus(
  seen: MonitoredSetObservation,
  {
    places,
    task,
    isTried = false,
    now,
  }: {
    readonly places: readonly PlaceDecision[] | undefined;
    readonly task: TaskRecord | undefined;
    /** Whether something is to be done before the monitors are called. */
    readonly isTried?: boolean;
    readonly now: Instant;
  },
): MonitoredStatefulSetStatus {
  const { set } = seen;
  const before = set.status;
  const registrations = places === undefined ? before?.registrations : recordsOf(set, places);
  const message =
    places === undefined
      ? jobMessage(set, task)
      : places.map(({ externalStatus }) => externalStatus.message).join('; ');
  const findings = leavingFindings(set, {
    hasFailed:
      places === undefined
        ? hasJobFailed(task)
        : places.some(({ externalStatus }) => externalStatus.reason === 'CallFailed'),
    message,
    isTried: places === undefined ? isTried : places.some(({ calls }) => calls.length > 0),
    isUntouched: places === undefined,
  });
  return {
    ...observed(seen),
    phase: 'Decommissioning',
    ...(before?.externalMonitorID === undefined ? {} : { externalMonitorID: before.externalMonitorID }),
    ...(registrations === undefined || registrations.length === 0 ? {} : { registrations }),
    ...(task === undefined ? {} : { cleanupTask: task }),
    conditions: withFindings(before?.conditions, findings, at(set, now)),
  };
}

/** The status of a set that is being deleted, while the API server does not take what its clean-up needs. */
export function leavingFailure(
  seen: MonitoredSetObservation,
  message: string,
  now: Instant,
): MonitoredStatefulSetStatus {
  const { set } = seen;
  const findings = leavingFindings(set, { hasFailed: true, message, isTried: false, isUntouched: true });
  return {
    ...set.status,
    ...observed(seen),
    phase: 'Decommissioning',
    conditions: withFindings(set.status?.conditions, findings, at(set, now)),
  };
}

/** The status of a set that nothing is done for, because of what the spec says or because the API server does not take it. What stands outside stays. */
export function problemStatus(
  seen: MonitoredSetObservation,
  problem: Blocked,
  now: Instant,
): MonitoredStatefulSetStatus {
  const { set } = seen;
  const late = set.spec.upgrade && latenessOf(seen, now);
  const findings: Finding[] = [
    { type: 'Ready', status: 'False', ...problem },
    { type: 'Degraded', status: 'True', ...problem },
  ];
  return {
    ...set.status,
    ...lateFields(set, late),
    ...observed(seen),
    phase: 'Failed',
    conditions: withFindings(set.status?.conditions, findings, at(set, now)),
  };
}

/** What the status says of an upgrade about which nothing is decided: what it said, and what the deadline does. */
export function lateFields(
  { spec, status }: MonitoredStatefulSet,
  late: Lateness | undefined,
): Partial<MonitoredStatefulSetStatus> {
  if (!spec.upgrade) return {};
  const { currentVersion, currentRevision, targetVersion, failedRevision, failure, hooks } = status ?? {};
  const { handedOff, catchingUp, shrinkingFrom, revisions, step, upgrade } = status ?? {};
  return present({
    ...{ currentVersion, currentRevision, targetVersion, failedRevision, failure, hooks },
    ...{ handedOff, catchingUp, shrinkingFrom, revisions, step, upgrade },
    ...(late?.upgrade && { upgrade: late.upgrade }),
    ...(late?.findings && upgradeFields(late.findings)),
  });
}

/** The status of a set that a user has paused: what it was, and that it is paused. */
export function pausedStatus(set: MonitoredStatefulSet, now: Instant): MonitoredStatefulSetStatus {
  const message = 'paused by the annotation ordinal.dev/paused: nothing is done, neither here nor at the monitor';
  const finding: Finding = { type: 'Progressing', status: 'False', reason: 'Paused', message };
  return { ...set.status, conditions: withFindings(set.status?.conditions, [finding], at(set, now)) };
}

/** The status after a call of the monitor failed, or taught an ID. `externalStatus` says which. */
export function statusWithRecord(
  set: MonitoredStatefulSet,
  change: {
    readonly endpoint: string;
    readonly record: ExternalRecord;
    readonly externalStatus: ExternalStatus;
    /** How it stands at the monitors that could not be asked before the call. */
    readonly unasked: readonly FormerStatus[];
    readonly now: Instant;
  },
): MonitoredStatefulSetStatus {
  const { endpoint, record } = change;
  const before = set.status;
  const registrations = (before?.registrations ?? []).map((entry) =>
    entry.endpoint === endpoint ? entryOf(endpoint, record, entry) : entry,
  );
  const isCurrent = endpoint === set.spec.monitorEndpoint;
  const findings = findingsAfter(set, change);
  const id = isCurrent ? record.id : before?.externalMonitorID;
  const isLeaving = set.metadata.deletionTimestamp !== undefined;
  const conditions = withFindings(before?.conditions, findings, at(set, change.now));
  return {
    ...before,
    ...(isLeaving ? {} : { phase: phaseOf(conditions, registrations) }),
    ...(id === undefined ? {} : { externalMonitorID: id }),
    registrations,
    conditions,
  };
}

/** What the end of a call says, beside what the conditions say of the workload. That it has succeeded says nothing of another monitor. */
function findingsAfter(
  set: MonitoredStatefulSet,
  { endpoint, externalStatus, unasked, now }: Omit<Parameters<typeof statusWithRecord>[1], 'record'>,
): readonly Finding[] {
  const others = (set.status?.registrations ?? []).filter((one) => one.endpoint !== endpoint);
  if (set.metadata.deletionTimestamp !== undefined) {
    const hasFailed = externalStatus.reason === 'CallFailed';
    const leaving = { hasFailed, message: externalStatus.message, isTried: others.length > 0, isUntouched: false };
    return leavingFindings(set, leaving);
  }
  const conditions = set.status?.conditions;
  const isCurrent = endpoint === set.spec.monitorEndpoint;
  const unaskedAt = (other: { readonly endpoint: string }) => unasked.find((one) => one.endpoint === other.endpoint);
  const registered = registeredFinding(set, isCurrent ? externalStatus : undefined, now);
  const former = isCurrent
    ? others.map((other) => unaskedAt(other) ?? { endpoint: other.endpoint, externalStatus: undefined, isTried: true })
    : [{ endpoint, externalStatus, isTried: false }, ...others.flatMap((other) => unaskedAt(other) ?? [])];
  const degraded = degradedFinding(set, workloadProblem(conditions), { registered, former });
  const progress = conditionOf(conditions, 'Progressing');
  const findings = [...(progress === undefined ? [] : [progress]), degraded, registered];
  return [readyFinding(findings), degraded, registered];
}

/** What is wrong with the workload, as the conditions say it. */
function workloadProblem(conditions: readonly Condition[] | undefined): Blocked | undefined {
  const degraded = conditionOf(conditions, 'Degraded');
  const isOurs = degraded?.status === 'True' && !isOfMonitors(degraded.reason);
  return isOurs ? { reason: degraded.reason, message: degraded.message } : undefined;
}

const at = ({ metadata }: MonitoredStatefulSet, now: Instant) => ({ now, generation: metadata.generation });

function observed({ set, statefulSet }: MonitoredSetObservation): Partial<MonitoredStatefulSetStatus> {
  const { status } = statefulSet ?? {};
  return {
    ...(set.metadata.generation === undefined ? {} : { observedGeneration: set.metadata.generation }),
    replicas: status?.replicas ?? 0,
    readyReplicas: status?.readyReplicas ?? 0,
    updatedReplicas: status?.updatedReplicas ?? 0,
    selector: labelsText(set.spec.statefulSetSpec.selector),
    ...retries.status(set),
  };
}

function recordsOf(
  { status }: MonitoredStatefulSet,
  places: readonly PlaceDecision[],
): MonitoredStatefulSetStatusRegistrations[] {
  const records = places.flatMap(({ endpoint, record, done, mutedSince, credentials }) =>
    record === undefined || done === true
      ? []
      : [entryOf(endpoint, record, { mutedSince, credentialsSecretRef: credentials })],
  );
  return [...recordable(records, status?.registrations)];
}

function entryOf(
  endpoint: string,
  record: ExternalRecord,
  beside: Pick<PlaceDecision, 'mutedSince'> & { readonly credentialsSecretRef?: UsedCredentials | undefined },
): MonitoredStatefulSetStatusRegistrations {
  const { token, incarnation, id, createAttemptedAt, absentSince, deleteRequestedAt, lookUpMissingAt, deletedAt } =
    record;
  const { mutedSince, credentialsSecretRef } = beside;
  const known = { id, createAttemptedAt, absentSince, deleteRequestedAt, lookUpMissingAt, deletedAt };
  const optional = { ...known, mutedSince, credentialsSecretRef };
  const given = Object.entries(optional).filter(([, value]) => value !== undefined);
  return { endpoint, token, incarnation, ...Object.fromEntries(given) };
}

/** What stays beside the current entry is no migration. */
const withoutKept = (
  registrations: readonly MonitoredStatefulSetStatusRegistrations[],
  former: readonly PlaceDecision[],
): readonly MonitoredStatefulSetStatusRegistrations[] => {
  const kept = former.filter(({ externalStatus }) => isRetained(externalStatus)).map(({ endpoint }) => endpoint);
  return registrations.filter(({ endpoint }) => !kept.includes(endpoint));
};

/** As the conditions say it: they can't contradict. */
function phaseOf(
  findings: readonly Finding[],
  registrations: readonly MonitoredStatefulSetStatusRegistrations[],
): NonNullable<MonitoredStatefulSetStatus['phase']> {
  if (isStuck(findings)) return 'Failed';
  if (registrations.length > 1) return 'Migrating';
  return registrations.some(({ id }) => id !== undefined) ? 'Registered' : 'Pending';
}

/** What there is to say of an upgrade by the operator. That something is wrong is said beside what else may be. */
const upgradeFindings = (findings: UpgradeFindings): readonly Finding[] =>
  upgradeConditions(findings, false).filter(({ type }) => type !== 'Degraded');

/** Why the upgrade to what the spec asks for has failed, as long as nothing else is wanted. */
const failureOf = (findings: UpgradeFindings | undefined, failedRevision: string | undefined): Blocked | undefined =>
  findings && failedRevision !== undefined ? { reason: 'UpgradeFailed', message: failureMessage(findings) } : undefined;

/** How many of the members are ready, why one is not, and whether they are being replaced. */
function progressFinding({ set, statefulSet, unready }: MonitoredSetObservation, isRolling: boolean): Finding {
  const { readyReplicas: ready = 0, replicas: present = 0 } = statefulSet?.status ?? {};
  const are = membersReadyText({ ready, present, wanted: replicasOf(set) });
  return {
    type: 'Progressing',
    status: isRolling ? 'True' : 'False',
    reason: isRolling ? 'RollingOut' : 'Settled',
    message: unready === undefined ? are : `${are}; ${unready}`,
  };
}

/** The clean-up Job has failed, or is run again after that. */
const hasJobFailed = (task: TaskRecord | undefined): boolean =>
  task?.result === 'Failed' || (task?.result === undefined && (task?.attempts ?? 1) > 1);

const jobMessage = (set: MonitoredStatefulSet, task: TaskRecord | undefined): string =>
  task?.result === 'Failed'
    ? `the clean-up Job ${task.job} has failed ${times(task.attempts ?? 1)} and is run again: ${task.message ?? ''}; ${toTryAgain(set)}`
    : `waiting for the clean-up Job ${task?.job ?? ''}${hasJobFailed(task) ? `, which has failed ${times((task?.attempts ?? 2) - 1)} before` : ''}`;

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);
