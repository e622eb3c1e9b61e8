import type { MonitoredStatefulSet } from '@ordinal/api';
import type { Condition, Instant, Finding } from '@ordinal/client';
import { conditionOf } from '@ordinal/client';
import type { Announcement, Blocked } from '@ordinal/lifecycle';
import { failureEvent, isProtectionOverdue } from '@ordinal/lifecycle';
import { retries } from '../annotations.ts';
import { tooManyFormer } from './place-limit.ts';
import type { PlaceStatus } from './registration.ts';

/** An entry at a former monitor can't be removed. The workload and its registration are as wanted all the same. */
const formerUnreachable = 'FormerMonitorUnreachable';

/** The monitor of the spec can't be asked or does not take a change. The registration that it has taken stands. */
const unreachable = 'MonitorUnreachable';

const registrationFailed = 'RegistrationFailed';
const cleanupFailed = 'CleanupFailed';

/** What is wrong at a monitor, while the workload and its registration are as wanted. */
const besides: ReadonlySet<string> = new Set([formerUnreachable, unreachable]);

/** What is under way at the monitor of the spec, and ends by itself. */
const passing: ReadonlySet<string> = new Set([
  'NotTried',
  'Creating',
  'Updating',
  'Settling',
  'Vanished',
  'BeingDeleted',
  'ProtectingCredentials',
]);

/** Reasons that only say that the next try is under way. */
const trying: ReadonlySet<string> = new Set(['Creating', 'Updating', 'Settling', 'Deleting']);

/**
 * The seed's condition. A monitor that can't be asked now does not make a registration undone. A failure stays until a reply or a look has shown that it is
 * over: the next try alone says nothing, and for alerts and events a condition that changes with each try would be no failure that lasts.
 */
export function registeredFinding(
  set: MonitoredStatefulSet,
  externalStatus: PlaceStatus | undefined,
  now: Instant,
): Finding {
  const { spec, status } = set;
  const type = 'MonitorRegistered';
  const before = conditionOf(status?.conditions, type);
  const here = status?.registrations?.find(({ endpoint }) => endpoint === spec.monitorEndpoint);
  const kept = findingOf(before) ?? { type, status: 'Unknown', reason: 'NotTried', message: '' };
  if (externalStatus === undefined) return kept;
  const { reason, ready } = externalStatus;
  const message =
    externalStatus.retry === 'terminal' ? `${externalStatus.message}; ${toTryAgain(set)}` : externalStatus.message;
  const hasFailed = kept.reason === registrationFailed || kept.reason === unreachable;
  if (hasFailed && here !== undefined && trying.has(reason)) return kept;
  if (ready === 'True') return { type, status: 'True', reason: 'RegistrationSuccessful', message };
  if (reason !== 'CallFailed') return { type, status: 'False', reason, message };
  if (kept.status === 'True' && here?.id !== undefined) return { type, status: 'True', reason: unreachable, message };
  const isProtecting = externalStatus.code === 'Unprotected' && !isProtectionOverdue(before, now);
  return { type, status: 'False', reason: isProtecting ? 'ProtectingCredentials' : registrationFailed, message };
}

/** How a user has what has failed tried again, for messages. */
export const toTryAgain = ({ metadata: { namespace = 'default', name } }: MonitoredStatefulSet): string =>
  `to try it again at once: ${retries.command(`-n ${namespace} mss ${name}`)}`;

const findingOf = (condition: Condition | undefined): Finding | undefined =>
  condition && {
    type: condition.type,
    status: condition.status,
    reason: condition.reason,
    message: condition.message,
  };

/** What is wrong, if anything is: with the workload, at the monitor of the spec, or at a former one. `former` is how it stands at those. */
export function degradedFinding(
  set: MonitoredStatefulSet,
  problem: Blocked | undefined,
  { registered, former }: { readonly registered: Finding; readonly former: readonly FormerStatus[] },
): Finding {
  const wrong = problem ?? registrationProblem(registered) ?? formerProblem(set, former);
  return wrong === undefined
    ? { type: 'Degraded', status: 'False', reason: 'AsWanted', message: '' }
    : { type: 'Degraded', status: 'True', ...wrong };
}

function registrationProblem({ status, reason, message }: Finding): Blocked | undefined {
  const isWrong = reason === unreachable || (status !== 'True' && !passing.has(reason));
  return isWrong ? { reason, message } : undefined;
}

/** How it stands at a former monitor. */
export interface FormerStatus {
  readonly endpoint: string;
  /** None where it was not asked. */
  readonly externalStatus: PlaceStatus | undefined;
  /** Whether a call is to be made there. */
  readonly isTried: boolean;
}

function formerProblem({ status }: MonitoredStatefulSet, former: readonly FormerStatus[]): Blocked | undefined {
  const failed = former.find(({ externalStatus }) => externalStatus?.reason === 'CallFailed');
  if (failed?.externalStatus !== undefined) {
    const message = `the registration at ${failed.endpoint} is still to be removed: ${failed.externalStatus.message}`;
    return { reason: formerUnreachable, message };
  }
  const before = conditionOf(status?.conditions, 'Degraded');
  const isTriedAgain = before?.reason === formerUnreachable && former.some(({ isTried }) => isTried);
  return isTriedAgain ? { reason: before.reason, message: before.message } : undefined;
}

/** What speaks against the set, in this order: what is wrong, its registration, its pods. */
export function readyFinding(findings: readonly Finding[]): Finding {
  const against = (type: string, status: Finding['status']): Finding | undefined =>
    findings.find((finding) => finding.type === type && finding.status === status && !besides.has(finding.reason));
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

/** Whether such a reason speaks of monitors, not of the workload. */
export const isOfMonitors = (reason: string): boolean =>
  besides.has(reason) ||
  [registrationFailed, cleanupFailed, tooManyFormer, 'Ambiguous', 'OwnedByAnother', 'Failed'].includes(reason);

/** Whether nothing goes on before a user acts or the failure is over. What is wrong besides does not count. */
export function isStuck(findings: readonly Finding[]): boolean {
  return findings.some(({ type, status, reason }) => type === 'Degraded' && status === 'True' && !besides.has(reason));
}

/** What the conditions of a set say that is being deleted. */
export interface Leaving {
  readonly hasFailed: boolean;
  readonly message: string;
  /** Whether the next try is under way: a failure before it stays until it is over. */
  readonly isTried: boolean;
  /** Whether the entry is not touched yet, because something else comes first. */
  readonly isUntouched: boolean;
}

/** The findings of a set that is being deleted. */
export function leavingFindings({ status }: MonitoredStatefulSet, leaving: Leaving): readonly Finding[] {
  const before = conditionOf(status?.conditions, 'Degraded');
  const isStill = leaving.isTried && before?.status === 'True' && before.reason === cleanupFailed;
  const hasFailed = leaving.hasFailed || isStill;
  const message = isStill && !leaving.hasFailed ? before.message : leaving.message;
  const reason = hasFailed ? cleanupFailed : 'Decommissioning';
  const registered = conditionOf(status?.conditions, 'MonitorRegistered');
  const stands = leaving.isUntouched ? (registered?.status ?? 'Unknown') : 'False';
  return [
    { type: 'Ready', status: 'False', reason, message },
    { type: 'Degraded', status: hasFailed ? 'True' : 'False', reason, message },
    { type: 'MonitorRegistered', status: stands, reason: 'Decommissioning', message },
  ];
}

/** The event of what is wrong, as the conditions say it now and said it before: at the transition, and rarely for as long as it lasts. */
export function degradedEvents(
  before: readonly Condition[] | undefined,
  after: readonly Condition[] | undefined,
): readonly Announcement[] {
  const degraded = conditionOf(after, 'Degraded');
  return degraded?.status === 'True' ? [failureEvent(degraded, conditionOf(before, 'Degraded'))] : [];
}
