import type { CloudDatabase, CloudDatabaseStatus } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import type { Outcome, ExternalStatus } from '@ordinal/lifecycle';
import { recordAfter } from '@ordinal/lifecycle';
import { passwordDigest } from './children.ts';
import type { DatabaseRequest, DatabaseView } from './database.ts';
import { statusFor } from './status.ts';

/** How a call at a provider ended. */
export type DatabaseOutcome = Outcome<DatabaseRequest, DatabaseView>;

/**
 * The status after a call: the ID that was learnt, or why the call failed. `database` is read again, because a client that changed it meanwhile must not make us
 * forget an ID.
 */
export function statusAfter(database: CloudDatabase, outcome: DatabaseOutcome, now: Instant): CloudDatabaseStatus {
  const before = database.status?.external;
  if (before === undefined) return database.status ?? {};
  const record = recordAfter(before, outcome);
  const view = outcome.error ? undefined : outcome.view;
  const status = statusFor(database, { externalStatus: externalStatusAfter(outcome, database), record, view, now });
  const digest = digestAfter(outcome);
  if (digest === undefined || status.external?.token !== record.token) return status;
  return { ...status, external: { ...status.external, passwordDigest: digest } };
}

function externalStatusAfter(outcome: DatabaseOutcome, database: CloudDatabase): ExternalStatus {
  const { call, error } = outcome;
  if (error) {
    const message = `${call.verb}: ${error.code}: ${error.message}`;
    return { reason: 'CallFailed', message, synced: 'False', ready: 'Unknown', retry: error.retry };
  }
  if (call.verb === 'delete' || database.metadata.deletionTimestamp !== undefined) {
    return {
      reason: 'Deleting',
      message: 'the provider was asked to delete the database',
      synced: 'True',
      ready: 'False',
    };
  }
  if (call.verb === 'update') {
    const message = `the provider was asked to change ${Object.keys(call.change).join(', ')}`;
    return { reason: 'Updating', message, synced: 'True', ready: 'Unknown' };
  }
  return {
    reason: 'Creating',
    message: 'the provider was asked to create the database',
    synced: 'True',
    ready: 'False',
  };
}

/**
 * The digest of the password that the provider certainly has now. A creation that may have given back an earlier one's result proves nothing about the
 * password; it is then set by an update.
 */
function digestAfter({ call, error }: DatabaseOutcome): string | undefined {
  if (error) return undefined;
  if (call.verb === 'create') return call.earlier === undefined ? passwordDigest(call.desired.password) : undefined;
  if (call.verb === 'update' && call.change.password !== undefined) return passwordDigest(call.change.password);
  return undefined;
}
