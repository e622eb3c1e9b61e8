import type { KVStoreCluster, KVStoreClusterSpecBackupJob, KVStoreClusterStatus } from '@ordinal/api';
import type { Purpose } from '@ordinal/constructs';
import { hashOf } from '@ordinal/constructs';
import type { TaskRecord } from '@ordinal/lifecycle';

/** The record of a purpose in the status. */
export function recordOf(status: KVStoreClusterStatus | undefined, purpose: Purpose): TaskRecord | undefined {
  return status?.hooks?.find((record) => record.purpose === purpose);
}

/** What distinguishes two definitions of a Job: the task, and what is merged over the Jobs of the cluster. */
export const definitionOf = ({ spec }: KVStoreCluster, task: KVStoreClusterSpecBackupJob): string =>
  hashOf([task, spec.jobs]);

/** The image of the version that is wanted: what judges a canary, or migrates to it, should know it. */
export const imageOf = ({ spec }: KVStoreCluster): string => `${spec.image}:${spec.version}`;
