import { conditionOf } from '@ordinal/client';
import type { Finding } from '@ordinal/client';
import type { CloudDatabase, CloudDatabaseStatus } from '@ordinal/api';
import type { ExternalStatus, ExternalReason } from '@ordinal/lifecycle';
import { isPaused, retries } from '../annotations.ts';

type Phase = NonNullable<CloudDatabaseStatus['phase']>;

/** How a database stands: the one value that its phase and both its conditions come from, so that none of them denies another. */
export interface DatabaseState {
  /** Undefined where there is no database and none is to be made. */
  readonly phase: Phase | undefined;
  /** `Ready` speaks of the database: whether it can be used. */
  readonly ready: Finding;
  /** `Synced`: whether the provider has what the spec asks for. A provider that can't be asked, or refuses, does not. */
  readonly synced: Finding;
}

/** Reasons that say that something fails, and nothing of the database. */
const failures = ['CallFailed', 'Refused'] as const;
type Failure = (typeof failures)[number];

/** Whether this reason says that something fails: a call, or what the operator writes. */
export const isFailure = (reason: string | undefined): reason is Failure => failures.some((each) => each === reason);

/** The phase of a database that can't be used, or of which that is not known. */
const phases: Readonly<Record<Exclude<ExternalReason, Failure>, Exclude<Phase, 'Ready'> | undefined>> = {
  Available: 'Provisioning',
  OutOfSync: 'Provisioning',
  Updating: 'Updating',
  Creating: 'Provisioning',
  Settling: 'Provisioning',
  Vanished: 'Provisioning',
  BeingDeleted: 'Provisioning',
  Failed: 'Failed',
  Ambiguous: 'Failed',
  OwnedByAnother: 'Failed',
  ImportNotFound: 'Failed',
  NotCreated: undefined,
  InvalidSpec: 'Failed',
  Deleting: 'Deleting',
  Gone: 'Deleting',
  Retained: 'Deleting',
};

/**
 * The state of a database. Where nothing is known of the database itself, because the provider can't be asked or nothing is done, one that could be used still
 * can, and `Ready` stays as it was.
 */
export function stateOf(database: CloudDatabase, externalStatus: ExternalStatus): DatabaseState {
  const message = messageOf(database, externalStatus);
  const isLeaving = database.metadata.deletionTimestamp !== undefined;
  const reason = isPaused(database) ? 'Paused' : externalStatus.reason;
  const synced: Finding = { type: 'Synced', status: syncedOf(externalStatus), reason, message };
  const ready = (status: Finding['status']): Finding => ({ type: 'Ready', status, reason, message });
  if (isLeaving) return { phase: 'Deleting', ready: ready('False'), synced };
  const before = conditionOf(database.status?.conditions, 'Ready');
  if (externalStatus.ready === 'Unknown' && before?.status === 'True')
    return { phase: usablePhase(database, externalStatus), ready: before, synced };
  if (externalStatus.ready === 'True')
    return { phase: usablePhase(database, externalStatus), ready: usable(externalStatus), synced };
  return {
    phase: unusablePhase(database, externalStatus),
    ready: ready(isPaused(database) ? 'Unknown' : 'False'),
    synced,
  };
}

/** The message, with the command that tries at once what is tried again by itself rarely. A failure that lasts is shown with the message that it had, which has it. */
function messageOf({ metadata }: CloudDatabase, { reason, retry, message }: ExternalStatus): string {
  if (!isFailure(reason) || retry !== 'terminal') return message;
  const how = `; to try it again at once: ${retries.command(`-n ${metadata.namespace ?? 'default'} cdb ${metadata.name}`)}`;
  return message.endsWith(how) ? message : message + how;
}

const syncedOf = ({ reason, synced }: ExternalStatus): Finding['status'] =>
  reason === 'CallFailed' ? 'False' : synced;

/** A change that is under way is no reason to be ready. */
const usable = ({ reason, message }: ExternalStatus): Finding =>
  reason === 'Updating'
    ? { type: 'Ready', status: 'True', reason: 'Available', message: 'the database can be used while it is changed' }
    : { type: 'Ready', status: 'True', reason, message };

function usablePhase({ status }: CloudDatabase, { reason, ready, retry }: ExternalStatus): Phase {
  if (reason === 'Updating') return 'Updating';
  // What is refused for good is not under way any more.
  const isUpdating = ready === 'Unknown' && status?.phase === 'Updating' && retry !== 'terminal';
  return isUpdating ? 'Updating' : 'Ready';
}

function unusablePhase(
  database: CloudDatabase,
  { reason, retry }: ExternalStatus,
): Exclude<Phase, 'Ready'> | undefined {
  const { status } = database;
  const before = status?.phase === 'Ready' ? 'Provisioning' : status?.phase;
  if (isPaused(database)) return before;
  if (isFailure(reason)) return retry === 'terminal' || before === 'Failed' ? 'Failed' : 'Provisioning';
  // A provider that works on a change says no more than that it works.
  if (reason === 'Creating' && before === 'Updating' && status?.external?.id !== undefined) return 'Updating';
  return phases[reason];
}
