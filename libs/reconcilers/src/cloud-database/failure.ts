import type { CloudDatabase, CloudDatabaseStatus } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { conditionOf } from '@ordinal/client';
import type { Announcement, ExternalDecision, ExternalStatus } from '@ordinal/lifecycle';
import { failureEvent, ExternalError, isProtectionOverdue } from '@ordinal/lifecycle';
import type { DatabaseRequest, DatabaseView } from './database.ts';
import type { DatabaseObservation } from './observe.ts';
import { stateOf } from './state.ts';

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
  const verb = outside.calls[0]?.call.verb ?? (externalStatus.reason === 'Settling' ? 'create' : undefined);
  const isSameSpec = before?.observedGeneration === database.metadata.generation;
  if (verb === undefined || before?.reason !== 'CallFailed' || !isSameSpec || !before.message.startsWith(`${verb}: `))
    return externalStatus;
  const retry = database.status?.phase === 'Failed' ? 'terminal' : 'backoff';
  return { reason: 'CallFailed', message: before.message, synced: 'False', ready: 'Unknown', retry };
}

/** The event of a provider that can't be asked: when it becomes so, and about every half hour for as long as it lasts. To be decided at each look. */
export function failureEvents(database: CloudDatabase, externalStatus: ExternalStatus): Announcement[] {
  if (externalStatus.reason !== 'CallFailed') return [];
  return [failureEvent(stateOf(database, externalStatus).synced, conditionOf(database.status?.conditions, 'Synced'))];
}

/** The event of a call that failed: `before` is the object as it was read for writing that, `after` the status that says so. */
export function callFailedEvent(before: CloudDatabase, after: CloudDatabaseStatus): Announcement | undefined {
  const failed = conditionOf(after.conditions, 'Synced');
  if (failed?.reason !== 'CallFailed') return undefined;
  return failureEvent(failed, conditionOf(before.status?.conditions, 'Synced'));
}
