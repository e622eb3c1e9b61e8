import type {
  MonitoredStatefulSet,
  MonitoredStatefulSetStatus,
  MonitoredStatefulSetStatusRegistrations,
} from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import type { Finding } from '../decision/index.ts';
import { retryCommand, retryStatus, withFindings } from '../decision/index.ts';
import type { ExternalRecord, Standing } from '../external-resource/index.ts';
import type { TaskRecord } from '../task/index.ts';
import type { UsedCredentials } from './credentials.ts';
import type { MonitoredSetObservation } from './observe.ts';
import type { PlaceDecision } from './registration.ts';
import { isRollingOut } from './spec.ts';

/** An entry at a former monitor can't be removed. The workload and its registration are as wanted all the same. */
const formerUnreachable = 'FormerMonitorUnreachable';

/** Why the workload can't be brought to what the spec says, until somebody acts. */
export interface Trouble {
  readonly reason: 'NameTaken' | 'ImmutableFieldChanged' | 'InvalidSpec' | 'Refused' | typeof formerUnreachable;
  readonly message: string;
}

/** What a status is made of. */
export interface StatusParts {
  readonly trouble: Trouble | undefined;
  /** What was decided for each monitor, the one of the spec first; empty where nothing was decided. */
  readonly places: readonly PlaceDecision[];
  readonly now: Instant;
}

/** The status of a set that is wanted. */
export function statusFor(
  seen: MonitoredSetObservation,
  { trouble, places, now }: StatusParts,
): MonitoredStatefulSetStatus {
  const { set } = seen;
  const [current, ...former] = places;
  const registrations = current === undefined ? set.status?.registrations : recordsOf(places);
  const id = registrations?.find(({ endpoint }) => endpoint === set.spec.monitorEndpoint)?.id;
  const registered = registeredFinding(set, current?.standing);
  const findings = [...workloadFindings(seen, trouble ?? formerTrouble(former)), registered];
  const isRefused = registered.status !== 'True' && current?.standing.retry === 'terminal';
  return {
    ...observed(seen),
    phase: phaseOf(trouble !== undefined || isRefused, withoutKept(registrations ?? [], former)),
    ...(id === undefined ? {} : { externalMonitorID: id }),
    ...(registrations === undefined || registrations.length === 0 ? {} : { registrations }),
    conditions: withFindings(set.status?.conditions, [readyFinding(findings), ...findings], at(set, now)),
  };
}

/** The status of a set that is being deleted. `places` is undefined while the clean-up Job comes first. */
export function leavingStatus(
  seen: MonitoredSetObservation,
  {
    places,
    task,
    now,
  }: {
    readonly places: readonly PlaceDecision[] | undefined;
    readonly task: TaskRecord | undefined;
    readonly now: Instant;
  },
): MonitoredStatefulSetStatus {
  const { set } = seen;
  const before = set.status;
  const registrations = places === undefined ? before?.registrations : recordsOf(places);
  const message =
    places === undefined ? jobMessage(set, task) : places.map(({ standing }) => standing.message).join('; ');
  const hasFailed =
    task?.result === 'Failed' || places?.some(({ standing }) => standing.reason === 'CallFailed') === true;
  const reason = hasFailed ? 'CleanupFailed' : 'Decommissioning';
  const findings: Finding[] = [
    { type: 'Ready', status: 'False', reason, message },
    { type: 'Degraded', status: hasFailed ? 'True' : 'False', reason, message },
  ];
  return {
    ...observed(seen),
    phase: 'Decommissioning',
    ...(before?.externalMonitorID === undefined ? {} : { externalMonitorID: before.externalMonitorID }),
    ...(registrations === undefined || registrations.length === 0 ? {} : { registrations }),
    ...(task === undefined ? {} : { cleanupTask: task }),
    conditions: withFindings(before?.conditions, findings, at(set, now)),
  };
}

/** The status of a set that nothing is done for, because of what the spec says or because the API server does not take it. What stands outside stays. */
export function troubledStatus(
  seen: MonitoredSetObservation,
  trouble: Trouble,
  now: Instant,
): MonitoredStatefulSetStatus {
  const { set } = seen;
  const findings: Finding[] = [
    { type: 'Ready', status: 'False', ...trouble },
    { type: 'Degraded', status: 'True', ...trouble },
  ];
  return {
    ...set.status,
    ...observed(seen),
    phase: 'Failed',
    conditions: withFindings(set.status?.conditions, findings, at(set, now)),
  };
}

/** The status of a set that somebody has paused: what it was, and that it is paused. */
export function pausedStatus(set: MonitoredStatefulSet, now: Instant): MonitoredStatefulSetStatus {
  const message = 'paused by the annotation ordinal.dev/paused: nothing is done, neither here nor at the monitor';
  const finding: Finding = { type: 'Progressing', status: 'False', reason: 'Paused', message };
  return { ...set.status, conditions: withFindings(set.status?.conditions, [finding], at(set, now)) };
}

/** The status after a call of the monitor failed, or taught an ID. `standing` says which. */
export function statusWithRecord(
  set: MonitoredStatefulSet,
  change: {
    readonly endpoint: string;
    readonly record: ExternalRecord;
    readonly standing: Standing;
    readonly now: Instant;
  },
): MonitoredStatefulSetStatus {
  const { endpoint, record, standing, now } = change;
  const before = set.status;
  const registrations = (before?.registrations ?? []).map((entry) =>
    entry.endpoint === endpoint ? entryOf(endpoint, record, entry) : entry,
  );
  const isCurrent = endpoint === set.spec.monitorEndpoint;
  const leaving = set.metadata.deletionTimestamp !== undefined;
  const failed: Finding = { type: 'Degraded', status: 'True', reason: 'CleanupFailed', message: standing.message };
  const leavingFindings = standing.reason === 'CallFailed' ? [failed] : [];
  const findings = leaving ? leavingFindings : isCurrent ? [registeredFinding(set, standing)] : [];
  const id = isCurrent ? record.id : before?.externalMonitorID;
  return {
    ...before,
    ...(id === undefined ? {} : { externalMonitorID: id }),
    registrations,
    conditions: withFindings(before?.conditions, findings, at(set, now)),
  };
}

const at = ({ metadata }: MonitoredStatefulSet, now: Instant) => ({ now, generation: metadata.generation });

function observed({ set, statefulSet }: MonitoredSetObservation): Partial<MonitoredStatefulSetStatus> {
  const { status } = statefulSet ?? {};
  const labels = set.spec.statefulSetSpec.selector.matchLabels ?? {};
  const selector = Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  return {
    ...(set.metadata.generation === undefined ? {} : { observedGeneration: set.metadata.generation }),
    replicas: status?.replicas ?? 0,
    readyReplicas: status?.readyReplicas ?? 0,
    updatedReplicas: status?.updatedReplicas ?? 0,
    selector,
    ...retryStatus(set),
  };
}

function recordsOf(places: readonly PlaceDecision[]): MonitoredStatefulSetStatusRegistrations[] {
  return places.flatMap(({ endpoint, record, done, mutedSince, credentials }) =>
    record === undefined || done === true
      ? []
      : [entryOf(endpoint, record, { mutedSince, credentialsSecretRef: credentials })],
  );
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
  const kept = former.filter(({ standing }) => standing.reason === 'Retained').map(({ endpoint }) => endpoint);
  return registrations.filter(({ endpoint }) => !kept.includes(endpoint));
};

/** `hasFailed`: nothing goes on before somebody acts. A set that is registered has not failed because its monitor refuses to be asked. */
function phaseOf(
  hasFailed: boolean,
  registrations: readonly MonitoredStatefulSetStatusRegistrations[],
): NonNullable<MonitoredStatefulSetStatus['phase']> {
  if (hasFailed) return 'Failed';
  if (registrations.length > 1) return 'Migrating';
  return registrations.some(({ id }) => id !== undefined) ? 'Registered' : 'Pending';
}

/** The seed's condition. A monitor that can't be asked now does not make a registration undone. */
function registeredFinding(set: MonitoredStatefulSet, standing: Standing | undefined): Finding {
  const type = 'MonitorRegistered';
  const before = set.status?.conditions?.find((condition) => condition.type === type);
  if (standing === undefined)
    return {
      type,
      status: before?.status ?? 'Unknown',
      reason: before?.reason ?? 'NotTried',
      message: before?.message ?? '',
    };
  const { reason, message, ready } = standing;
  if (ready === 'True') return { type, status: 'True', reason: 'RegistrationSuccessful', message };
  if (reason !== 'CallFailed') return { type, status: 'False', reason, message };
  return {
    type,
    status: before?.status === 'True' ? 'True' : 'False',
    reason: before?.status === 'True' ? 'MonitorUnreachable' : 'RegistrationFailed',
    message: standing.retry === 'terminal' ? `${message}; ${toTryAgain(set)}` : message,
  };
}

function formerTrouble(former: readonly PlaceDecision[]): Trouble | undefined {
  const failed = former.find(({ standing }) => standing.reason === 'CallFailed');
  if (failed === undefined) return undefined;
  const message = `the registration at ${failed.endpoint} is still to be removed: ${failed.standing.message}`;
  return { reason: formerUnreachable, message };
}

function workloadFindings({ set, statefulSet }: MonitoredSetObservation, trouble: Trouble | undefined): Finding[] {
  const wanted = set.spec.statefulSetSpec.replicas ?? 1;
  const ready = statefulSet?.status?.readyReplicas ?? 0;
  const isRolling = isRollingOut(statefulSet);
  const message = `${ready} of ${wanted} pods are ready`;
  return [
    {
      type: 'Progressing',
      status: isRolling ? 'True' : 'False',
      reason: isRolling ? 'RollingOut' : 'Settled',
      message,
    },
    trouble === undefined
      ? { type: 'Degraded', status: 'False', reason: 'AsWanted', message: '' }
      : { type: 'Degraded', status: 'True', ...trouble },
  ];
}

function readyFinding(findings: readonly Finding[]): Finding {
  const against = (type: string, status: Finding['status']) =>
    findings.find(
      (finding) => finding.type === type && finding.status === status && finding.reason !== formerUnreachable,
    );
  const reason =
    against('Degraded', 'True') ??
    against('MonitorRegistered', 'False') ??
    against('MonitorRegistered', 'Unknown') ??
    against('Progressing', 'True');
  if (reason !== undefined) return { ...reason, type: 'Ready', status: 'False' };
  return {
    type: 'Ready',
    status: 'True',
    reason: 'Running',
    message: 'all pods are ready and the set is registered with its monitor',
  };
}

const toTryAgain = ({ metadata: { namespace = 'default', name } }: MonitoredStatefulSet): string =>
  `to try it again at once: ${retryCommand(`-n ${namespace} mss ${name}`)}`;

const jobMessage = (set: MonitoredStatefulSet, task: TaskRecord | undefined): string =>
  task?.result === 'Failed'
    ? `the clean-up Job ${task.job} failed ${task.attempts ?? 1} times and is run again: ${task.message ?? ''}; ${toTryAgain(set)}`
    : `waiting for the clean-up Job ${task?.job ?? ''}`;
