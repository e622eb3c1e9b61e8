import type { KVStoreCluster } from '@ordinal/api';
import { kvStoreClusters } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { isApiError, timestamp } from '@ordinal/client';
import { purposeLabel } from '@ordinal/constructs';
import type { Decision } from '@ordinal/lifecycle';
import { ActionError, withRecords } from '@ordinal/lifecycle';
import { mayBeTheOnlyOne } from './deletion-requested.ts';
import { recordOf } from './records.ts';

/**
 * Of which backup the API server refuses the Job, and would refuse it again: a quota, an admission, what is invalid. Undefined for every other failure. A Job of another client that has the
 * name of the final one's was no try: with it anyone who may create Jobs could have the volumes go without a backup.
 */
function refusedBackup({ action, cause }: ActionError): 'Backup' | 'FinalBackup' | undefined {
  const purpose = action?.kind === 'create' ? action.object.metadata.labels?.[purposeLabel] : undefined;
  const isRefused = isApiError(cause, 'Forbidden', 'Invalid', 'BadRequest');
  if (purpose === 'FinalBackup') return isRefused ? purpose : undefined;
  return purpose === 'Backup' && (isRefused || isApiError(cause, 'AlreadyExists')) ? purpose : undefined;
}

/** A failure of it ends nothing but itself: the final one is tried once, or one that was asked for is not the last that there is of volumes that go. */
const isTriedOnce = (cluster: KVStoreCluster, purpose: 'Backup' | 'FinalBackup'): boolean =>
  purpose === 'Backup' ? !mayBeTheOnlyOne({ cluster }) : cluster.spec.backup?.onDelete === 'BestEffort';

/**
 * What is decided in a deletion when the Job of a backup is refused whose failure the deletion does not wait for: a final one that is tried once (`BestEffort`), or one that
 * was asked for. That was the one try, which is recorded and reported, and the deletion goes on. Undefined for every other failure, which is tried again.
 */
export function decideOnRefusedBackup(failure: unknown, cluster: KVStoreCluster, now: Instant): Decision | undefined {
  const { metadata, status } = cluster;
  if (metadata.deletionTimestamp === undefined || !(failure instanceof ActionError)) return undefined;
  const purpose = refusedBackup(failure);
  if (!purpose || !isTriedOnce(cluster, purpose)) return undefined;
  const record = recordOf(status, purpose);
  if (!record || record.result !== undefined) return undefined;
  const message = `the Job could not be made, and the deletion goes on: ${failure.message}`;
  const ended = { ...record, result: 'Failed', finishedAt: timestamp(now), attempts: 1, message } as const;
  return {
    actions: [],
    status: {
      descriptor: kvStoreClusters,
      object: cluster,
      status: { ...status, hooks: [...withRecords(status?.hooks, [{ record: ended }])] },
    },
    events: [{ type: 'Warning', reason: `${purpose}Failed`, note: message }],
    // A status write of our own starts no reconcile: look again at once.
    lookAgainAt: now,
  };
}
