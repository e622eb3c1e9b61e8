import type { KVStoreCluster } from '@ordinal/api';
import { kvStoreClusters } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { isApiError } from '@ordinal/client';
import { purposeLabel } from '@ordinal/constructs';
import type { Decision } from '../decision/index.ts';
import { ActionError, timestamp } from '../decision/index.ts';
import { recordOf, withRecords } from './jobs.ts';

/** Whether the API server says no, to the creation of a final backup's Job, and would say so again: a quota, an admission, what is invalid. */
function isRefusal(failure: unknown): failure is ActionError {
  if (!(failure instanceof ActionError) || failure.action?.kind !== 'create') return false;
  const purpose = failure.action.object.metadata.labels?.[purposeLabel];
  return purpose === 'FinalBackup' && isApiError(failure.cause, 'Forbidden', 'Invalid', 'BadRequest');
}

/**
 * What is decided when the Job of a final backup is refused that is tried once (`BestEffort`): that was the one try, which is recorded and told, and the deletion goes
 * on. Undefined for every other failure, which is tried again.
 */
export function decideOnRefusedBackup(failure: unknown, cluster: KVStoreCluster, now: Instant): Decision | undefined {
  const { metadata, spec, status } = cluster;
  const record = recordOf(status, 'FinalBackup');
  const isTriedOnce = metadata.deletionTimestamp !== undefined && spec.backup?.onDelete === 'BestEffort';
  if (!isRefusal(failure) || !isTriedOnce || !record || record.result !== undefined) return undefined;
  const message = `the Job could not be made, and the deletion goes on: ${failure.message}`;
  const ended = { ...record, result: 'Failed', finishedAt: timestamp(now), attempts: 1, message } as const;
  return {
    actions: [],
    status: {
      descriptor: kvStoreClusters,
      object: cluster,
      status: { ...status, hooks: withRecords(status?.hooks, [{ state: 'Failed', record: ended, actions: [] }]) },
    },
    events: [{ type: 'Warning', reason: 'FinalBackupFailed', note: message }],
    // A status write of our own wakes nobody: look again at once.
    lookAgainAt: now,
  };
}
