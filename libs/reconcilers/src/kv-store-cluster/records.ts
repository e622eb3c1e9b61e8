import type { KVStoreCluster, KVStoreClusterSpecBackupJob, KVStoreClusterStatus } from '@ordinal/api';
import type { Purpose } from '@ordinal/constructs';
import { hashOf } from '@ordinal/constructs';
import type { TaskRecord } from '../task/index.ts';

/** The record of a purpose in the status. */
export function recordOf(status: KVStoreClusterStatus | undefined, purpose: Purpose): TaskRecord | undefined {
  return status?.hooks?.find((record) => record.purpose === purpose);
}

/** What tells one definition of a Job from another: the task, and what is merged over the Jobs of the cluster. */
export const definitionOf = ({ spec }: KVStoreCluster, task: KVStoreClusterSpecBackupJob): string =>
  hashOf([task, spec.jobs]);

/** Whether a task has failed and that is not in the status yet: the failure is reported with the write that records it, and never again. */
export function failsNow(status: KVStoreClusterStatus | undefined, record: TaskRecord): boolean {
  const before = status?.hooks?.find(({ purpose }) => purpose === record.purpose);
  const isRecorded =
    before?.result === 'Failed' && before.subject === record.subject && before.attempts === record.attempts;
  return record.result === 'Failed' && !isRecorded;
}
