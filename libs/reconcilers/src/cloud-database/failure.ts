import type { CloudDatabase, CloudDatabaseStatus } from '@ordinal/api';
import type { Condition, Instant } from '@ordinal/client';
import { conditionOf } from '@ordinal/client';
import type { ActionError, Announcement, ExternalDecision, ExternalStatus } from '@ordinal/lifecycle';
import { failureEvent, ExternalError, isProtectionOverdue } from '@ordinal/lifecycle';
import type { DatabaseRequest, DatabaseView } from './database.ts';
import type { DatabaseObservation } from './observe.ts';
import { isFailure, stateOf } from './state.ts';
import { statusFor } from './status.ts';

/**
 * What the status says of a database: what was decided, unless a failure lasts. A call that failed is over when a call or a look has shown so, not when the next
 * try is announced or its outcome is awaited: otherwise condition, metric and alert would come and go with every try.
 */
export function shownStatus(
  { database, account }: DatabaseObservation,
  outside: Pick<ExternalDecision<DatabaseRequest, DatabaseView>, 'externalStatus' | 'calls'>,
  now: Instant,
): ExternalStatus {
  const { externalStatus } = outside;
  const before = conditionOf(database.status?.conditions, 'Synced');
  if (account instanceof ExternalError && account.code === 'Unprotected' && externalStatus.reason === 'CallFailed') {
    return isProtectionOverdue(before, now)
      ? externalStatus
      : { reason: 'Settling', message: account.message, synced: 'False', ready: 'Unknown' };
  }
  if (before === undefined || before.observedGeneration !== database.metadata.generation) return externalStatus;
  if (!isFailure(before.reason) || !isStillTried(before, outside)) return externalStatus;
  const retry = database.status?.phase === 'Failed' ? 'terminal' : 'backoff';
  return { reason: before.reason, message: before.message, synced: 'False', ready: 'Unknown', retry };
}

/** Whether what has failed is tried once more: the same call, or what has to be written before any. */
function isStillTried(
  { reason, message }: Condition,
  { externalStatus, calls }: Pick<ExternalDecision<DatabaseRequest, DatabaseView>, 'externalStatus' | 'calls'>,
): boolean {
  if (reason === 'Refused') return calls.length > 0;
  const verb = calls[0]?.call.verb ?? (externalStatus.reason === 'Settling' ? 'create' : undefined);
  return verb !== undefined && message.startsWith(`${verb}: `);
}

/** The status of an object of which the API server does not take what the operator writes, because of this failure. What is known of the database stays. */
export function statusAfterRefusal(
  database: CloudDatabase,
  { message, retry }: ActionError,
  now: Instant,
): CloudDatabaseStatus {
  const externalStatus: ExternalStatus = { reason: 'Refused', message, synced: 'False', ready: 'Unknown', retry };
  return statusFor(database, { externalStatus, record: database.status?.external, now });
}

/** The event of a provider that can't be asked, or of a write that is refused: when it becomes so, and about every half hour for as long as it lasts. To be decided at each look. */
export function failureEvents(database: CloudDatabase, externalStatus: ExternalStatus): Announcement[] {
  if (!isFailure(externalStatus.reason)) return [];
  return [failureEvent(stateOf(database, externalStatus).synced, conditionOf(database.status?.conditions, 'Synced'))];
}

/** The event of a call that failed, or of a write that was refused: `before` is the object as it was read for writing that, `after` the status that says so. */
export function failedEvent(before: CloudDatabase, after: CloudDatabaseStatus): Announcement | undefined {
  const failed = conditionOf(after.conditions, 'Synced');
  if (!isFailure(failed?.reason)) return undefined;
  return failureEvent(failed, conditionOf(before.status?.conditions, 'Synced'));
}
